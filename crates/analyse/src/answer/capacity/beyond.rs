//! What a target would do beyond all that was measured, by a model that is stated, and never as measured.
//!
//! The law of service demand: what a resource gives ÷ what a transaction takes of it is a rate that no load
//! passes, if transactions go on taking so much. What they take is known from the level with the highest
//! throughput. What clients cost one another is known by the law of scalability that describes the curve,
//! where one does: its highest throughput is a limit as well. Of the limits that are known the lowest binds first; there may be others.

use crate::{Analysis, Cell, Metric, TestAnalysis};
use findings::FittedLaw;
use model::{Dataset, Level, Place};
use serde::Serialize;

/// Rates at which the resources of a target that are known end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Beyond {
    /// The level with the highest throughput, whose transactions the model takes.
    pub level: Level,
    /// Throughput there, in transactions per second.
    pub measured: f64,
    /// The lowest first; none where nothing of its machine was seen and no law describes its curve.
    pub limits: Vec<RateLimit>,
}

/// A rate that a resource does not allow to pass.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RateLimit {
    pub resource: LimitedBy,
    /// What there is of it per second: microseconds of processors, IOs or bytes.
    pub capacity: f64,
    /// What a transaction takes of it.
    pub each: f64,
    /// Transactions per second at which it ends: `capacity` ÷ `each`.
    pub rate: f64,
    /// Between which rates it ends, if the transactions of a further trial take as much as one further
    /// trial would measure; absent of a single trial. No upper end where the law may rise for ever.
    pub prediction: Option<(f64, Option<f64>)>,
}

/// What may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitedBy {
    /// The processors of the target's machine.
    Processors,
    /// Reads that its volume is limited to.
    VolumeReads,
    VolumeWrites,
    VolumeReadBytes,
    VolumeWrittenBytes,
    /// What clients wait for one another, by G. M. Amdahl's law: an upper end without a demand.
    Contention,
    /// The same where the Universal Scalability Law describes the curve: its highest throughput.
    ScalabilityLaw,
    /// The same where a law that stays at a ceiling does.
    Ceiling,
}

/// `None` unless the rate lies beyond what the target did in every trial.
pub(super) fn beyond(
    analysis: &Analysis<'_>,
    test: &TestAnalysis,
    target: &str,
    rate: f64,
) -> Option<Beyond> {
    let cells = test.cells.iter().filter(|cell| cell.target == target);
    let throughput = |cell: &Cell| cell.estimate(Metric::Throughput).map(|found| found.point);
    let known = cells.filter_map(|cell| Some((cell, throughput(cell)?)));
    let (cell, measured) = known.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    if rate <= measured {
        return None;
    }
    let mut limits: Vec<RateLimit> = demands(analysis.dataset, cell).collect();
    limits.extend(of_clients(test, target));
    limits.sort_by(|a, b| a.rate.total_cmp(&b.rate));
    Some(Beyond { level: cell.level, measured, limits })
}

/// What clients cost one another: by a law that describes the curve, else by how it rises at its end.
fn of_clients(test: &TestAnalysis, target: &str) -> Option<RateLimit> {
    let limit = |resource, rate: f64, prediction| RateLimit {
        resource,
        capacity: rate,
        each: 1.0,
        rate,
        prediction,
    };
    let law = test.laws.iter().find(|law| law.target == target && law.describes);
    if let Some((law, highest)) = law.and_then(|law| Some((law, law.highest?))) {
        let resource = match law.law {
            FittedLaw::Universal { .. } => LimitedBy::ScalabilityLaw,
            FittedLaw::Saturating { .. } => LimitedBy::Ceiling,
        };
        return Some(limit(resource, highest.point, Some((highest.low, highest.high))));
    }
    let curve = test.curves.iter().find(|curve| curve.target == target)?;
    Some(limit(LimitedBy::Contention, curve.at_most?, None))
}

fn demands<'a>(dataset: &'a Dataset, cell: &'a Cell) -> impl Iterator<Item = RateLimit> + 'a {
    let records = cell.trials.iter().filter_map(|trial| dataset.trials.get(trial.record));
    // Of several machines over the repeats the smallest.
    let cpus = records.filter_map(|record| record.sampling.target_cpus()).min();
    let target = dataset.study.targets.iter().find(|target| target.name == cell.target);
    // What makes the load on a volume takes its processors as well, and is not counted.
    let cpus =
        cpus.filter(|_| target.is_some_and(|target| !matches!(target.place, Place::Storage(_))));
    let limits = target.and_then(|target| match &target.place {
        Place::Sandbox(sandbox) => sandbox.volume.map(|volume| volume.limits),
        _ => None,
    });
    let limits = limits.unwrap_or_default();
    let of = |limit: Option<u64>| limit.map(|limit| limit as f64);
    let all = [
        (LimitedBy::Processors, Metric::HostCpu, cpus.map(|cpus| f64::from(cpus) * 1e6)),
        (LimitedBy::VolumeReads, Metric::DiskReads, of(limits.read_iops)),
        (LimitedBy::VolumeWrites, Metric::DiskWrites, of(limits.write_iops)),
        (LimitedBy::VolumeReadBytes, Metric::DiskReadBytes, of(limits.read_bytes)),
        (LimitedBy::VolumeWrittenBytes, Metric::DiskWrittenBytes, of(limits.write_bytes)),
    ];
    let limit = |(resource, metric, capacity): (LimitedBy, Metric, Option<f64>)| {
        let (capacity, each) = (capacity?, cell.estimate(metric)?.point);
        let at = |each: f64| capacity / each;
        let next = cell.next.get(&metric).filter(|next| next.low > 0.0);
        let prediction = next.map(|next| (at(next.high), Some(at(next.low))));
        (each > 0.0).then(|| RateLimit { resource, capacity, each, rate: at(each), prediction })
    };
    all.into_iter().filter_map(limit)
}
