//! A fixed amount of work that did not end in its time.

use super::CheckResult;
use findings::WorkCutShort;
use model::{Dataset, LoadResult, TrialRecord};

pub(super) fn result(
    dataset: &Dataset,
    record: &TrialRecord,
    load: &LoadResult,
) -> Option<CheckResult> {
    let test = dataset.study.test(&record.key.test)?;
    let order = test.load()?;
    let asked = order.operations.filter(|&asked| load.ended() < asked)?;
    Some(CheckResult::valid(WorkCutShort {
        done: load.ended(),
        asked,
        time_limit: order.duration,
        counted: test.operation(),
    }))
}
