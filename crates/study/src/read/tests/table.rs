//! A `[[test]]` as read.

use crate::keys::choices::CACHE_STATES;
use crate::keys::{
    CatchUpKeys, FailoverKeys, KeyValueKeys, LoadHostsKey, LoadKeys, OltpKeys, SchemaChangeKeys,
    ServerKeys, StatementKeys, StorageKeys, TestKeys, TimedKeys, TransactionsKeys,
};
use crate::problem::{Place, Places, Problems};
use model::{CacheState, OltpMix, SearchOver};
use toml::Spanned;

/// The key that says how long a load may run until it is steady.
pub(crate) const STEADY_WITHIN: &str = "steady_within";

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

impl TestTable {
    /// Where the value of a key stands, if it is written.
    pub fn place(&self, key: &str) -> Option<Place> {
        self.places.get(key)
    }

    /// What the user calls a key, and where it is given. What `steady_within` limits, `warmup = "steady"`
    /// asks for as well.
    pub fn given(&self, key: &str, problems: &Problems) -> Option<(String, Place)> {
        if let Some(at) = self.place(key) {
            return Some((problems.key(key), at));
        }
        let at = self.load()?.keys.steady_warmup().filter(|_| key == STEADY_WITHIN)?;
        Some((format!("`{}`", problems.notation.setting("warmup", "\"steady\"")), at))
    }

    /// Its load; absent where it has none.
    fn load(&self) -> Option<&LoadTable> {
        match &self.task {
            TaskTable::Load(load) => Some(load.as_ref()),
            TaskTable::Statement(_, timed) | TaskTable::SchemaChange(_, timed) => {
                timed.load.as_ref()
            }
            TaskTable::Failover(_) | TaskTable::CatchUp(_) => None,
        }
    }

    /// Where it asks for cold caches.
    pub fn cold_cache(&self) -> Option<Place> {
        let cache = &self.keys.cache;
        let cold = CacheState::Cold;
        let is_cold = |word: &String| CACHE_STATES.contains(&(word.as_str(), cold));
        cache.written().filter(|word| is_cold(word)).and_then(|_| cache.place())
    }

    /// Which machines its load asks for; absent where it has none, or does not say.
    pub fn load_hosts(&self) -> Option<&Spanned<LoadHostsKey>> {
        match self.load()?.work.as_ref()? {
            WorkTable::Oltp(_, server, _)
            | WorkTable::Transactions(server, _)
            | WorkTable::KeyValue(server, _) => server.load_hosts.as_ref(),
            WorkTable::Storage(_) => None,
        }
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
            TaskTable::Statement(..)
            | TaskTable::SchemaChange(..)
            | TaskTable::Failover(_)
            | TaskTable::CatchUp(_) => &self.keys.task,
        };
        let written = self.keys.name.as_ref().or(workload.as_ref())?;
        Some((written.get_ref(), written.span()))
    }
}

/// The keys of a test that its task decides.
#[derive(Debug)]
pub(crate) enum TaskTable {
    Load(Box<LoadTable>),
    Statement(Box<StatementKeys>, TimedTable),
    SchemaChange(Box<SchemaChangeKeys>, TimedTable),
    Failover(Box<FailoverKeys>),
    CatchUp(Box<CatchUpKeys>),
}

/// The keys that statements and schema changes have in common, and those of the load beside which they
/// run.
#[derive(Debug)]
pub(crate) struct TimedTable {
    pub keys: TimedKeys,
    /// Absent where there is none.
    pub load: Option<LoadTable>,
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
    Oltp(OltpMix, Box<ServerKeys>, OltpKeys),
    Transactions(Box<ServerKeys>, TransactionsKeys),
    KeyValue(Box<ServerKeys>, KeyValueKeys),
    Storage(StorageKeys),
}

impl WorkTable {
    /// What goes with loads on servers.
    pub fn server(&self) -> Option<&ServerKeys> {
        match self {
            Self::Oltp(_, server, _)
            | Self::Transactions(server, _)
            | Self::KeyValue(server, _) => Some(server),
            Self::Storage(_) => None,
        }
    }
}

impl LoadTable {
    /// Whether what a search varies is a rate.
    pub fn varies_rate(&self) -> bool {
        let server = self.work.as_ref().and_then(WorkTable::server);
        server.is_none_or(|server| {
            server.search.written().map(String::as_str) != Some(SearchOver::Clients.name())
        })
    }
}
