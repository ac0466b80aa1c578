//! Clocks that jump in the middle of a trial.

use super::CheckResult;
use findings::ClockJumped;
use model::TrialRecord;

pub(super) fn result(record: &TrialRecord) -> Option<CheckResult> {
    let seconds = record.clock_jump_ms? as f64 / 1e3;
    Some(CheckResult::suspect(ClockJumped { seconds }))
}
