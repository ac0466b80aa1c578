//! Rates that last only until something is used up, as credits of processors or volumes.
//!
//! A trial shows one where the operations of each second of its measured phase fall to a lower level and
//! stay there ([`stats::Cliff`]). The throughput of the trial is what was left then: all that is estimated,
//! compared and ranked rests on that. What was used up is known where the hypervisor took more of the
//! processors from then on, or the disks did fewer IOs from then on and always as many.

use super::{CellData, Cells};
use findings::{BurstCause, BurstEnds, Finding, Subject};
use model::{LoadResult, Phase, Sample, TrialRecord, VolumeRates};
use stats::{ChangeFinder, Cliff};
use std::time::Duration;

/// Chance with which a change of level is found where there is none, in seconds that come in any order.
const ALPHA: f64 = 0.001;
/// Most points that a trial is looked at in: of longer ones several seconds are taken together.
const MOST_POINTS: usize = 120;
/// Share of the processors' time that the hypervisor must take more than before.
const STOLEN: f64 = 0.05;
/// By how much the IOs of each second may differ from their mean where they are at a limit, as a
/// coefficient of variation.
const ALWAYS_AS_MANY: f64 = 0.05;
/// Share of the IOs before that there are at most at a limit that credits held off.
const FEWER: f64 = 0.9;
/// Samples on each side without which nothing is said of a cause.
const FEWEST_SAMPLES: usize = 5;

/// What one trial shows.
#[derive(Clone, Debug)]
pub(super) struct Burst {
    /// Operations per second before the fall, the median, and after it, the mean.
    before: f64,
    after: f64,
    /// What was left as a share of the throughput of the whole measured phase.
    pub(super) lasting_share: f64,
    /// Of how many operations that is known.
    pub(super) operations: f64,
    /// From the start of the load.
    at: Duration,
    cause: Option<BurstCause>,
}

/// One for each cell whose trials show one.
pub(crate) fn findings(test: &str, cells: &Cells<'_>) -> Vec<Finding> {
    let of_cell = |cell: &CellData<'_>| {
        let subject = Subject::test(test).on(cell.target).at(cell.level);
        Some(Finding::new(subject, cell.burst()?))
    };
    cells.iter().filter_map(of_cell).collect()
}

impl CellData<'_> {
    /// What its trials that count show of a burst; `None` where none of them shows one.
    pub(crate) fn burst(&self) -> Option<BurstEnds> {
        let bursts: Vec<&Burst> = self.usable().filter_map(|trial| trial.burst.as_ref()).collect();
        let median = |value: &dyn Fn(&Burst) -> f64| {
            let mut values: Vec<f64> = bursts.iter().map(|burst| value(burst)).collect();
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied()
        };
        let sustained = bursts.iter().map(|burst| burst.after).min_by(f64::total_cmp)?;
        Some(BurstEnds {
            burst: median(&|burst| burst.before)?,
            sustained,
            after: Duration::try_from_secs_f64(median(&|burst| burst.at.as_secs_f64())?).ok()?,
            trials: bursts.len(),
            cause: bursts.iter().find_map(|burst| burst.cause),
        })
    }
}

/// What a trial shows; `None` where nothing fell, and where its rate was changed on purpose.
pub(super) fn of_trial(record: &TrialRecord) -> Option<Burst> {
    // A server that went away used nothing up, and one that came back has cold caches.
    let load = record.load().filter(|load| load.slices.is_empty() && load.outages.is_empty())?;
    let has_course = load.open.as_ref().is_some_and(|open| !open.course.is_empty());
    if has_course || record.key.level.search.is_some() {
        return None;
    }
    // What is done to a target while it is measured has its own before and after.
    if !record.outcome().is_some_and(|outcome| outcome.marks.is_empty()) {
        return None;
    }
    model::deadline::look();
    let points = points(load);
    let rates: Vec<f64> = points.iter().map(|point| point.operations / point.seconds).collect();
    let cliff = Cliff::find(&rates, &mut ChangeFinder::new(ALPHA, record.seed))?;
    let at = points.get(cliff.at)?.start;
    // In the second of the fall itself there is some of both.
    let (operations, seconds) = sums(points.get(cliff.at + 1..)?);
    let (all_operations, all_seconds) = sums(&points);
    let after = operations / seconds;
    Some(Burst {
        before: cliff.before,
        after,
        lasting_share: after / (all_operations / all_seconds),
        operations,
        at,
        cause: cause(record, load, at.as_secs_f64()),
    })
}

/// A second of the measured phase, or several.
struct Point {
    start: Duration,
    operations: f64,
    seconds: f64,
}

/// Operations and seconds of all of them.
fn sums(points: &[Point]) -> (f64, f64) {
    let operations = points.iter().map(|point| point.operations).sum();
    (operations, points.iter().map(|point| point.seconds).sum())
}

fn points(load: &LoadResult) -> Vec<Point> {
    let measured: Vec<_> = load
        .intervals
        .iter()
        .filter(|one| one.phase == Phase::Measure && !one.length.is_zero())
        .collect();
    let together = measured.len().div_ceil(MOST_POINTS).max(1);
    let point = |part: &[&model::Interval]| {
        let seconds = part.iter().map(|one| one.length.as_secs_f64()).sum();
        let operations = part.iter().map(|one| one.transactions as f64).sum();
        Some(Point { start: part.first()?.start, operations, seconds })
    };
    measured.chunks(together).filter_map(point).collect()
}

fn cause(record: &TrialRecord, load: &LoadResult, at: f64) -> Option<BurstCause> {
    let sampling = &record.sampling;
    let samples = sampling.target_samples();
    let (from, until) = (
        load.warmup.elapsed.as_secs_f64(),
        (load.warmup.elapsed + load.measure.elapsed).as_secs_f64(),
    );
    let begin = |sample: &Sample| sample.at_seconds - sample.length.as_secs_f64();
    let before: Vec<&Sample> =
        samples.iter().filter(|one| begin(one) >= from && one.at_seconds <= at).collect();
    // In the second of the fall itself there is some of both.
    let after: Vec<&Sample> =
        samples.iter().filter(|one| begin(one) >= at + 1.0 && one.at_seconds <= until).collect();
    if before.len() < FEWEST_SAMPLES || after.len() < FEWEST_SAMPLES {
        return None;
    }
    let steal = |part: &[&Sample]| mean(part.iter().map(|one| one.cpu.steal));
    let (stolen_before, stolen) = (steal(&before), steal(&after));
    if stolen - stolen_before >= STOLEN {
        return Some(BurstCause::Steal { before: stolen_before, after: stolen });
    }
    let disks = sampling.target_disks();
    let ios = |part: &[&Sample]| {
        let of = |one: &&Sample| Some(VolumeRates::sampled(one, &disks)?.together.ios());
        part.iter().map(of).collect::<Option<Vec<f64>>>()
    };
    let (did_before, did) = (ios(&before)?, ios(&after)?);
    let (mean_before, mean_after) = (mean(did_before.into_iter()), mean(did.iter().copied()));
    let variance = mean(did.iter().map(|ios| (ios - mean_after).powi(2)));
    let is_limit =
        variance.sqrt() <= ALWAYS_AS_MANY * mean_after && mean_after <= FEWER * mean_before;
    is_limit.then_some(BurstCause::Ios { before: mean_before, after: mean_after })
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0.0), |(sum, n), value| (sum + value, n + 1.0));
    if n > 0.0 { sum / n } else { 0.0 }
}
