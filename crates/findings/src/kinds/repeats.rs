//! Whether repeats are independent of one another.

use crate::Severity;
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::figure;

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
    const HEADING: &'static str = "Repeats that resemble each other";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn say(found: &Group<'_, Self>) -> String {
        let Self { autocorrelation, widening, repeats } = found.first;
        format!(
            "repeats that follow one another resemble each other (autocorrelation {}): something \
             changes slowly in the background, such as a neighbour on the machine, or rows of imported \
             results are sorted; this makes intervals of {repeats} repeats {} times as wide; \
             repeats that are further apart in time would give narrower ones",
            figure(*autocorrelation),
            figure(*widening)
        )
    }
}
