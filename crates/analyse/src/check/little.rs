//! Check 1: Little's law.

use super::Doubt;
use crate::{Evidence, Validity};
use model::LoadResult;

/// Clients may be idle for this share of their time before it casts doubt: between a reply and
/// the next request the client needs some microseconds, a few per cent of the shortest
/// statements.
const SUSPECT: f64 = 0.05;
/// Beyond this, throughput and latency cannot both be right.
const VOID: f64 = 0.20;

/// In a closed loop without think time every client has a transaction under way at all times, so
/// throughput × mean latency is the number of clients (J. D. C. Little, *Operations Research* 9,
/// 1961, for a steady state).
///
/// A window of finite length adds an error at its edges: a transaction under way when the window
/// began counts with its whole latency, one under way when it ended does not count. Each client
/// has at most one of either, so the sum of latencies is off by at most clients × the longest
/// latency, which is longest latency ÷ window of the whole. Both limits are wider by that share.
///
/// Too many busy clients are impossible. Too few can also be the time spent in transactions that
/// failed, of which no latency is known (one lock wait may last for most of the window): then the
/// trial is suspect at most, and its errors are a finding of their own. Without any latency nothing
/// is known: the trial is void.
pub(super) fn doubts(clients: u32, load: &LoadResult) -> Vec<Doubt> {
    let throughput = load.measure.transactions_per_second();
    let latency_mean_ms = load.latencies.mean_ms().unwrap_or(0.0);
    let busy_clients = throughput * latency_mean_ms / 1e3;
    let deviation = busy_clients / f64::from(clients.max(1)) - 1.0;

    let longest_ms = load.latencies.max_ms().unwrap_or(0.0);
    let window_ms = load.measure.elapsed.as_secs_f64() * 1e3;
    let edge = if window_ms > 0.0 { longest_ms / window_ms } else { 0.0 };
    let explained_by_failures = deviation < 0.0 && load.measure.errors > 0;

    let validity = if busy_clients == 0.0 {
        Validity::Void
    } else if deviation.abs() <= SUSPECT + edge {
        return Vec::new();
    } else if deviation.abs() <= VOID + edge || explained_by_failures {
        Validity::Suspect
    } else {
        Validity::Void
    };
    let evidence = Evidence::LittlesLaw { clients, throughput, latency_mean_ms, busy_clients };
    vec![Doubt { validity, evidence }]
}
