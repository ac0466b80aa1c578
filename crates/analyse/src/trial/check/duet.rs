//! Whether what was to be loaded at once was.

use super::CheckResult;
use findings::LoadedAlone;
use model::{Dataset, TrialRecord};

/// A pair of trials of different moments shares no disturbance.
pub(super) fn result(dataset: &Dataset, record: &TrialRecord) -> Option<CheckResult> {
    let has_part = !record.sampling.account.processor_use.apart.is_empty();
    let is_alone = dataset.study.duet && has_part && record.side_by_side.is_none();
    is_alone.then_some(CheckResult::suspect(LoadedAlone))
}
