//! Whether repeats are independent of one another.

use crate::Basis;
use crate::cell::CellData;
use findings::{Finding, RepeatsAlike, Subject};

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
