//! What a statement and the load beside it do to each other.

use crate::cell::Cells;
use crate::{Basis, Finding, Metric, Subject};
use model::{Study, Task, Test};
use serde::Serialize;
use stats::Estimate;

/// What the statements of a test and the load beside them did to each other on one target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BesideEachOther {
    /// What was done, by name.
    pub what: String,
    /// Whether it is a change of the schema.
    pub is_change: bool,
    /// How long it took beside the load, in seconds.
    pub elapsed: Estimate,
    /// That ÷ the time that it takes alone, paired by trial; absent where that is not known.
    pub slowdown: Option<Estimate>,
    /// Throughput of the load meanwhile ÷ before, paired by trial.
    pub throughput_kept: Option<Estimate>,
    /// p99 latency of the load before and meanwhile, in milliseconds.
    pub p99_ms: Option<(Estimate, Estimate)>,
    /// The longest time that a statement of the load waited for its answer, in milliseconds.
    pub longest_blocked_ms: Option<Estimate>,
}

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
