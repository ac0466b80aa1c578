//! What a statement and the load beside it do to each other.

use crate::cell::Cells;
use crate::{Basis, Metric};
use findings::{BesideEachOther, Finding, Subject};
use model::{Study, Task, Test};

/// One finding for each target and level.
pub(crate) fn findings(
    study: &Study,
    test: &Test,
    basis: Option<Basis>,
    cells: &Cells<'_>,
) -> Vec<Finding> {
    let Task::Statement(statement) = &test.task else { return Vec::new() };
    if statement.beside.is_none() || basis.is_none() {
        return Vec::new();
    }
    let names: Vec<&str> = statement.statements.iter().map(|timed| timed.name.as_str()).collect();
    let of_cell = |cell: &crate::cell::CellData<'_>| {
        let estimate = |metric: Metric| cell.series(metric).estimate(study.confidence);
        let found = BesideEachOther {
            what: names.join(", "),
            is_change: statement.change().is_some(),
            elapsed: estimate(Metric::Elapsed)?,
            slowdown: estimate(Metric::Slowdown),
            throughput_kept: estimate(Metric::ThroughputKept),
            p99_ms: estimate(Metric::LatencyP99Before).zip(estimate(Metric::LatencyP99During)),
            longest_blocked_ms: estimate(Metric::LongestBlocked),
        };
        Some(Finding::new(Subject::test(&test.name).on(cell.target).at(cell.level), found))
    };
    cells.iter().filter_map(of_cell).collect()
}
