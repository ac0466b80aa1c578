use crate::duration::parse_duration;
use crate::forms::workload_names;
use crate::problem::{Place, Problems};
use crate::validate::{name, one_of};
use crate::wire::{KeyValueKeys, LoadKeys, Maybe, OltpKeys, ServerKeys, StorageKeys, TestKeys};
use crate::{level, load};
use model::{CacheState, OltpMix, Test};
use std::collections::BTreeMap;
use std::time::Duration;

/// Values that `cache` takes.
pub(crate) const CACHE_STATES: [&str; 2] = ["warm", "cold"];

/// Keys of which one says how hard a load is, whatever the workload.
const LEVELS: [&str; 6] = ["clients", "rate", "slo", "pattern", "queue_depth", "cpu_limit"];

/// A `[[test]]` as read.
#[derive(Debug)]
pub(crate) struct TestTable {
    pub at: Place,
    /// Where the value of each key stands.
    pub places: BTreeMap<String, Place>,
    pub keys: TestKeys,
    pub load: LoadKeys,
    /// Absent where the test names no workload that there is.
    pub work: Option<WorkTable>,
}

/// The keys of a test that its workload decides.
#[derive(Debug)]
pub(crate) enum WorkTable {
    Oltp(OltpMix, ServerKeys, OltpKeys),
    KeyValue(ServerKeys, KeyValueKeys),
    Storage(StorageKeys),
}

impl TestTable {
    /// Where the value of a key stands, if it is written.
    pub fn place(&self, key: &str) -> Option<Place> {
        self.places.get(key).cloned()
    }

    /// Where a problem of the workload is shown.
    pub fn workload_place(&self) -> Place {
        self.place("workload").unwrap_or_default()
    }
}

/// Validates one `[[test]]`. What it returns is a test only if no problem was noted.
pub(crate) fn test(table: &TestTable, problems: &mut Problems) -> Option<Test> {
    let workload = &table.load.workload;
    if table.work.is_none() {
        one_of("workload", workload, workload_names(), |_| None::<()>, problems);
    }
    if workload.is_none() {
        let help = "add a line like workload = \"oltp_read_write\"";
        problems.missing(table.at.clone(), "this test names no workload", help);
        if LEVELS.iter().all(|key| table.place(key).is_none()) {
            level::missing(table.at.clone(), problems);
        }
    }
    let cache = one_of("cache", &table.keys.cache, CACHE_STATES, cache_state, problems);
    let name = match &table.keys.name {
        Some(written) => name(written, "test", problems),
        None => workload.as_ref().map(|workload| workload.get_ref().clone()),
    };
    let task = load::task(table, table.work.as_ref()?, problems);
    Some(Test {
        name: name?,
        task: task?,
        cache: cache.unwrap_or(CacheState::Warm),
        cross_check: load::asks_cross_check(&table.load),
    })
}

fn cache_state(name: &str) -> Option<CacheState> {
    match name {
        "warm" => Some(CacheState::Warm),
        "cold" => Some(CacheState::Cold),
        _ => None,
    }
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
        problems.add(written.span(), format!("`{key}`: {error}"));
        default
    })
}
