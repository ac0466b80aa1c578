//! Throughput along the levels of one target.

use model::Level;
use stats::Estimate;
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{self, times};
use crate::place::{at, levels};

/// Where a target's throughput is highest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Peak {
    pub throughput: Estimate,
    /// Other levels, in order, whose throughput is not clearly below it.
    pub as_high: Vec<Level>,
    /// Whether the curve still rises at the highest level of the test.
    pub still_rising: bool,
    /// Levels above the highest with data, ascending: trials failed, are void or were not run.
    pub without_data: Vec<Level>,
}

impl FindingKind for Peak {
    const HEADING: &'static str = "Peaks";
    const NAMES_LEVEL: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let Self { throughput, as_high, still_rising, without_data } = found.first;
        let rises = *still_rising
            && without_data.is_empty()
            && !found.level().is_some_and(|level| level.is_open());
        let ties = match as_high.as_slice() {
            [] => String::new(),
            // The last step is a rise, and a level further down is as high as far as repeats tell.
            _ if rises => format!(
                "; over the last step it still rises, so the true peak may lie beyond, although at {} \
                 it cannot be told from this",
                levels(as_high)
            ),
            _ => format!("; it is not clearly lower at {}", levels(as_high)),
        };
        let beyond = if !without_data.is_empty() {
            format!(
                "; no trial at {} counts, so throughput beyond is not known",
                levels(without_data)
            )
        } else if rises && as_high.is_empty() {
            "; it still rises at the highest level measured, so the true peak may lie beyond"
                .to_owned()
        } else {
            String::new()
        };
        format!(
            "throughput is highest{}, with {}{ties}{beyond}",
            found.level().map_or(String::new(), at),
            numbers::estimate(throughput, &format!("{}/s", found.counted)),
        )
    }
}

/// Throughput falls after the peak.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decline {
    /// Where the peak is.
    pub peak: Level,
    /// Throughput at the subject's level over throughput at the peak.
    pub ratio: Estimate,
}

impl FindingKind for Decline {
    const HEADING: &'static str = "Decline after the peak";
    const NAMES_LEVEL: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let Self { peak, ratio } = found.first;
        format!(
            "throughput falls after its peak at {peak}{} {}",
            found.level().map_or(" to".to_owned(), |level| format!("; at {level} it is")),
            times(ratio, "the peak"),
        )
    }
}
