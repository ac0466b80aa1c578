//! Trials in which nothing succeeded.

use crate::cell::CellData;
use crate::{Basis, Metric};
use findings::{Finding, Stalled, Subject};

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
