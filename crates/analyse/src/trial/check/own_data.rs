//! What a trial left of the data of a workload of the user's own.

use super::CheckResult;
use findings::{InvariantBroken, InvariantsHold};
use model::TrialRecord;

/// Nothing of trials whose data nobody looked at.
pub(super) fn results(record: &TrialRecord) -> Vec<CheckResult> {
    let Some(state) = record.outcome().and_then(|outcome| outcome.data.as_ref()) else {
        return Vec::new();
    };
    let broken = state.broken.iter().map(|broken| {
        CheckResult::void(InvariantBroken {
            invariant: broken.name.clone(),
            gives: broken.gives.clone(),
            came: broken.came.clone(),
        })
    });
    let held = (state.checked > 0 && state.broken.is_empty())
        .then(|| CheckResult::valid(InvariantsHold { invariants: state.checked }));
    broken.chain(held).collect()
}
