//! Check 6: the machine was the load's own while it measured.

use super::{CheckResult, throttling};
use crate::ServerEvent;
use crate::cell::events::in_sample;
use findings::{HostSaturated, NamedShare, OtherProcesses, OthersNotSeen, Steal, Validity};
use model::{CpuShares, LoadResult, NamedUse, ProcessorUse, Sample, Sampling, Window};

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
/// How many of the others are named.
const NAMED: usize = 3;
/// Share below which none is.
const NAMED_FROM: f64 = 0.005;
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
    let own = sampling.target_host.as_deref();
    let is_idle = !sampling.load_hosts.is_empty()
        && sampling.samples.iter().all(|sample| sample.server.is_none());
    // A machine that neither makes the load nor has the server matters to none.
    let here = (!is_idle).then(|| Machine {
        host: None,
        samples: &sampling.samples,
        cpus: cpus.load_host,
        no_server: own.is_some(),
        processor_use: &sampling.account.processor_use,
    });
    let mut machines: Vec<Machine<'_>> = here.into_iter().collect();
    machines.extend(sampling.load_hosts.iter().map(|load_host| Machine {
        host: Some(&load_host.host),
        samples: &load_host.samples,
        cpus: load_host.facts.as_ref().map_or(0, |facts| facts.cpus),
        no_server: true,
        processor_use: &load_host.processor_use,
    }));
    machines.extend(own.map(|own| Machine {
        host: Some(&own.host),
        samples: &own.samples,
        cpus: cpus.target_host,
        no_server: false,
        processor_use: &own.processor_use,
    }));
    let window = Window::for_load(load);
    let mut results = throttling::results(sampling);
    let mut all_known = true;
    for machine in &machines {
        let steal = window.mean_share(machine.samples, |cpu| cpu.steal)?;
        let same: Vec<&Machine<'_>> =
            machines.iter().filter(|other| machine.is_under_another_name(other)).collect();
        let others = machine.others(&same, events, &window);
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
            let most = machine.most(&same);
            results.push(CheckResult::new(validity, OtherProcesses { host, share, most }));
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
    processor_use: &'a ProcessorUse,
}

impl Machine<'_> {
    /// What was in use less [`Sample::own_cpus`]; `None` where the server's process
    /// was not seen. Readings of host and processes are a moment apart, so that the difference may
    /// come out a little below zero. Samples of the time in which the server had a child process are
    /// left out: what that one used is the server's own doing.
    ///
    /// `same` is this machine under other names: what the server and weighin's processes that are known
    /// by those used is not the others' either.
    fn others(
        &self,
        same: &[&Machine<'_>],
        events: &[ServerEvent],
        window: &Window,
    ) -> Option<f64> {
        let of_all = |sample: &Sample| {
            if in_sample(events, sample) {
                return None;
            }
            if sample.server.is_none() && !self.no_server {
                return None;
            }
            Some(sample.cpu.busy() - sample.own_cpus() / f64::from(self.cpus))
        };
        let own = |sample: &Sample| Some(sample.own_cpus());
        let there = same.iter().filter_map(|other| window.mean(other.samples, own));
        let there = there.sum::<f64>() / f64::from(self.cpus);
        window.mean(self.samples, of_all).filter(|_| self.cpus > 0).map(|share| share - there)
    }

    /// Whether another is the same machine, reached by another name.
    fn is_under_another_name(&self, other: &Machine<'_>) -> bool {
        let boot = |of: &Machine<'_>| of.processor_use.boot.clone();
        self.host != other.host && boot(self).is_some() && boot(self) == boot(other)
    }

    /// Who of the others used most.
    fn most(&self, same: &[&Machine<'_>]) -> Vec<NamedShare> {
        let known = same.iter().flat_map(|other| &other.processor_use.processes);
        let ours: Vec<&NamedUse> = known.filter(|process| process.is_ours).collect();
        let others = self.processor_use.processes.iter();
        let others = others
            .filter(|process| !process.is_ours && !ours.iter().any(|one| one.name == process.name));
        let shares = others.map(|process| NamedShare {
            name: process.shown().into_owned(),
            share: process.cpus / f64::from(self.cpus.max(1)),
        });
        let mut shares: Vec<NamedShare> =
            shares.filter(|named| named.share >= NAMED_FROM).collect();
        shares.sort_by(|a, b| b.share.total_cmp(&a.share));
        shares.truncate(NAMED);
        shares
    }
}

/// A host saturated by client and server together. That is a notice: in a closed loop with both on
/// one host it is how every sweep ends, and it is what limits throughput there; a separate load
/// host would measure something else.
pub(super) fn saturation(samples: &[Sample], load: &LoadResult) -> Option<CheckResult> {
    let shared = samples.iter().any(|sample| sample.server.is_some());
    let busy = Window::for_load(load).mean_share(samples, CpuShares::busy)?;
    (shared && busy > SATURATED).then_some(CheckResult::valid(HostSaturated { busy }))
}
