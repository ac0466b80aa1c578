//! Check 6: the machine was the load's own while it measured.

use super::window::Window;
use super::{CheckResult, throttling};
use crate::events::in_sample;
use crate::{Evidence, FindingKind, ServerEvent, Validity};
use model::{CpuShares, LoadResult, Sample, Sampling};
use serde::Serialize;

/// The hypervisor took processor time from this host during a trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Steal {
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
    /// Mean share of all processors' time, 0 to 1.
    pub share: f64,
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

/// Processor time that the hypervisor stole, that other processes took or that was withheld;
/// `None` when nothing was sampled, or nothing speaks against the trial but the server runs elsewhere, so that other
/// processes cannot be told from it. `cpus` is the number of this host's processors, 0 where
/// unknown.
pub(super) fn results(
    sampling: &Sampling,
    events: &[ServerEvent],
    load: &LoadResult,
    cpus: u32,
) -> Option<Vec<CheckResult>> {
    let samples = &sampling.samples;
    let window = Window::of(load);
    let steal = window.mean_share(samples, |cpu| cpu.steal)?;
    let others = others(samples, events, window, cpus);
    let judged = |share: f64, suspect| {
        if share > suspect { Validity::Suspect } else { Validity::Valid }
    };
    let mut results = throttling::results(sampling);
    if steal > NOTICE_STEAL {
        let validity = judged(steal, SUSPECT_STEAL);
        results.push(CheckResult::new(validity, Steal { share: steal }));
    }
    if let Some(share) = others.filter(|&share| share > NOTICE_OTHERS) {
        let validity = judged(share, SUSPECT_OTHERS);
        results.push(CheckResult::new(validity, OtherProcesses { share }));
    }
    (others.is_some() || !results.is_empty()).then_some(results)
}

/// What was in use less what server, replicas and client used; `None` without the server. Readings of host and processes are a moment apart, so that the
/// difference may come out a little below zero. Samples of the time in which the server had a child
/// process are left out: what that one used is the server's own doing.
fn others(samples: &[Sample], events: &[ServerEvent], window: Window, cpus: u32) -> Option<f64> {
    let of_all = |sample: &Sample| {
        if in_sample(events, sample) {
            return None;
        }
        let replicas = sample.replicas.map_or(0.0, |replicas| replicas.cpus);
        let ours = sample.server?.cpus + replicas + sample.client.cpus;
        Some(sample.cpu.busy() - ours / f64::from(cpus))
    };
    window.mean(samples, of_all).filter(|_| cpus > 0)
}

/// A host saturated by client and server together. That is a notice: in a closed loop with both on
/// one host it is how every sweep ends, and it is what limits throughput there; a separate load
/// host would measure something else.
pub(super) fn saturation(samples: &[Sample], load: &LoadResult) -> Option<CheckResult> {
    let shared = samples.iter().any(|sample| sample.server.is_some());
    let busy = Window::of(load).mean_share(samples, CpuShares::busy)?;
    (shared && busy > SATURATED).then_some(CheckResult::valid(HostSaturated { busy }))
}
