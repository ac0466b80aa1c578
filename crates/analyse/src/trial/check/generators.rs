//! Several load generators shared the load as they were meant to.

use super::CheckResult;
use findings::{MadeWithout, StartSpread, UnevenLoad, UnevenStart};
use model::{GeneratorShare, LoadResult, RemoteHost, Sampling, Study, Test, TrialRecord};

/// Which machines made no part of a load although the study names them for it.
pub(super) fn absent(
    study: &Study,
    test: Option<&Test>,
    record: &TrialRecord,
    load: &LoadResult,
) -> Option<CheckResult> {
    let planned = test?.load()?;
    let target = study.measured().find(|target| target.name == record.key.target)?;
    let took_part = |host: &RemoteHost| {
        load.generators.iter().any(|share| share.host.as_ref() == Some(&host.name))
    };
    let absent =
        planned.load_hosts(target).iter().filter(|host| !host.required && !took_part(host));
    let hosts: Vec<String> = absent.map(|host| host.name.clone()).collect();
    (!hosts.is_empty()).then(|| CheckResult::valid(MadeWithout { hosts }))
}

/// Share of the measured time that the parts may have begun apart: as long, at either end, fewer of
/// them load the server than the test says.
const APART: f64 = 0.01;

/// The spread of the true beginnings of a load that other machines make; `None` where none does.
pub fn start_spread(load: &LoadResult, sampling: &Sampling) -> Option<StartSpread> {
    if sampling.load_hosts.is_empty() {
        return None;
    }
    let late = || load.generators.iter().map(|share| share.begun_late.as_secs_f64());
    let (first, last) = (late().reduce(f64::min)?, late().reduce(f64::max)?);
    let mut clocks: Vec<f64> = sampling
        .load_hosts
        .iter()
        .map(|load_host| {
            load_host
                .clock_before
                .uncertainty_seconds
                .max(load_host.clock_after.uncertainty_seconds)
        })
        .collect();
    clocks.sort_by(|a, b| b.total_cmp(a));
    // Parts of one machine begin by one clock.
    let uncertainty_seconds = if clocks.len() < 2 { 0.0 } else { clocks.iter().take(2).sum() };
    Some(StartSpread { seconds: last - first, uncertainty_seconds })
}

/// A spread that is too large for what was measured.
pub(super) fn spread_result(load: &LoadResult, sampling: &Sampling) -> Option<CheckResult> {
    let spread = start_spread(load, sampling)?;
    let measured_seconds = load.measure.elapsed.as_secs_f64();
    let most = spread.seconds + spread.uncertainty_seconds;
    let uneven = UnevenStart { spread, measured_seconds };
    (most > APART * measured_seconds).then_some(CheckResult::suspect(uneven))
}

/// How far a generator's transactions may lie from its fair share, relative to that share.
const UNEVEN: f64 = 0.2;
/// Standard deviations of a Poisson variable by which they may lie from it by chance.
const STANDARD_DEVIATIONS: f64 = 3.0;

/// The generator that was furthest from its fair share of the transactions, where that is too far:
/// the load was not the one of many clients alike that was asked for. Volumes of several machines are
/// as fast as they are.
pub(super) fn result(load: &LoadResult) -> Option<CheckResult> {
    if load.fleet.is_some() && load.generators.iter().any(|share| share.host.is_some()) {
        return None;
    }
    let far = |place: usize, share: &GeneratorShare| {
        let fair = fair(load, share);
        let off = share.transactions as f64 - fair;
        let tolerated = (UNEVEN * fair).max(STANDARD_DEVIATIONS * fair.sqrt());
        let uneven = UnevenLoad {
            generator: place as u32 + 1,
            generators: load.generators.len() as u32,
            transactions: share.transactions,
            fair,
        };
        (off.abs() > tolerated).then_some((off.abs() / fair, uneven))
    };
    let shares = load.generators.iter().enumerate();
    let all = shares.filter_map(|(place, share)| far(place, share));
    let (_, worst) = all.max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    Some(CheckResult::suspect(worst))
}

/// Transactions that a generator should have: in a closed loop in proportion to its clients; at a
/// rate as many as every other, since arrivals are divided evenly.
fn fair(load: &LoadResult, share: &GeneratorShare) -> f64 {
    let all: u64 = load.generators.iter().map(|share| share.transactions).sum();
    let part = match load.open {
        None => f64::from(share.clients) / f64::from(load.clients.max(1)),
        Some(_) => 1.0 / load.generators.len() as f64,
    };
    all as f64 * part
}
