//! Bounds on latency and on the lag of replicas under which the highest load is searched for.

use crate::keys::LoadKeys;
use crate::keys::value::applies_only_with;
use crate::problem::{Place, Problems};
use crate::read::tests::catch_up::refuse_reading;
use crate::read::tests::table::{LoadTable, TestTable, WorkTable};
use model::{Oltp, Slo};
use std::time::Duration;

/// Load before each step, where the study names no time.
pub(crate) const STEP_WARMUP: Duration = Duration::from_secs(1);
/// How long each step measures, where the study names no time.
pub(crate) const STEP_DURATION: Duration = Duration::from_secs(5);
/// The least bound on lag: twice as much as heartbeats tell.
const LEAST_LAG: Duration = Duration::from_millis(200);

/// The bound of a test, and what goes with no bound or not without one.
pub(crate) fn slo(table: &TestTable, load: &LoadTable, problems: &mut Problems) -> Option<Slo> {
    let Some(written) = &load.keys.slo else {
        if let (Some(search), None) = (table.place("search"), table.place("replica_lag")) {
            applies_only_with("search", search, "slo", "\"p95 < 20ms\"", problems);
        }
        return None;
    };
    refuse_beside(table, load, "slo", written.span(), problems);
    match written.get_ref().parse() {
        Ok(slo) => Some(slo),
        Err(error) => {
            problems.add(written.span(), format!("{}: {error}", problems.key("slo")));
            None
        }
    }
}

/// How far replicas may be behind under a workload.
pub(crate) fn lag_limit(
    table: &TestTable,
    load: &LoadTable,
    workload: &Oltp,
    problems: &mut Problems,
) -> Option<Duration> {
    let Some(WorkTable::Oltp(_, _, keys)) = &load.work else { return None };
    let at = keys.replica_lag.place()?;
    refuse_beside(table, load, "replica_lag", at.clone(), problems);
    let most = keys.replica_lag.value("replica_lag", problems)?;
    if most < LEAST_LAG {
        problems
            .add(at, "`replica_lag` must be at least 200ms: lag is known to 100 ms")
            .help("write it like replica_lag = \"1s\"");
    }
    if workload.transaction.writes() == 0 {
        refuse_reading(workload.mix.name(), table.workload_place(), problems);
    }
    Some(most)
}

/// Notes what does not work beside a bound.
fn refuse_beside(
    table: &TestTable,
    load: &LoadTable,
    bound: &str,
    at: Place,
    problems: &mut Problems,
) {
    refuse_rate(&load.keys, bound, problems);
    let key = problems.key(bound);
    if let Some(cache) = table.cold_cache() {
        problems
            .add(
                cache,
                format!("{key} does not work with `cold` caches: the first step warms them"),
            )
            .help("leave `cache` out, or set it to \"warm\"");
    }
    if load.keys.cross_check.value() {
        problems
            .add(at, format!("`cross_check` does not work with {key}: sysbench has none"))
            .help("ask for it in a test with levels of `clients`");
    }
}

/// Notes a rate beside a bound (`slo`, `cpu_limit`).
pub(crate) fn refuse_rate(keys: &LoadKeys, bound: &str, problems: &mut Problems) {
    let Some(rate) = &keys.rate else { return };
    let (key, bound) = (problems.key("rate"), problems.key(bound));
    problems
        .add(
            rate.span(),
            format!("{key} and {bound} cannot be combined: the search looks for the rate"),
        )
        .help("leave out either; rates and searches are tests of their own");
}
