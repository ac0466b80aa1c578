//! What an operation takes of the machine that its target is on.

use crate::numbers::list;
use crate::view;
use analyse::{Analysis, Metric, TestAnalysis};
use findings::names::target_name;
use model::{Place, Target};

/// Over the charts of it.
pub(crate) const RESOURCE_CHARTS: &str = "Charts of what it takes";

/// `What a transaction takes`.
pub(crate) fn resources_heading(test: &TestAnalysis) -> String {
    format!("What {} takes", each(test))
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
         with their indexes. What is missing was not seen. Ratios are judged like those of the other figures, each \
         kind by itself.",
        each(test)
    )
}

/// Of which targets nothing was seen but their connections; empty where the machines of all were seen.
pub(crate) fn unseen(analysis: &Analysis, test: &TestAnalysis) -> String {
    let is_unseen = |target: &&Target| {
        let own = || test.cells.iter().filter(|cell| cell.target == target.name);
        let is_known = |metric: Metric| own().any(|cell| cell.estimate(metric).is_some());
        matches!(target.place, Place::Server(_))
            && Metric::of_resources().any(is_known)
            && ![Metric::ServerCpu, Metric::HostCpu].into_iter().any(is_known)
    };
    let unseen = analysis.dataset.study.targets.iter().filter(is_unseen);
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

fn each(test: &TestAnalysis) -> String {
    let one = view::counted(test).one;
    let article = if one.starts_with(['a', 'e', 'i', 'o', 'u', 'I']) { "an" } else { "a" };
    format!("{article} {one}")
}
