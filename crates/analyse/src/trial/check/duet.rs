//! Whether what was to be loaded at once was, and had all processors alike.

use super::CheckResult;
use findings::{LoadedAlone, ProcessorsHeldUnevenly};
use model::{Dataset, TrialRecord};

/// From which share of the measured time on that a set of processors was held too long or too briefly it is
/// said: with sets of which one has half the speed of the other, a tenth makes a seventh of the rate.
const UNEVEN: f64 = 0.1;

/// A pair of trials of different moments shares no disturbance, nor does one of other processors.
pub(super) fn results(dataset: &Dataset, record: &TrialRecord) -> Vec<CheckResult> {
    let Some(own) = record.sampling.account.processor_use.apart.as_ref() else { return Vec::new() };
    if !dataset.study.duet {
        return Vec::new();
    }
    let is_alone = record.side_by_side.is_none();
    let alone = is_alone.then_some(CheckResult::suspect(LoadedAlone));
    let share = own.unevenness(dataset.study.servers().count());
    let uneven = (share > UNEVEN).then(|| CheckResult::suspect(ProcessorsHeldUnevenly { share }));
    alone.into_iter().chain(uneven).collect()
}
