//! Check 3: the client was not the bottleneck.

use super::{Doubt, generators, imitated, turnaround};
use crate::{Evidence, Validity};
use model::LoadResult;

/// Share of the processor time that the client may use, of one thread or of all that it may run
/// on, above which it may have been the client that was measured (method R38).
const BUSY: f64 = 0.8;
/// Share of the window for which no reply was looked at, in one stretch, above which the client
/// held up the load: as much as Little's law lets pass.
const LAG: f64 = 0.05;

pub(super) fn doubts(clients: u32, load: &LoadResult) -> Vec<Doubt> {
    let late = turnaround::doubt(clients, load);
    busy(load).into_iter().chain(late).chain(generators::doubt(load)).collect()
}

fn busy(load: &LoadResult) -> Option<Doubt> {
    let client = &load.client;
    let window = load.measure.elapsed.as_secs_f64();
    let available = window * f64::from(client.cpus_allowed);
    let share_of_allowed = if available > 0.0 { client.cpu_seconds / available } else { 0.0 };
    // A thread that had no more processor time because its virtual machines were to have none is no
    // bottleneck of weighin's.
    let at_ease = (client.busiest_worker <= BUSY && share_of_allowed <= BUSY)
        || imitated::is_short_of_processors(load);
    let own_lag = client.max_loop_lag.saturating_sub(imitated::longest_hold(load));
    if at_ease && own_lag.as_secs_f64() <= LAG * window {
        return None;
    }
    let evidence = Evidence::ClientBusy {
        busiest_worker: client.busiest_worker,
        share_of_allowed,
        max_loop_lag: client.max_loop_lag,
    };
    Some(Doubt { validity: Validity::Suspect, evidence })
}
