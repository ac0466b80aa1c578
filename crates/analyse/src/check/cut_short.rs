//! A fixed amount of work that did not end in its time.

use super::CheckResult;
use crate::{FindingKind, Severity};
use model::{Dataset, LoadResult, TrialRecord, UnitName};
use serde::Serialize;
use std::time::Duration;

/// A load of so many operations ended at its time limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WorkCutShort {
    /// Operations that were done.
    pub done: u64,
    /// Operations that the test asks for.
    pub asked: u64,
    /// The limit.
    pub time_limit: Duration,
    /// What the operations are called.
    pub counted: UnitName,
}

impl FindingKind for WorkCutShort {
    /// The reader is warned, since the time for all of it is missing. Rates are as good as any.
    fn severity(&self) -> Severity {
        Severity::Warning
    }
}

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
