//! What the client takes for itself between a reply and its next request.

use super::{CheckResult, imitated};
use findings::ClientDelay;

use model::LoadResult;

/// Share of its clients' time that the load generator may take before the load is no longer the
/// one that was asked for: so many clients without think time.
const LATE: f64 = 0.25;

/// Mean time from a reply to the next request of the same client in the measured phase, in
/// milliseconds; 0 where there was no transaction, and in an open loop, which has no such time.
pub(super) fn mean_ms(load: &LoadResult) -> f64 {
    match load.measure.transactions {
        0 => 0.0,
        transactions => load.client.client_delay_seconds * 1e3 / transactions as f64,
    }
}

/// Mean time for which clients paused by their own will, for each transaction, in milliseconds. 0 where
/// there was no transaction.
pub(super) fn pause_mean_ms(load: &LoadResult) -> f64 {
    match load.measure.transactions {
        0 => 0.0,
        transactions => load.client.paused_seconds * 1e3 / transactions as f64,
    }
}

/// Mean time for which what a virtual machine could have begun was throttled by its limit or its
/// sync, for each transaction, in milliseconds: part of the load that was asked for, unlike the
/// client delay. 0 where there are no virtual machines.
pub(super) fn held_mean_ms(load: &LoadResult) -> f64 {
    match (&load.fleet, load.measure.transactions) {
        (Some(fleet), 1..) => fleet.blocked_seconds * 1e3 / load.measure.transactions as f64,
        _ => 0.0,
    }
}

/// A client's cycle, from one request to the next, is clients ÷ throughput; over the measured
/// phase the cycles of all clients together are clients × its length. Virtual machines that have no
/// processor to go on with are late as they were to be.
pub(super) fn result(clients: u32, load: &LoadResult) -> Option<CheckResult> {
    let time_of_all = f64::from(clients) * load.measure.elapsed.as_secs_f64();
    let share = load.client.client_delay_seconds / time_of_all;
    let late = load.open.is_none() && share.is_finite() && share > LATE;
    let late = late && !imitated::is_short_of_processors(load);
    late.then(|| CheckResult::suspect(ClientDelay { share, mean_ms: mean_ms(load) }))
}
