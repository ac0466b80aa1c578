//! A fixed amount of work that did not end in its time.

use super::CheckResult;
use findings::WorkCutShort;
use model::{LoadResult, Test};

pub(super) fn result(test: Option<&Test>, load: &LoadResult) -> Option<CheckResult> {
    let test = test?;
    let order = test.load()?;
    let asked = order.operations.filter(|&asked| load.ended() < asked)?;
    Some(CheckResult::valid(WorkCutShort {
        done: load.ended(),
        asked,
        time_limit: order.duration,
        counted: test.operation(),
    }))
}
