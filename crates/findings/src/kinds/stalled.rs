//! Trials in which nothing succeeded.

use crate::Severity;
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::counted;

/// In some trials of a cell that count throughput was zero. No ratio can be taken of that, so that the
/// cell is compared with no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Stalled {
    pub stalled: usize,
    /// Trials that count, those included.
    pub trials: usize,
}

impl FindingKind for Stalled {
    const HEADING: &'static str = "Nothing succeeded";

    fn severity(&self) -> Severity {
        Severity::Severe
    }

    fn is_like(&self, other: &Self) -> bool {
        self == other
    }

    fn say(found: &Group<'_, Self>) -> String {
        let Self { stalled, trials } = *found.first;
        format!(
            "nothing succeeded in {stalled} of {}: throughput was zero there, so no ratio can be \
             taken and nothing is compared",
            counted(trials, "repeat")
        )
    }
}
