//! Clocks that jump in the middle of a trial.

use super::CheckResult;
use model::TrialRecord;
use serde::Serialize;

/// The time of day was set while the trial ran, or the machine was suspended. Latencies and rates are
/// by another clock, which is never set; what is found by the time of day may be wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClockJumped {
    /// By how much, in seconds; above 0 where it was set forward.
    pub seconds: f64,
}

pub(super) fn result(record: &TrialRecord) -> Option<CheckResult> {
    let seconds = record.clock_jump_ms? as f64 / 1e3;
    Some(CheckResult::suspect(ClockJumped { seconds }))
}
