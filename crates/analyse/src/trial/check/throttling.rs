//! Check 6: nothing held the processors back.

use super::CheckResult;
use findings::{Overheated, Throttled, ThrottledProcess, Validity};
use model::{Sampling, Throttling};

/// Share of periods in which a process was throttled that is no more than a notice: a burst at the
/// start of a load.
const NOTICE: f64 = 0.05;

/// Server and load generator against the limits of their control groups, and processors against
/// heat. A limit on the server may be what the study is about; it is in the results all the same,
/// and whoever compares targets must know of it. What holds virtual machines to their processors is
/// not among these: it is in a group of its own, whose account is in the load.
pub(super) fn results(sampling: &Sampling) -> Vec<CheckResult> {
    let account = &sampling.account;
    let of = |process: ThrottledProcess, throttling: Option<Throttling>| {
        let throttling = throttling.filter(|limit| limit.throttled > 0)?;
        let share = throttling.share();
        let validity = if share > NOTICE { Validity::Suspect } else { Validity::Valid };
        Some(CheckResult::new(validity, Throttled { process, share }))
    };
    let others = sampling.target_host.as_deref().into_iter().chain(&sampling.load_hosts);
    let hot = [(None, account.thermal_events)]
        .into_iter()
        .chain(others.map(|other| (Some(other.host.clone()), other.thermal_events)));
    let hot = hot.filter_map(|(host, events)| {
        let events = events.filter(|&events| events > 0)?;
        Some(CheckResult::suspect(Overheated { host, events }))
    });
    of(ThrottledProcess::Server, account.server_throttling)
        .into_iter()
        .chain(of(ThrottledProcess::Client, account.client_throttling))
        .chain(hot)
        .collect()
}
