use crate::Workload;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Statements that one connection runs one after another, each timed from the moment it is sent
/// until its last row has arrived.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// In the order in which they run; at least one, names unique.
    pub statements: Vec<TimedStatement>,
    /// The load whose data they read, which weighin makes; absent where they need none.
    pub data: Option<Workload>,
    /// How long each may take. One that takes longer is ended on the server, and the trial has
    /// failed.
    pub timeout: Duration,
    /// How often all of them run before those that are timed, so that caches are filled.
    pub warmup_runs: u32,
    /// Whether they may change data. Their transactions are read-only otherwise.
    pub writes: bool,
}

/// A statement with the name that its figures have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimedStatement {
    pub name: String,
    pub query: Query,
}

/// What a statement says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Query {
    /// One of weighin's own over the test tables.
    BuiltIn(BuiltInQuery),
    /// The user's SQL.
    Own(String),
}

/// Weighin's own analytic queries over the test tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BuiltInQuery {
    /// Reads a whole table and aggregates it into ten groups.
    Scan,
    /// Joins every row of one table to a row of the next by its primary key.
    Join,
    /// Sorts a whole table by a column without index. More data than the sort buffer holds spills.
    Sort,
}

impl BuiltInQuery {
    pub const ALL: [Self; 3] = [Self::Scan, Self::Join, Self::Sort];

    /// The name that study files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Join => "join",
            Self::Sort => "sort",
        }
    }

    /// The one of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|query| query.name() == name)
    }
}

impl Statement {
    /// The name of the task.
    pub const NAME: &'static str = "statement";
    /// What plans take for a statement: nobody knows how long it will take.
    const ASSUMED: Duration = Duration::from_secs(1);

    /// How long a trial is assumed to take.
    pub(crate) fn work_time(&self) -> Duration {
        let runs = u32::try_from(self.statements.len()).unwrap_or(u32::MAX);
        Self::ASSUMED.saturating_mul(runs.saturating_mul(self.warmup_runs.saturating_add(1)))
    }
}
