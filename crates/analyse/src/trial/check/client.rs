//! Check 3: the client was not the bottleneck.

use super::{CheckResult, client_delay, generators, imitated};
use findings::{ClientBusy, LoadHostBusy};
use model::{CpuShares, LoadResult, Sampling, Window};

const BUSY: f64 = ClientBusy::BUSY;
/// Share of the window for which no reply was looked at, in one stretch, above which the client
/// held up the load: as much as Little's law lets pass.
const LAG: f64 = 0.05;

pub(super) fn results(clients: u32, load: &LoadResult, sampling: &Sampling) -> Vec<CheckResult> {
    let late = client_delay::result(clients, load);
    let hosts = load_hosts(load, sampling);
    let spread = generators::spread_result(load, sampling);
    let results = busy(load).into_iter().chain(hosts).chain(late);
    results.chain(generators::result(load)).chain(spread).collect()
}

/// Machines that make the load and were nearly all in use: each had its part to make. Of processors that
/// virtual machines had used up as was asked for nothing is said.
fn load_hosts(load: &LoadResult, sampling: &Sampling) -> Vec<CheckResult> {
    if imitated::is_short_of_processors(load) {
        return Vec::new();
    }
    let window = Window::for_load(load);
    let busy = sampling.load_hosts.iter().filter_map(|load_host| {
        let busy = window.mean_share(&load_host.samples, CpuShares::busy)?;
        (busy > BUSY).then(|| LoadHostBusy { host: load_host.host.clone(), busy })
    });
    busy.map(CheckResult::suspect).collect()
}

fn busy(load: &LoadResult) -> Option<CheckResult> {
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
    let evidence = ClientBusy {
        busiest_worker: client.busiest_worker,
        share_of_allowed,
        max_loop_lag: client.max_loop_lag,
    };
    Some(CheckResult::suspect(evidence))
}
