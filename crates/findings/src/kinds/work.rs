//! A fixed amount of work that did not end in its time.

use model::UnitName;
use crate::Severity;
use serde::Serialize;
use std::time::Duration;
use crate::kind::{FindingKind, Group};
use crate::numbers::{count, duration, number_of};

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
    const HEADING: &'static str = "Work not finished";

    /// The reader is warned, since the time for all of it is missing. Rates are as good as any.
    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn say(found: &Group<'_, Self>) -> String {
        let Self { asked, time_limit, counted, .. } = *found.first;
        let done = |cut: &Self| cut.done;
        let least = found.iter().map(done).min().unwrap_or_default();
        let most = found.iter().map(done).max().unwrap_or_default();
        let done = match least == most {
            true => count(least),
            false => format!("{} to {}", count(least), count(most)),
        };
        format!(
            "the time limit of {} ended the load after {done} of {}: the time for all of them is not \
             known, and throughput is that of what was done",
            duration(time_limit),
            number_of(asked, counted),
        )
    }
}
