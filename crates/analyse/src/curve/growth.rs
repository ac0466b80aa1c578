//! How a target's throughput grows with clients.

use crate::curve::{CurveData, Point, confidence_after_choice};
use findings::{Finding, Growth, Subject};
use model::{Level, Study};
use stats::{Estimate, Relation};

/// Fewest levels that have a shape.
const MIN_LEVELS: usize = 3;

/// For each target whose curve has enough levels and of which something can be said. In open loops
/// the offered rate decides the throughput, so there is no growth.
pub(crate) fn growth(study: &Study, peaks: &[CurveData]) -> Vec<Growth> {
    let closed = |peak: &&CurveData| {
        let levels = || peak.points.iter().map(|point| point.level);
        peak.points.len() >= MIN_LEVELS && levels().all(|l| l.rate.is_none() && l.clients > 0)
    };
    let found = peaks.iter().filter(closed).map(|peak| of_target(study, peak));
    found.filter(Growth::says_something).collect()
}

fn of_target(study: &Study, peak: &CurveData) -> Growth {
    let (linear_up_to, below_ideal_from) = linear(study, &peak.points);
    Growth {
        target: peak.curve.target.clone(),
        linear_up_to,
        below_ideal_from,
        knee: knee(study, &peak.points),
        plateau: plateau(study, peak),
        declines_from: declines_from(study, peak),
        margin: study.margin,
    }
}

/// Up to where growth is in proportion, and from where it surely is not.
///
/// Efficiency is throughput for each client over that at the lowest level. A loss of one margin
/// for each doubling is allowed: whoever calls two targets that differ by 3 % the same will call
/// twice as much less 3 % twice as much.
fn linear(study: &Study, points: &[Point]) -> (Option<Level>, Option<Level>) {
    let Some((first, rest)) = points.split_first() else { return (None, None) };
    let (mut up_to, mut below_from) = (None, None);
    for point in rest {
        let times = clients(point) / clients(first);
        let allowed = (1.0 + study.margin).powf(-times.log2());
        let ratio = point.series.ratio_to(&first.series, study.confidence);
        let Some(interval) = ratio.and_then(|r| r.map(|ratio| ratio / times).interval) else {
            continue;
        };
        if interval.high < allowed {
            below_from = Some(point.level);
            break;
        }
        if interval.low >= allowed {
            up_to = Some(point.level);
        }
    }
    (up_to, below_from)
}

/// The levels whose power, throughput ÷ latency, cannot be told from the highest. By Little's law
/// latency is clients ÷ throughput, so that power is throughput² ÷ clients.
fn knee(study: &Study, points: &[Point]) -> Vec<Level> {
    let power = |point: &Point| point.throughput.point.powi(2) / clients(point);
    let Some(best) = points.iter().max_by(|a, b| power(a).total_cmp(&power(b))) else {
        return Vec::new();
    };
    let confidence = confidence_after_choice(study.confidence, points.len() - 1);
    let below = |point: &Point| {
        let ratio = point.series.ratio_to(&best.series, confidence);
        let power = |ratio: Estimate| ratio.map(|r| r * r * clients(best) / clients(point));
        ratio.is_some_and(|ratio| power(ratio).relation(study.margin) == Relation::Smaller)
    };
    let maybe: Vec<Level> = points
        .iter()
        .filter(|point| point.level == best.level || !below(point))
        .map(|point| point.level)
        .collect();
    let ends = [points.first(), points.last()].map(|end| end.map(|point| point.level));
    if maybe.iter().any(|level| ends.contains(&Some(*level))) { Vec::new() } else { maybe }
}

/// The neighbours of the peak that are the same as it. Which of equal levels was the luckiest does
/// not matter: luck works against equivalence.
fn plateau(study: &Study, peak: &CurveData) -> Option<(Level, Level)> {
    let top = &peak.points[peak.index];
    let same = |point: &&Point| {
        let relation = point.series.relation_to(&top.series, study.margin, study.confidence);
        relation == Some(Relation::Equivalent)
    };
    let (before, after) = (&peak.points[..peak.index], &peak.points[peak.index + 1..]);
    let first = before.iter().rev().take_while(same).last().unwrap_or(top);
    let last = after.iter().take_while(same).last().unwrap_or(top);
    (first.level < last.level).then_some((first.level, last.level))
}

/// From where on every level is below the peak, at a confidence that makes up for its choice.
fn declines_from(study: &Study, peak: &CurveData) -> Option<Level> {
    let top = &peak.points[peak.index];
    let confidence = confidence_after_choice(study.confidence, peak.points.len() - 1);
    let lower = |point: &&Point| {
        let relation = point.series.relation_to(&top.series, study.margin, confidence);
        relation == Some(Relation::Smaller)
    };
    let after = &peak.points[peak.index + 1..];
    after.iter().rev().take_while(lower).last().map(|point| point.level)
}

fn clients(point: &Point) -> f64 {
    point.level.clients.into()
}

/// One for each target.
pub(crate) fn findings(test: &str, growth: &[Growth]) -> Vec<Finding> {
    let finding =
        |growth: &Growth| Finding::new(Subject::test(test).on(&growth.target), growth.clone());
    growth.iter().map(finding).collect()
}
