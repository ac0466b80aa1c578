//! The keys of tests that take the time of statements.

use crate::keys::Maybe;
use crate::keys::choices::ChangeKey;
use crate::keys::key::{AnyLength, Bounded, Choice, Flag, Key, Length, Whole};
use model::bounds::{MAX_ROWS, MAX_TABLES, MAX_WARMUP_RUNS};
use model::{Algorithm, BuiltInQuery};
use schemars::JsonSchema;
use serde::Deserialize;

/// The keys of the task `statement`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct StatementKeys {
    /// Built-in queries over the test tables, run one after another: `scan` reads a whole table and
    /// aggregates it, `join` joins every row of one table to one of the next, `sort` sorts a whole
    /// table without an index and returns it.
    #[schemars(with = "Option<Texts>", extend("examples" = [BuiltInQuery::ALL.map(BuiltInQuery::name)]))]
    pub statements: Maybe<Texts>,
    /// SQL of your own, one statement or a list of them.
    #[schemars(with = "Option<Texts>")]
    pub sql: Maybe<Texts>,
    /// How often all statements run before those that are timed.
    #[schemars(extend("x-absent" = "1; with cold caches 0"))]
    pub warmup_runs: Key<Bounded<0, { MAX_WARMUP_RUNS as i64 }>>,
    /// Whether `sql` may change data; otherwise its transactions are read-only.
    pub writes: Key<Flag<false>>,
}

/// The keys of the task `schema_change`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SchemaChangeKeys {
    /// A change to the first test table, which weighin takes back: `add_column` adds a column
    /// `DATETIME(6) DEFAULT NULL`, `add_index` an index over 60 characters, `change_type` makes a
    /// column with an index a `BIGINT`.
    pub change: Key<Choice<ChangeKey>>,
    /// A change of your own, with `undo`. On a private server it takes `trusted = true` in the sandbox.
    #[schemars(with = "Option<String>", length(min = 1))]
    pub sql: Maybe<String>,
    /// SQL that takes `sql` back, so that every trial starts from the same table. Its time is not
    /// taken.
    #[schemars(with = "Option<String>", length(min = 1))]
    pub undo: Maybe<String>,
    /// How the server is to do it: MariaDB and MySQL by `copy`, `inplace`, `nocopy` or `instant`, PostgreSQL
    /// `plain` (as the statement does by itself) or, of an index, `concurrently`; several of these, or `all`
    /// of the first four: each is a test of its own. One that a server does not offer is a result, with the
    /// reason.
    #[schemars(with = "Option<Texts>", extend(
        "examples" = [
            ALL_ALGORITHMS, Algorithm::Copy.name(), Algorithm::MetadataOnly.name()
        ],
        "x-absent" = "as the server chooses"
    ))]
    pub algorithm: Maybe<Texts>,
    /// How long the change may wait for a lock before it gives up, which is a result
    /// (`lock_wait_timeout`, in whole seconds, of MariaDB and MySQL, `lock_timeout` of PostgreSQL).
    #[schemars(extend("examples" = ["2s"], "x-absent" = "as the server has it"))]
    pub lock_timeout: Key<AnyLength>,
}

/// The keys of both: their tables, how long they may take, and around which part of a load they run.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct TimedKeys {
    /// Number of test tables to make; a schema change is made to the first. Without this key and
    /// `table_size` none are made for `sql`.
    #[schemars(extend("x-absent" = format!(
        "{} for statements, {} for a change",
        TABLES_OF_STATEMENTS, TABLES_OF_A_CHANGE
    )))]
    pub tables: Key<Bounded<1, { MAX_TABLES as i64 }>>,
    /// Rows per test table: more than a sort buffer of 2 MiB holds, unless the test says otherwise.
    pub table_size: Key<Whole<1, { MAX_ROWS as i64 }, 100_000>>,
    /// How long each statement, or the change, may take, such as `10m`. One that takes longer is ended
    /// on the server, and the trial has failed.
    pub timeout: Key<Length<600>>,
    /// How long the load is measured before the statement begins, such as `10s`.
    pub before: Key<Length<10>>,
    /// How long the load goes on when the statement has ended, such as `10s`.
    pub after: Key<Length<10>>,
    /// Whether the statement runs once without the load as well, so that the report can say what the
    /// load costs it.
    pub alone: Key<Flag<true>>,
}

/// One text or several, such as statements.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a text or a list of texts")]
pub(crate) enum Texts {
    One(String),
    Many(Vec<String>),
}

impl Texts {
    pub fn all(&self) -> Vec<&str> {
        match self {
            Self::One(text) => vec![text],
            Self::Many(texts) => texts.iter().map(String::as_str).collect(),
        }
    }
}

/// What stands for all algorithms.
pub(crate) const ALL_ALGORITHMS: &str = "all";
/// Tables that are made for built-in changes where the study names no number.
pub(crate) const TABLES_OF_A_CHANGE: u32 = 1;
/// Tables that are made for built-in queries where the study names no number: a join needs two.
pub(crate) const TABLES_OF_STATEMENTS: u32 = 2;
