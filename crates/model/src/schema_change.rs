//! Changes of the schema whose time is taken.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A change of the schema, which is taken back afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemaChange {
    pub change: Change,
    /// How the server is to make it; as the server chooses when absent.
    pub algorithm: Option<Algorithm>,
    /// How long it may wait for a lock; as long as the server's own limit when absent.
    pub lock_timeout: Option<Duration>,
}

/// What is changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// One of weighin's own, to the first test table.
    BuiltIn(BuiltInChange),
    /// The user's SQL, with what takes it back.
    Own { sql: String, undo: String },
}

/// Weighin's own changes of a test table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BuiltInChange {
    /// Adds a column `DATETIME(6) DEFAULT NULL` at the end.
    AddColumn,
    /// Adds an index over the column `pad`.
    AddIndex,
    /// Makes the column `k`, which is indexed, a `BIGINT`.
    ChangeType,
}

/// How a server makes a change, by the names that it has for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    /// Copies the table, and writes wait meanwhile.
    Copy,
    /// Works within the storage engine, which may rebuild the table; writes go on mostly.
    Inplace,
    /// In place, and only where the table need not be rebuilt.
    NoCopy,
    /// Changes the data dictionary alone, at once.
    MetadataOnly,
    /// As the statement does without further words.
    Plain,
    /// Builds an index in several passes, between which writes go on.
    Concurrently,
}

impl SchemaChange {
    /// The name of the task.
    pub const TASK: &'static str = "schema_change";
}

impl BuiltInChange {
    pub const ALL: [Self; 3] = [Self::AddColumn, Self::AddIndex, Self::ChangeType];

    /// The name that study files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::AddColumn => "add_column",
            Self::AddIndex => "add_index",
            Self::ChangeType => "change_type",
        }
    }
}

impl Algorithm {
    pub const ALL: [Self; 6] = [
        Self::Copy,
        Self::Inplace,
        Self::NoCopy,
        Self::MetadataOnly,
        Self::Plain,
        Self::Concurrently,
    ];
    /// Those that a statement names as its `ALGORITHM`.
    pub const NAMED: [Self; 4] = [Self::Copy, Self::Inplace, Self::NoCopy, Self::MetadataOnly];
    /// Those of servers that have no such word.
    pub const UNNAMED: [Self; 2] = [Self::Plain, Self::Concurrently];

    /// The name that study files use, and servers in capitals.
    pub fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Inplace => "inplace",
            Self::NoCopy => "nocopy",
            Self::MetadataOnly => "instant",
            Self::Plain => "plain",
            Self::Concurrently => "concurrently",
        }
    }
}
