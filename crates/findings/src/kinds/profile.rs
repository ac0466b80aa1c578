//! Rates of a load profile that a target did not serve at once.

use crate::kind::{FindingKind, Group};
use crate::numbers::{self, figure};
use serde::Serialize;

/// The rate that took a target longest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RateNotServed {
    /// Operations offered per second.
    pub rate: f64,
    /// And before that; absent where it is the first.
    pub before: Option<f64>,
    /// After how many seconds it was served in the trial in the middle; absent where most trials never
    /// did.
    pub after_seconds: Option<f64>,
    /// How long it was offered.
    pub length_seconds: f64,
    /// Operations that failed until then, in all trials.
    pub errors: u64,
    pub trials: usize,
}

impl FindingKind for RateNotServed {
    const HEADING: &'static str = "Load over time";

    fn say(found: &Group<'_, Self>) -> String {
        let Self { rate, before, after_seconds, length_seconds, errors, trials } = found.first;
        let rate = figure(*rate);
        let step = match before {
            Some(before) => format!("after the step from {}/s", figure(*before)),
            None => "as the first rate".to_owned(),
        };
        let served = match after_seconds {
            Some(after) => format!("{rate}/s were served from {} s on {step}", figure(*after)),
            None => format!(
                "{rate}/s were not served {step}, in the {} s that they were offered",
                figure(*length_seconds)
            ),
        };
        let failed = match errors {
            0 => "nothing failed until then".to_owned(),
            _ => format!("{} failed until then", numbers::counted(*errors as usize, "operation")),
        };
        format!("{served} (median of {}); {failed}", numbers::counted(*trials, "trial"))
    }
}
