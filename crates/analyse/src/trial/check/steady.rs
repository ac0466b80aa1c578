//! Check 4: a steady state, with no trend left after the warm-up.

use super::CheckResult;
use crate::ServerEvent;
use crate::cell::events::undisturbed;
use findings::{Drift, SteadyFigure, TooShortForTrend};
use model::{LoadResult, Phase};
use stats::{Estimate, Interval, trend};

/// Confidence that a trend must have. Every trial is tested, so it is above a study's usual one:
/// of a hundred steady trials one may be taken for a drifting one.
const CONFIDENCE: f64 = 0.99;
/// Intervals that this takes (see [`trend`]).
const NEEDED: usize = 7;
/// Longer trials are cut into so many pieces: pairs of pieces are what a trend is made of.
const PIECES: usize = 100;

/// In a steady state throughput scatters around its mean. A trial drifts where there is a trend
/// over the intervals of its measured phase that is significant, and relevant: from the beginning
/// of the phase to its end it comes to the study's margin or more. What a
/// drifting trial measured depends on how long it ran.
///
/// An open loop has the throughput that is offered; there the mean response time must be steady.
/// Short trials cannot be tested, which is said. A trial that lost connections or fell behind its
/// rate is not tested: what happened is a finding of its own; nor is one whose rate changes. Seconds in which the server did
/// background work or an intervention was under way are left out for the same reason: a step down in
/// the middle of a trial and up again is no trend, and a longer warm-up would not fix it.
pub(super) fn results(
    load: &LoadResult,
    events: &[ServerEvent],
    margin: f64,
) -> Option<Vec<CheckResult>> {
    let changes = load.open.as_ref().is_some_and(|open| !open.course.is_empty());
    if changes || !load.outages.is_empty() || load.is_overloaded() {
        return None;
    }
    let figure =
        if load.open.is_some() { SteadyFigure::MeanLatency } else { SteadyFigure::Throughput };
    let intervals = undisturbed(events, whole_intervals(&load.intervals));
    let values: Vec<f64> = intervals.iter().map(|i| value(i, figure)).collect::<Option<_>>()?;
    if values.len() < NEEDED {
        return None;
    }
    let pieces = pieces(&values);
    let mean = pieces.iter().sum::<f64>() / pieces.len() as f64;
    let per_piece = trend(&pieces, CONFIDENCE)?;
    let interval = per_piece.interval?;
    if mean <= 0.0 {
        return None;
    }
    let over_phase = pieces.len() as f64 / mean;
    let significant = interval.low > 0.0 || interval.high < 0.0;
    if !significant || (per_piece.point * over_phase).abs() < margin {
        return Some(Vec::new());
    }
    let change = Estimate {
        point: per_piece.point * over_phase,
        interval: Some(Interval {
            low: interval.low * over_phase,
            high: interval.high * over_phase,
            ..interval
        }),
        n: per_piece.n,
    };
    let evidence = Drift { figure, change };
    Some(vec![CheckResult::suspect(evidence)])
}

/// That the trial was too short for the check; `None` where that is not why it was not made.
pub(super) fn too_short(load: &LoadResult, events: &[ServerEvent]) -> Option<CheckResult> {
    let whole = whole_intervals(&load.intervals);
    let all = whole.len();
    let intervals = undisturbed(events, whole).len();
    let few = all > 0 && intervals < NEEDED;
    (few && load.outages.is_empty() && !load.is_overloaded()).then_some(CheckResult::valid(
        TooShortForTrend { intervals, left_out: all - intervals, needed: NEEDED },
    ))
}

/// The intervals of the measured phase; without the last where it was cut off, because few
/// transactions in little time scatter more than the others do.
fn whole_intervals(intervals: &[model::Interval]) -> Vec<&model::Interval> {
    let measured = || intervals.iter().filter(|interval| interval.phase == Phase::Measure);
    let longest = measured().map(|interval| interval.length).max().unwrap_or_default();
    measured().filter(|i| !i.length.is_zero() && i.length * 2 > longest).collect()
}

fn value(interval: &model::Interval, figure: SteadyFigure) -> Option<f64> {
    match figure {
        SteadyFigure::Throughput => {
            Some(interval.transactions as f64 / interval.length.as_secs_f64())
        }
        SteadyFigure::MeanLatency => interval.latencies.unpack().mean_ms(),
    }
}

/// The values in at most [`PIECES`] groups of neighbours, each as its mean.
fn pieces(values: &[f64]) -> Vec<f64> {
    let size = values.len().div_ceil(PIECES).max(1);
    values.chunks_exact(size).map(|group| group.iter().sum::<f64>() / size as f64).collect()
}
