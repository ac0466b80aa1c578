use crate::bounds::MAX_DURATION;
use crate::{Load, SchemaChange, Workload};
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
    /// The load beside which they run; absent where the target does nothing else.
    pub beside: Option<Box<BesideLoad>>,
}

/// A load that runs before, while and after the time of statements is taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BesideLoad {
    /// It ends when the time `after` the statements is over, and at its `duration` at the latest.
    pub load: Load,
    /// How long it is measured before the first statement begins.
    pub before: Duration,
    /// How long it goes on when the last statement has ended.
    pub after: Duration,
    /// Whether the statements run without the load first, so that it is known what the load costs
    /// them.
    pub alone: bool,
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
    /// A change of the schema, which is taken back outside the time taken.
    Change(SchemaChange),
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
        let statements = u32::try_from(self.statements.len()).unwrap_or(u32::MAX);
        let alone = self.beside.as_ref().is_some_and(|beside| beside.alone);
        let runs = self.warmup_runs.saturating_add(1).saturating_add(alone.into());
        let beside = self
            .beside
            .as_ref()
            .map_or(Duration::ZERO, |beside| beside.load.warmup + beside.before + beside.after);
        Self::ASSUMED.saturating_mul(statements.saturating_mul(runs)) + beside
    }

    /// The change of the schema that is measured; `None` where statements of another kind are.
    pub fn change(&self) -> Option<&SchemaChange> {
        self.statements.iter().find_map(|timed| match &timed.query {
            Query::Change(change) => Some(change),
            Query::BuiltIn(_) | Query::Own(_) => None,
        })
    }

    /// The name of what is measured, as study files have it.
    pub fn task(&self) -> &'static str {
        if self.change().is_some() { SchemaChange::TASK } else { Self::NAME }
    }

    /// Makes the load beside it longer or shorter, and not what it runs beside.
    pub fn scale_load(&mut self, scale: impl Fn(Duration) -> Duration) {
        let Some(beside) = &self.beside else { return };
        let (before, after) = (scale(beside.before), scale(beside.after));
        let duration = self.longest_load(before, after);
        if let Some(beside) = &mut self.beside {
            beside.load.warmup = scale(beside.load.warmup);
            (beside.before, beside.after, beside.load.duration) = (before, after, duration);
        }
    }

    /// How long the load beside it may last: all statements take as long as they may.
    pub fn longest_load(&self, before: Duration, after: Duration) -> Duration {
        let statements = u32::try_from(self.statements.len()).unwrap_or(u32::MAX);
        before + self.timeout.saturating_mul(statements).min(MAX_DURATION) + after
    }
}
