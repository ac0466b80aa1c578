//! Check 1: Little's law.

use super::{CheckResult, client_delay};
use findings::{LittlesLaw, Validity};
use model::LoadResult;

/// Share of the clients' time that may be unaccounted for before the trial is suspect.
const SUSPECT: f64 = 0.05;
/// Beyond this, throughput and latency cannot both be right.
const VOID: f64 = 0.20;

/// In a closed loop every client either has a transaction under way or is on its way from a reply
/// to the next request (or is held back before it by a limit or a sync of its virtual machine), or
/// pauses by its own will, in a transaction or after it (`think_time`, `\sleep`), so
/// throughput × (mean latency + mean client delay + mean pause) is the number of clients
/// (J. D. C. Little, *Operations Research* 9, 1961, for a steady state). `None` for an open loop,
/// whose clients are idle whenever nothing is due.
///
/// A window of finite length adds an error at its edges: a transaction under way when the window
/// began counts with its whole latency, one under way when it ended does not count. Each client
/// has at most one of either, so the sum of latencies is off by at most clients × the longest
/// latency, which is longest latency ÷ window of the whole. Both limits are wider by that share.
///
/// Too many busy clients are impossible. Too few can also be the time spent in transactions that
/// failed, of which no latency is known (one lock wait may last for most of the window), or
/// without a connection: then the trial is suspect at most, and its errors or its outage are a
/// finding of their own. Without any latency nothing is known: the trial is void.
///
/// Pauses are counted where they overlap the window, and have no error at its edges. What a client has done
/// in one before the window is in it with its latency, and that is in the limits already.
pub(super) fn results(clients: u32, load: &LoadResult) -> Option<Vec<CheckResult>> {
    if load.open.is_some() {
        return None;
    }
    let throughput = load.measure.transactions_per_second();
    // The law holds of what went through: what waited in vain, or is waited for still, is lost time.
    let succeeded = load.succeeded();
    let latency_mean_ms = succeeded.mean_ms().unwrap_or(0.0);
    let client_delay_mean_ms = client_delay::mean_ms(load) + client_delay::held_mean_ms(load);
    let pause_mean_ms = client_delay::pause_mean_ms(load);
    let served_clients = throughput * (latency_mean_ms + client_delay_mean_ms) / 1e3;
    let busy_clients = served_clients + throughput * pause_mean_ms / 1e3;
    let deviation = busy_clients / f64::from(clients.max(1)) - 1.0;

    let longest_ms = succeeded.max_ms().unwrap_or(0.0);
    let window_ms = load.measure.elapsed.as_secs_f64() * 1e3;
    // Every slice has edges of its own.
    let windows = load.slices.len().max(1) as f64;
    let edge = if window_ms > 0.0 { windows * longest_ms / window_ms } else { 0.0 };
    let lost = load.measure.errors > 0 || !load.outages.is_empty();
    let explained_by_failures = deviation < 0.0 && lost;

    let validity = if served_clients == 0.0 {
        Validity::Void
    } else if deviation.abs() <= SUSPECT + edge {
        return Some(Vec::new());
    } else if deviation.abs() <= VOID + edge || explained_by_failures {
        Validity::Suspect
    } else {
        Validity::Void
    };
    let evidence = LittlesLaw {
        clients,
        throughput,
        latency_mean_ms,
        client_delay_mean_ms,
        pause_mean_ms,
        busy_clients,
    };
    Some(vec![CheckResult::new(validity, evidence)])
}
