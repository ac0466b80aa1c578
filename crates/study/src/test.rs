use crate::duration::parse_duration;
use crate::problem::{Place, Places, Problems};
use crate::validate::{name, one_of};
use crate::wire::{
    FailoverKeys, KeyValueKeys, LoadKeys, Maybe, OltpKeys, ServerKeys, StatementKeys, StorageKeys,
    TestKeys,
};
use crate::{failover, load, statement};
use model::{CacheState, OltpMix, Test};
use std::time::Duration;

/// Values that `cache` takes.
pub(crate) const CACHE_STATES: [(&str, CacheState); 2] =
    [("warm", CacheState::Warm), ("cold", CacheState::Cold)];

/// A `[[test]]` as read.
#[derive(Debug)]
pub(crate) struct TestTable {
    pub at: Place,
    pub places: Places,
    pub keys: TestKeys,
    pub task: TaskTable,
    /// Whether it may be run only once on the same tables.
    pub once: bool,
}

/// The keys of a test that its task decides.
#[derive(Debug)]
pub(crate) enum TaskTable {
    Load(Box<LoadTable>),
    Statement(Box<StatementKeys>),
    Failover(Box<FailoverKeys>),
}

/// The keys of a load, or of a search for the highest one.
#[derive(Debug)]
pub(crate) struct LoadTable {
    pub keys: LoadKeys,
    /// Absent where the test names no workload that there is.
    pub work: Option<WorkTable>,
}

/// The keys of a load that its workload decides.
#[derive(Debug)]
pub(crate) enum WorkTable {
    Oltp(OltpMix, ServerKeys, OltpKeys),
    KeyValue(ServerKeys, KeyValueKeys),
    Storage(StorageKeys),
}

impl TestTable {
    /// Where the value of a key stands, if it is written.
    pub fn place(&self, key: &str) -> Option<Place> {
        self.places.get(key)
    }

    /// Where a problem of what is run is shown.
    pub fn workload_place(&self) -> Place {
        self.place("workload").or_else(|| self.place("task")).unwrap_or_default()
    }

    /// What the test is called and where that is written: a test without a name is named after its
    /// workload, or its task.
    pub fn name(&self) -> Option<(&str, Place)> {
        let workload = match &self.task {
            TaskTable::Load(load) => &load.keys.workload,
            TaskTable::Statement(_) | TaskTable::Failover(_) => &self.keys.task,
        };
        let written = self.keys.name.as_ref().or(workload.as_ref())?;
        Some((written.get_ref(), written.span()))
    }
}

/// Validates one `[[test]]`. What it returns is a test only if no problem was noted.
pub(crate) fn test(table: &TestTable, problems: &mut Problems) -> Option<Test> {
    let cache =
        one_of("cache", &table.keys.cache, CACHE_STATES, problems).unwrap_or(CacheState::Warm);
    let name = table.name().map(|(written, at)| name(written, at, "test", problems));
    let (task, cross_check) = match &table.task {
        TaskTable::Load(load) => {
            (load::task(table, load, problems), load::asks_cross_check(&load.keys))
        }
        TaskTable::Statement(keys) => (statement::task(table, keys, cache, problems), false),
        TaskTable::Failover(keys) => (failover::task(table, keys, cache, problems), false),
    };
    Some(Test { name: name??, task: task?, cache, cross_check })
}

/// A length of time, the default where none is written or none can be read.
pub(crate) fn length(
    key: &str,
    written: &Maybe<String>,
    default: Duration,
    problems: &mut Problems,
) -> Duration {
    let Some(written) = written else { return default };
    parse_duration(written.get_ref()).unwrap_or_else(|error| {
        problems.add(written.span(), format!("{}: {error}", problems.key(key)));
        default
    })
}
