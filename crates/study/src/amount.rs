//! How much of a load is measured: for a time, or until so many operations were done.

use crate::problem::Problems;
use crate::test::{LoadTable, TestTable, WorkTable, length};
use crate::validate::{applies_only_with, whole};
use model::bounds::MAX_OPERATIONS;
use std::time::Duration;

/// How long a fixed amount of work may take where the study names no time.
const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(3600);

/// Keys that go with a duration only, and why.
const OF_DURATIONS: [(&str, &str); 6] = [
    ("duration", "a load ends after a time or after so much work"),
    ("rate", "at a rate it is known how long so much work takes"),
    ("slo", "each step of a search takes a time"),
    ("replica_lag", "each step of a search takes a time"),
    ("cpu_limit", "each step of a search takes a time"),
    ("cross_check", "other tools are run for a time"),
];

/// The operations after which a load ends, if it ends by them, and the longest time that it measures.
pub(crate) fn amount(
    table: &TestTable,
    load: &LoadTable,
    default_duration: Duration,
    problems: &mut Problems,
) -> (Option<u64>, Duration) {
    let (key, written) = match &load.work {
        Some(WorkTable::KeyValue(_, keys)) => ("operations", &keys.operations),
        Some(WorkTable::Storage(keys)) => ("operations", &keys.operations),
        Some(WorkTable::Oltp(_, _, keys)) => ("transactions", &keys.transactions),
        None => return (None, default_duration),
    };
    let (time_key, time, default) = match written {
        Some(_) => ("time_limit", &load.keys.time_limit, DEFAULT_TIME_LIMIT),
        None => ("duration", &load.keys.duration, default_duration),
    };
    let most = length(time_key, time, default, problems);
    if let (Some(written), true) = (time, most.is_zero()) {
        let key = problems.key(time_key);
        problems.add(written.span(), format!("{key} must be more than zero: nothing is measured"));
    }
    if written.is_none() {
        if let Some(at) = table.place("time_limit") {
            applies_only_with("time_limit", at, key, "1_000_000", problems);
        }
        return (None, most);
    }
    for (other, why) in OF_DURATIONS {
        if let Some(at) = table.place(other) {
            let (key, other) = (problems.key(key), problems.key(other));
            problems
                .add(at, format!("{other} cannot stand beside {key}: {why}"))
                .help("leave out either; two tests can have one each");
        }
    }
    (Some(whole(key, written, 1, 1..=MAX_OPERATIONS, problems)), most)
}
