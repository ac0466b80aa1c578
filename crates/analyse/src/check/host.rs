//! Check 6: the machine was the load's own while it measured.

use super::window::Window;
use super::{CheckResult, throttling};
use crate::events::in_sample;
use crate::{Evidence, FindingKind, ServerEvent, Validity};
use model::{CpuShares, LoadResult, Sample, Sampling};
use serde::Serialize;

/// The hypervisor took processor time from a host during a trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Steal {
    /// The target's own host, or one that makes the load, by its name in the study; absent for the one
    /// that weighin ran on.
    pub host: Option<String>,
    /// Mean share of all processors' time, 0 to 1.
    pub share: f64,
}

/// Client and server shared the processors of one host, which were nearly all in use.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostSaturated {
    /// Mean share of all processors' time in use, 0 to 1.
    pub busy: f64,
}

impl FindingKind for HostSaturated {
    fn of_cell(&self, trials: &[&Evidence]) -> Option<Evidence> {
        let shares = || trials.iter().filter_map(|trial| Some(trial.get::<Self>()?.busy));
        Some(Self { busy: shares().sum::<f64>() / shares().count().max(1) as f64 }.into())
    }
}

/// Check 6: processes that are neither server nor client took processor time of their host.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OtherProcesses {
    /// As [`Steal::host`].
    pub host: Option<String>,
    /// Mean share of all processors' time, 0 to 1.
    pub share: f64,
}

/// Check 6 could not be made: the processor time of the server's process was not seen, or that of no
/// machine at all.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OthersNotSeen;

impl FindingKind for OthersNotSeen {
    fn of_cell(&self, _trials: &[&Evidence]) -> Option<Evidence> {
        Some(self.clone().into())
    }
}

/// Stolen share of processor time worth a notice.
const NOTICE_STEAL: f64 = 0.01;
/// Stolen share of processor time above which differences of the usual size may be the
/// hypervisor's.
const SUSPECT_STEAL: f64 = 0.05;
/// Share of processor time that other processes may take before it is worth a notice: what a
/// machine does for itself.
const NOTICE_OTHERS: f64 = 0.05;
/// Share above which they may have slowed down what was measured.
const SUSPECT_OTHERS: f64 = 0.10;
/// Share of processor time in use above which there was none left to speak of.
const SATURATED: f64 = 0.95;

/// How many processors a load's machines have; 0 where unknown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cpus {
    pub(super) load_host: u32,
    /// Of the target's own.
    pub(super) target_host: u32,
}

/// Processor time that the hypervisor stole, that other processes took or that was withheld, on the
/// machines that make the load and on the target's own; `None` when nothing was sampled, or nothing
/// speaks against the trial but the server's process was not seen, so that other processes cannot be
/// told from it.
pub(super) fn results(
    sampling: &Sampling,
    events: &[ServerEvent],
    load: &LoadResult,
    cpus: Cpus,
) -> Option<Vec<CheckResult>> {
    let own = sampling.target_host.as_ref();
    let is_idle = !sampling.load_hosts.is_empty()
        && sampling.samples.iter().all(|sample| sample.server.is_none());
    // A machine that neither makes the load nor has the server matters to none.
    let here = (!is_idle).then(|| Machine {
        host: None,
        samples: &sampling.samples,
        cpus: cpus.load_host,
        no_server: own.is_some(),
    });
    let mut machines: Vec<Machine<'_>> = here.into_iter().collect();
    machines.extend(sampling.load_hosts.iter().map(|maker| Machine {
        host: Some(&maker.host),
        samples: &maker.samples,
        cpus: maker.facts.as_ref().map_or(0, |facts| facts.cpus),
        no_server: true,
    }));
    machines.extend(own.map(|own| Machine {
        host: Some(&own.host),
        samples: &own.samples,
        cpus: cpus.target_host,
        no_server: false,
    }));
    let window = Window::of(load);
    let mut results = throttling::results(sampling);
    let mut all_known = true;
    for machine in machines {
        let steal = window.mean_share(machine.samples, |cpu| cpu.steal)?;
        let others = machine.others(events, window);
        all_known &= others.is_some();
        let judged = |share: f64, suspect| {
            if share > suspect { Validity::Suspect } else { Validity::Valid }
        };
        let host = machine.host.cloned();
        if steal > NOTICE_STEAL {
            let validity = judged(steal, SUSPECT_STEAL);
            results.push(CheckResult::new(validity, Steal { host: host.clone(), share: steal }));
        }
        if let Some(share) = others.filter(|&share| share > NOTICE_OTHERS) {
            let validity = judged(share, SUSPECT_OTHERS);
            results.push(CheckResult::new(validity, OtherProcesses { host, share }));
        }
    }
    (all_known || !results.is_empty()).then_some(results)
}

/// That check 6 could not be made: nothing contradicts the trial, and nothing confirms it.
pub(super) fn not_seen() -> CheckResult {
    CheckResult::valid(OthersNotSeen)
}

/// A machine while a load ran.
struct Machine<'a> {
    /// As [`Steal::host`].
    host: Option<&'a String>,
    samples: &'a [Sample],
    cpus: u32,
    /// The server is known to be on another.
    no_server: bool,
}

impl Machine<'_> {
    /// What was in use less what server, replicas and client used; `None` where the server's process
    /// was not seen. Readings of host and processes are a moment apart, so that the difference may
    /// come out a little below zero. Samples of the time in which the server had a child process are
    /// left out: what that one used is the server's own doing.
    fn others(&self, events: &[ServerEvent], window: Window) -> Option<f64> {
        let of_all = |sample: &Sample| {
            if in_sample(events, sample) {
                return None;
            }
            let server = match sample.server {
                Some(server) => server.cpus,
                None if self.no_server => 0.0,
                None => return None,
            };
            let replicas = sample.replicas.map_or(0.0, |replicas| replicas.cpus);
            let ours = server + replicas + sample.client.cpus;
            Some(sample.cpu.busy() - ours / f64::from(self.cpus))
        };
        window.mean(self.samples, of_all).filter(|_| self.cpus > 0)
    }
}

/// A host saturated by client and server together. That is a notice: in a closed loop with both on
/// one host it is how every sweep ends, and it is what limits throughput there; a separate load
/// host would measure something else.
pub(super) fn saturation(samples: &[Sample], load: &LoadResult) -> Option<CheckResult> {
    let shared = samples.iter().any(|sample| sample.server.is_some());
    let busy = Window::of(load).mean_share(samples, CpuShares::busy)?;
    (shared && busy > SATURATED).then_some(CheckResult::valid(HostSaturated { busy }))
}
