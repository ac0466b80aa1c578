//! How much of a load is measured: for a time, or until so many operations were done.

use crate::keys::value::applies_only_with;
use crate::problem::Problems;
use crate::read::tests::table::{LoadTable, TestTable, WorkTable};
use std::time::Duration;

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
    let (time_key, most) = match written.is_some() {
        true => ("time_limit", load.keys.time_limit.value("time_limit", problems)),
        false => ("duration", load.keys.duration.value_or("duration", default_duration, problems)),
    };
    if let (Some(at), true) = (table.place(time_key), most.is_zero()) {
        let key = problems.key(time_key);
        problems.add(at, format!("{key} must be more than zero: nothing is measured"));
    }
    if !written.is_some() {
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
    (written.value(key, problems), most)
}
