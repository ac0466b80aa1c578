//! Whether repeats are independent of one another.

use crate::cell::CellData;
use crate::{Basis, Finding, FindingKind, Severity, Subject};
use serde::Serialize;

/// Repeats that follow one another resemble each other more than chance explains, so that intervals
/// were widened.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RepeatsAlike {
    /// Lag-1 autocorrelation over the cells of the test, from 0 to 0.95.
    pub autocorrelation: f64,
    /// By what factor the interval of a cell with the most repeats is wider for it.
    pub widening: f64,
    /// The most repeats that a cell has.
    pub repeats: usize,
}

impl FindingKind for RepeatsAlike {
    fn severity(&self) -> Severity {
        Severity::Warning
    }
}

/// Standard deviations beyond which it is said: one test in 700 by chance.
const SAID_FROM: f64 = 3.0;

/// Of the figure that a test is judged by.
pub(crate) fn finding(test: &str, basis: Option<Basis>, cells: &[CellData]) -> Option<Finding> {
    let metric = basis?.metric;
    let all = cells.iter().map(|cell| cell.series(metric));
    let longest = all.max_by_key(|series| series.repeats().count())?;
    let found = longest.autocorrelation().filter(|found| found.score > SAID_FROM)?;
    let repeats = longest.repeats().count();
    let widening = found.widening(repeats as f64);
    let alike = RepeatsAlike { autocorrelation: found.coefficient, widening, repeats };
    Some(Finding::new(Subject::test(test), alike))
}
