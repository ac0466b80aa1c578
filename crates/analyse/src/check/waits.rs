//! Operations that waited longer than any that succeeded, and connections that were lost unnoticed.

use super::CheckResult;
use crate::{FindingKind, Severity, Validity};
use model::LoadResult;
use serde::Serialize;

/// Operations were never answered, while others were: a part of the server or of the storage hung.
/// Where nothing was answered any more the trial failed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unanswered {
    /// Operations that began and were never answered.
    pub operations: u64,
    /// What could be under way at once.
    pub clients: u32,
    /// How long the longest of them waited, in seconds, until they were given up.
    pub longest_seconds: f64,
}

/// Operations that failed in the measured phase, or succeeded only after it, waited far longer than any
/// that succeeded in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LongWaits {
    pub operations: u64,
    /// The longest of them, in seconds.
    pub longest_seconds: f64,
    /// The longest that succeeded in the phase, in seconds; absent where none did.
    pub longest_success_seconds: Option<f64>,
}

/// Connections were lost while they had nothing to do, and made anew: nobody waited for them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IdleConnectionsLost {
    pub connections: u64,
}

impl FindingKind for IdleConnectionsLost {
    fn severity(&self) -> Severity {
        Severity::Notice
    }
}

/// Share of the clients that may hang before the others are another load than the one asked for. As of
/// Little's law.
const VOID_CLIENTS: f64 = 0.20;
/// Waits that are shorter than this share of the measured phase are told by the latencies alone.
const LONG: f64 = 0.10;
/// So many times as long as the longest success.
const FAR_LONGER: f64 = 2.0;

pub(super) fn results(load: &LoadResult) -> Vec<CheckResult> {
    let idle = (load.idle_losses > 0)
        .then(|| CheckResult::valid(IdleConnectionsLost { connections: load.idle_losses }));
    unanswered(load).or_else(|| long(load)).into_iter().chain(idle).collect()
}

fn unanswered(load: &LoadResult) -> Option<CheckResult> {
    let (operations, clients) = (load.ledger.timed_out, load.clients);
    let hung = operations as f64 / f64::from(clients.max(1));
    let validity = if hung > VOID_CLIENTS { Validity::Void } else { Validity::Suspect };
    let longest_seconds = load.waits.max_ms().unwrap_or_default() / 1e3;
    let found = Unanswered { operations, clients, longest_seconds };
    // A server that fell behind is at work on something whenever it is given up.
    (operations > 0 && !load.is_overloaded()).then(|| CheckResult::new(validity, found))
}

fn long(load: &LoadResult) -> Option<CheckResult> {
    let longest_seconds = load.waits.max_ms()? / 1e3;
    let longest_success_seconds = load.succeeded().max_ms().map(|ms| ms / 1e3);
    let far = longest_success_seconds.is_none_or(|most| longest_seconds > FAR_LONGER * most);
    let long = longest_seconds >= LONG * load.measure.elapsed.as_secs_f64();
    let operations = load.waits.count();
    (far && long).then(|| {
        CheckResult::suspect(LongWaits { operations, longest_seconds, longest_success_seconds })
    })
}
