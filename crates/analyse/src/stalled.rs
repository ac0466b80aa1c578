//! Trials in which nothing succeeded.

use crate::cell::CellData;
use crate::{Basis, Finding, FindingKind, Metric, Severity, Subject};
use serde::Serialize;

/// In some trials of a cell that count throughput was zero. No ratio can be taken of that, so that the
/// cell is compared with no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Stalled {
    pub stalled: usize,
    /// Trials that count, those included.
    pub trials: usize,
}

impl FindingKind for Stalled {
    fn severity(&self) -> Severity {
        Severity::Severe
    }
}

/// One for each such cell.
pub(crate) fn findings(test: &str, basis: Option<Basis>, cells: &[CellData]) -> Vec<Finding> {
    if basis.is_none_or(|basis| basis.metric != Metric::Throughput) {
        return Vec::new();
    }
    let of_cell = |cell: &CellData| {
        let (stalled, trials) = (cell.stalled(), cell.series(Metric::Throughput).values().count());
        let subject = Subject::test(test).on(cell.target).at(cell.level);
        (stalled > 0).then(|| Finding::new(subject, Stalled { stalled, trials }))
    };
    cells.iter().filter_map(of_cell).collect()
}
