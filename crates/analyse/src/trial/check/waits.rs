//! Operations that waited longer than any that succeeded, and connections that were lost unnoticed.

use super::CheckResult;
use findings::{IdleConnectionsLost, LongWaits, Unanswered, Validity};
use model::LoadResult;

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
