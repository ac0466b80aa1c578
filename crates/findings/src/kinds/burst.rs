//! Rates that last only until something is used up.

use crate::kind::{FindingKind, Group};
use crate::numbers::{self, figure, percent};
use serde::Serialize;
use std::time::Duration;

/// Throughput fell in the measured phase and did not come back: what was there before was a burst.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BurstEnds {
    /// Transactions per second before the fall, the median over the trials that show it.
    pub burst: f64,
    /// And after it, the mean of what was left: of the trial that had the least.
    pub sustained: f64,
    /// How long after the load began it fell: the median over the trials.
    pub after: Duration,
    /// How many trials show it.
    pub trials: usize,
    /// What ran into its limit then; absent where nothing that was seen tells.
    pub cause: Option<BurstCause>,
}

/// What was used up when throughput fell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum BurstCause {
    /// The hypervisor took more of the processors' time, from 0 to 1, than before.
    Steal { before: f64, after: f64 },
    /// The disks did more IOs per second before, and then the same number each second.
    Ios { before: f64, after: f64 },
}

impl FindingKind for BurstEnds {
    const HEADING: &'static str = "Bursts";

    fn say(found: &Group<'_, Self>) -> String {
        let Self { burst, sustained, after, trials, cause } = found.first;
        let why = match cause {
            Some(BurstCause::Steal { before, after }) => format!(
                "from then on the hypervisor took {} of the processors’ time ({} before), as when \
                 processor credits run out",
                percent(*after),
                percent(*before)
            ),
            Some(BurstCause::Ios { before, after }) => format!(
                "from then on the disks did a constant {} IOs/s ({} before), as when IO credits run out",
                figure(*after),
                figure(*before)
            ),
            None => "neither processors nor disks show why".to_owned(),
        };
        format!(
            "throughput fell from {}/s to {}/s {} after the load began, and stayed there, in {}: {why}. \
             Comparisons, rankings, costs and answers use what lasts of it",
            figure(*burst),
            figure(*sustained),
            numbers::duration(*after),
            numbers::counted(*trials, "trial"),
        )
    }
}
