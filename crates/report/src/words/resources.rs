//! What an operation takes of the machine that its target is on.

use crate::numbers::list;
use crate::view;
use analyse::{Analysis, Metric, TestAnalysis};
use findings::names::{metric_name, target_name};
use model::{Place, Target, UnitName};

/// Over the charts of it.
pub(crate) const RESOURCE_CHARTS: &str = "Charts of what it takes";

/// `What a transaction takes`.
pub(crate) fn resources_heading(counted: UnitName) -> String {
    format!("What {} takes", each(counted))
}

/// How to read the figures.
pub(crate) fn resources(test: &TestAnalysis) -> String {
    format!(
        "For {} that succeeded, on average over the measured phase; lower is better. Server CPU is the \
         processor time of the server’s process, host CPU that of all processors that it runs on, without weighin’s own; \
         disk figures are those of the disks under its data; log and cache misses are the server’s own \
         counts; packets are those of the load’s connections alone, with those that only confirm others. \
         Memory is all that the server’s processes had resident when measuring ended; space for a row, \
         growth and bytes written to disk for a byte of rows count the files of all tables of the database \
         with their indexes, and of a store of keys the memory that all keys take. Ratios are judged like \
         those of the other figures, each kind by itself.",
        each(view::counted(test))
    )
}

/// How to read the figures of two runs.
pub(crate) fn resources_of_runs(counted: UnitName) -> String {
    format!(
        "For {} that succeeded; lower is better. What is missing was not seen in both runs. Of several levels \
         all together are listed, and those at which a figure differs; all of them are in the JSON.",
        each(counted)
    )
}

fn is_known(test: &TestAnalysis, target: &Target, metric: Metric) -> bool {
    let mut own = test.cells.iter().filter(|cell| cell.target == target.name);
    own.any(|cell| cell.estimate(metric).is_some())
}

/// Whether nothing of a target was seen but its connections.
fn is_unseen(test: &TestAnalysis, target: &Target) -> bool {
    let is_known = |metric| is_known(test, target, metric);
    matches!(target.place, Place::Server(_))
        && Metric::of_resources().any(is_known)
        && ![Metric::ServerCpu, Metric::HostCpu].into_iter().any(is_known)
}

/// What is not known of targets whose machines were seen, though it might be; empty where all is.
pub(crate) fn not_known(analysis: &Analysis, test: &TestAnalysis) -> String {
    let targets = || analysis.dataset.study.targets.iter();
    let study_test = analysis.dataset.study.test(&test.test);
    let writes = study_test.is_some_and(|of| of.needs().writes());
    // Without replicas, anything on the way or writes there is nothing to know of them.
    let may_be = |target: &Target, metric: Metric| match (&target.place, metric) {
        (Place::Storage(_), _) => OF_VOLUMES.contains(&metric),
        (_, Metric::ReplicasCpu) => target.replicas() > 0,
        (_, Metric::RoundTrips) => target.delay().is_some(),
        (_, Metric::PathCpu) => {
            let path = target.path.as_ref();
            path.is_some_and(|path| path.delay.is_some() || path.proxy.is_some())
        }
        (_, Metric::Growth | Metric::WriteAmplification) => writes,
        _ => true,
    };
    let mut by_metrics: Vec<(Vec<Metric>, Vec<String>)> = Vec::new();
    for target in targets().filter(|target| !is_unseen(test, target)) {
        let unknown = |&metric: &Metric| may_be(target, metric) && !is_known(test, target, metric);
        let unknown: Vec<Metric> = Metric::of_resources().filter(unknown).collect();
        // Of a target without a trial that counts the report says so elsewhere.
        if unknown.is_empty() || !Metric::of_resources().any(|one| is_known(test, target, one)) {
            continue;
        }
        let name = target_name(&target.name);
        match by_metrics.iter_mut().find(|(metrics, _)| *metrics == unknown) {
            Some((_, names)) => names.push(name),
            None => by_metrics.push((unknown, vec![name])),
        }
    }
    let said = by_metrics.iter().map(|(metrics, names)| {
        let metrics: Vec<&str> = metrics.iter().map(|&metric| metric_name(metric)).collect();
        format!("Not known of {}: {}.", list(names), list(&metrics))
    });
    let said: Vec<String> = said.collect();
    if said.is_empty() {
        return String::new();
    }
    format!(
        "{} A figure is known where samples cover half of the measured phase or more, and where the server \
         tells what it needs.",
        said.join(" ")
    )
}

/// What a volume takes: it has no server.
const OF_VOLUMES: [Metric; 6] = [
    Metric::HostCpu,
    Metric::ContextSwitches,
    Metric::DiskReads,
    Metric::DiskWrites,
    Metric::DiskReadBytes,
    Metric::DiskWrittenBytes,
];

/// Of which targets nothing was seen but their connections; empty where the machines of all were seen.
pub(crate) fn unseen(analysis: &Analysis, test: &TestAnalysis) -> String {
    let unseen = analysis.dataset.study.targets.iter().filter(|target| is_unseen(test, target));
    let names: Vec<String> = unseen.map(|target| target_name(&target.name)).collect();
    match names.as_slice() {
        [] => String::new(),
        names => format!(
            "The machine of {} was not seen: what {} take there of processors, memory and disks is not known. \
             Give such a target `ssh`, or run weighin on its machine.",
            list(names),
            view::counted(test)
        ),
    }
}

fn each(counted: UnitName) -> String {
    let one = counted.one;
    let article = if one.starts_with(['a', 'e', 'i', 'o', 'u', 'I']) { "an" } else { "a" };
    format!("{article} {one}")
}
