//! The keys of tests that take the time of statements.

use super::{Maybe, Names};
use model::{Algorithm, BuiltInChange, BuiltInQuery};
use schemars::JsonSchema;
use serde::Deserialize;

/// The keys of the task `statement`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct StatementKeys {
    /// Built-in queries over the test tables, run one after another: `scan` reads a whole table and
    /// aggregates it, `join` joins every row of one table to one of the next, `sort` sorts a whole
    /// table without an index and returns it.
    #[schemars(with = "Option<Names>", extend("examples" = [BuiltInQuery::ALL.map(BuiltInQuery::name)]))]
    pub statements: Maybe<Names>,
    /// SQL of your own, one statement or a list of them.
    #[schemars(with = "Option<Names>")]
    pub sql: Maybe<Names>,
    /// How often all statements run before those that are timed; 1 when absent, with cold caches 0.
    #[schemars(with = "Option<u32>", range(min = 0, max = model::bounds::MAX_WARMUP_RUNS))]
    pub warmup_runs: Maybe<i64>,
    /// Whether `sql` may change data; false when absent: its transactions are read-only.
    #[schemars(with = "Option<bool>")]
    pub writes: Maybe<bool>,
}

/// The keys of the task `schema_change`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SchemaChangeKeys {
    /// A change to the first test table, which weighin takes back: `add_column` adds a column
    /// `DATETIME(6) DEFAULT NULL`, `add_index` an index over 60 characters, `change_type` makes a
    /// column with an index a `BIGINT`.
    #[schemars(with = "Option<String>", extend("enum" = BuiltInChange::ALL.map(BuiltInChange::name)))]
    pub change: Maybe<String>,
    /// A change of your own, with `undo`. On a private server it takes `trusted = true` in the
    /// sandbox.
    #[schemars(with = "Option<String>", length(min = 1))]
    pub sql: Maybe<String>,
    /// SQL that takes `sql` back, so that every trial starts from the same table. Its time is not
    /// taken.
    #[schemars(with = "Option<String>", length(min = 1))]
    pub undo: Maybe<String>,
    /// How the server is to do it: `copy`, `inplace`, `nocopy`, `instant`, several of these, or `all`:
    /// each is a test of its own. As the server chooses when absent. One that a server does not offer
    /// is a result, with the reason.
    #[schemars(with = "Option<Names>", extend("examples" = [
        crate::schema_change::ALL_ALGORITHMS, Algorithm::Copy.name(), Algorithm::MetadataOnly.name()
    ]))]
    pub algorithm: Maybe<Names>,
}

/// The keys of both: their tables, how long they may take, and around which part of a load they run.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct TimedKeys {
    /// Number of test tables to make; when absent 2 for statements, and 1 for a change, which is made
    /// to the first. Without this key and `table_size` none are made for `sql`.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_TABLES))]
    pub tables: Maybe<i64>,
    /// Rows per test table; 100,000 when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_ROWS))]
    pub table_size: Maybe<i64>,
    /// How long each statement, or the change, may take, such as `10m` (the default). One that takes
    /// longer is ended on the server, and the trial has failed.
    #[schemars(with = "Option<String>")]
    pub timeout: Maybe<String>,
    /// How long the load is measured before the statement begins, such as `10s` (the default).
    #[schemars(with = "Option<String>")]
    pub before: Maybe<String>,
    /// How long the load goes on when the statement has ended, such as `10s` (the default).
    #[schemars(with = "Option<String>")]
    pub after: Maybe<String>,
    /// Whether the statement runs once without the load as well, so that the report can say what the
    /// load costs it; true when absent.
    #[schemars(with = "Option<bool>")]
    pub alone: Maybe<bool>,
}
