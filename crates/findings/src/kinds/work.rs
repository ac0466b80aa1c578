//! Work that was less than it seems: a fixed amount that did not end in its time, and transactions that asked
//! nothing of the server.

use model::UnitName;
use crate::Severity;
use serde::Serialize;
use std::time::Duration;
use crate::kind::{FindingKind, Group};
use crate::numbers::{count, duration, number_of, percent};

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

/// Transactions ended without a statement, by the branches of their scripts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NothingSent {
    /// Transactions of the measured phase.
    pub transactions: u64,
    /// Those without a statement, at least: any of the others may have sent several.
    pub empty: u64,
}

impl FindingKind for NothingSent {
    const HEADING: &'static str = "Transactions without a statement";

    /// The reader is warned: it is the load that was asked for.
    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn say(found: &Group<'_, Self>) -> String {
        let all = found.iter().map(|one| one.transactions).sum::<u64>();
        let empty = found.iter().map(|one| one.empty).sum::<u64>();
        format!(
            "at least {} of {} transactions ({}) sent no statement, as their scripts branch past all of them: \
             throughput and latencies count them, and say so much less of the server",
            count(empty),
            count(all),
            percent(empty as f64 / all.max(1) as f64),
        )
    }
}
