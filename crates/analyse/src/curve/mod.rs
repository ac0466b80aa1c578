//! Throughput along the levels of one target.

pub(crate) mod crossing;
pub(crate) mod growth;
pub(crate) mod knee;
pub(crate) mod law;

use crate::Metric;
use crate::cell::series::Series;
use crate::cell::{CellData, Cells};
use crate::compare::peer::Contender;
use findings::{Decline, Finding, Peak, Subject};
use model::{Level, Study};
use serde::Serialize;
use stats::{Estimate, Interval, Ratio, Relation};

/// The rise towards the end of a curve is taken over so many times the clients, if it has such levels.
const AT_LEAST_APART: f64 = 4.0;

/// Throughput against level for one target.
#[derive(Clone, Debug, Serialize)]
pub struct Curve {
    pub target: String,
    /// The level with the highest median throughput; of equal ones the lowest.
    pub peak: Level,
    /// Throughput there, in transactions per second. The lower end of its interval makes up for the choice
    /// of the level, so that it may be lower than that of the level by itself.
    pub peak_throughput: Estimate,
    /// What throughput would not pass however many clients there were, in transactions per second, if it
    /// rises no longer than by G. M. Amdahl's law: an upper end at the study's confidence. `None` where
    /// levels are rates or above all that have data, or throughput still rises too fast to say.
    pub at_most: Option<f64>,
    /// Levels whose throughput is not clearly below it, in order, the peak included.
    pub level_with_peak: Vec<Level>,
    /// What the curve does up to the highest level that has data.
    pub shape: CurveShape,
    /// Levels of the test above that one, ascending: all trials there failed, are void or were
    /// not run.
    pub without_data: Vec<Level>,
}

/// What a throughput curve does after its peak.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum CurveShape {
    /// One level only: no curve.
    SinglePoint,
    /// The peak is the highest level measured, and clearly above the one before it: the true
    /// peak may lie beyond.
    StillRising,
    /// The peak is the highest level that has data, and clearly above the one before it, but
    /// levels above were tried and have none: it may be the end of what the target can do.
    CutShort,
    /// Throughput at the highest level measured is the same, within the study's margin, as at the
    /// peak (as at the level before it, where the highest level is itself the peak).
    Flat,
    /// The highest level measured is clearly below the peak.
    Declines {
        /// The highest level measured.
        at: Level,
        /// Throughput there over throughput at the peak. Its confidence is above the study's
        /// where the peak was picked from more than two levels.
        ratio: Estimate,
    },
    /// The repeats are too few, or scatter too much, to tell.
    Unresolved,
}

/// A target's curve with the repeats that it came from.
pub(crate) struct CurveData {
    pub(crate) curve: Curve,
    /// The levels that have data, ascending.
    pub(crate) points: Vec<Point>,
    /// The place of the peak among the points.
    pub(crate) index: usize,
}

/// One level of a curve.
pub(crate) struct Point {
    pub(crate) level: Level,
    pub(crate) series: Series,
    pub(crate) throughput: Estimate,
    /// Whether none of its trials was seen to drift.
    pub(crate) steady: bool,
    /// Whether throughput is at least what was seen: a rate was offered, and not every trial fell
    /// behind it.
    pub(crate) at_least: bool,
}

impl CurveData {
    /// The repeats at the peak.
    pub(crate) fn series(&self) -> &Series {
        &self.points[self.index].series
    }

    /// Whether the target may do more than it did at its peak, where it was offered no more.
    pub(crate) fn is_at_least(&self) -> bool {
        self.points[self.index].at_least
    }

    /// The target at its peak.
    pub(crate) fn contender(&self) -> Contender<'_> {
        Contender {
            target: &self.curve.target,
            level: self.curve.peak,
            series: self.series(),
            choices: self.curve.level_with_peak.len(),
        }
    }
}

/// One for each target with an estimate, in the order of the study.
pub(crate) fn peaks(study: &Study, cells: &Cells) -> Vec<CurveData> {
    let curves =
        study.targets.iter().filter(|target| !cells.for_target(&target.name).is_empty()).count();
    let own = |target: &str| peak(study, target, cells.for_target(target), curves);
    study.targets.iter().filter_map(|target| own(&target.name)).collect()
}

/// One of so many curves, all of which may decline by chance.
fn peak(study: &Study, target: &str, own: &[CellData], curves: usize) -> Option<CurveData> {
    let points: Vec<Point> = own
        .iter()
        .filter_map(|cell| {
            let series = cell.series(Metric::Throughput);
            let throughput = series.estimate(study.confidence)?;
            let series = series.clone();
            let at_least = cell.level.rate.is_some() && cell.keeps_up();
            Some(Point {
                level: cell.level,
                series,
                throughput,
                steady: cell.is_steady(),
                at_least,
            })
        })
        .collect();
    // `rev`: of equal maxima `max_by` takes the last, and the lowest level is wanted.
    let (index, top) = points
        .iter()
        .enumerate()
        .rev()
        .max_by(|(_, a), (_, b)| a.throughput.point.total_cmp(&b.throughput.point))?;
    let last = points.last()?.level;
    let without_data: Vec<Level> =
        own.iter().map(|cell| cell.level).filter(|&l| l > last).collect();
    let shape = match shape(&points, index, study, curves) {
        CurveShape::StillRising if !without_data.is_empty() => CurveShape::CutShort,
        shape => shape,
    };
    let to_top: Vec<(Level, Option<Ratio>)> =
        points.iter().map(|point| (point.level, point.series.ratio(&top.series))).collect();
    let level_with_peak = level_with(&to_top, study.margin, study.confidence);
    let guarded = 1.0 - (1.0 - study.confidence) / points.len() as f64;
    let choices = level_with(&to_top, study.margin, guarded).len();
    let at_most = without_data.is_empty().then(|| at_most(&points, study.confidence)).flatten();
    let curve = Curve {
        target: target.to_owned(),
        peak: top.level,
        at_most: at_most.filter(|_| level_with_peak.contains(&last)),
        peak_throughput: highest_of(top, choices, study.confidence),
        level_with_peak,
        shape,
        without_data,
    };
    Some(CurveData { curve, points, index })
}

/// Throughput at the level that measured highest of so many that may be the peak, of which the luckiest
/// was taken. Were all of them equal, it would be above what it is too often: the lower end gives way as
/// if each of them had an interval (Bonferroni); the upper end needs no more, as the true peak is no lower
/// than any of them.
fn highest_of(top: &Point, choices: usize, confidence: f64) -> Estimate {
    let guarded = top.series.estimate(1.0 - (1.0 - confidence) / choices.max(1) as f64);
    let low = guarded.and_then(|estimate| estimate.interval).map(|interval| interval.low);
    let interval = top.throughput.interval.map(|interval| Interval {
        low: low.map_or(interval.low, |low| low.min(interval.low)),
        ..interval
    });
    Estimate { interval, ..top.throughput }
}

/// The most that throughput may come to with any number of clients, as far as the rise over the last
/// levels tells. Where throughput N clients have is proportional to N ÷ (N + h) (G. M. Amdahl's law), what
/// two levels have gives what there is at the end of it all: X₂ (r − 1) ÷ (r − g) with r = N₂ ÷ N₁ and
/// g = X₂ ÷ X₁; of a curve that bends more sharply, or that falls, this is more than it comes to. Both X₂
/// and g are taken at their upper ends, each of which errs in half of what is left.
fn at_most(points: &[Point], confidence: f64) -> Option<f64> {
    let closed = |point: &&Point| point.level.rate.is_none() && point.level.clients > 0;
    let (last, before) = points.split_last().filter(|(last, _)| closed(last))?;
    let clients = |point: &Point| f64::from(point.level.clients);
    // Further apart, scatter counts for less; near the end, the curve bends the least.
    let before = || before.iter().filter(closed).rev();
    let far = before().find(|point| clients(last) >= AT_LEAST_APART * clients(point));
    let first = far.or_else(|| before().next_back())?;
    let confidence = confidence_after_choice(confidence, 2);
    let high = |estimate: Option<Estimate>| Some(estimate?.interval?.high);
    let most = high(last.series.estimate(confidence))?;
    let (times, grew) =
        (clients(last) / clients(first), high(last.series.ratio_to(&first.series, confidence))?);
    (grew < times).then(|| most * (times - 1.0) / (times - grew))
}

/// The levels that are not clearly below the peak.
fn level_with(to_peak: &[(Level, Option<Ratio>)], margin: f64, confidence: f64) -> Vec<Level> {
    let is_below = |ratio: &Ratio| ratio.relation(margin, confidence) == Relation::Smaller;
    let is_with = |(_, ratio): &&(Level, Option<Ratio>)| !ratio.as_ref().is_some_and(is_below);
    to_peak.iter().filter(is_with).map(|(level, _)| *level).collect()
}

/// What becomes of throughput towards the highest level that has data.
///
/// Picking the peak by its median favours a level that was lucky, so a flat curve with noise seems
/// to fall from its "peak". The claim of a decline is held to the confidence that makes up for
/// the choice and for all other curves of the test ([`confidence_after_choice`]), a rise, which compares
/// two fixed levels, to the latter; flatness needs no such guard, as luck works against it.
fn shape(points: &[Point], peak: usize, study: &Study, curves: usize) -> CurveShape {
    let (Some(last), true) = (points.last(), points.len() > 1) else {
        return CurveShape::SinglePoint;
    };
    let peak_is_last = peak + 1 == points.len();
    let before = if peak_is_last { peak - 1 } else { peak };
    let relation = |confidence| {
        let ratio = last.series.ratio_to(&points[before].series, confidence);
        ratio.map(|ratio| (ratio.relation(study.margin), ratio))
    };
    if !peak_is_last {
        let confidence = confidence_after_choice(study.confidence, (points.len() - 1) * curves);
        if let Some((Relation::Smaller, ratio)) = relation(confidence) {
            return CurveShape::Declines { at: last.level, ratio };
        }
    }
    if matches!(relation(study.confidence), Some((Relation::Equivalent, _))) {
        return CurveShape::Flat;
    }
    match relation(confidence_after_choice(study.confidence, curves)) {
        Some((Relation::Larger, _)) if peak_is_last => CurveShape::StillRising,
        _ => CurveShape::Unresolved,
    }
}

/// The confidence at which to compare with the best of `choices`, so that a one-sided claim is
/// wrong with at most 1 − `confidence` altogether (Bonferroni): each comparison errs on one side
/// with half of what its interval leaves. Never below `confidence`.
pub(crate) fn confidence_after_choice(confidence: f64, choices: usize) -> f64 {
    confidence.max(1.0 - 2.0 * (1.0 - confidence) / choices as f64)
}

/// The peak of every curve that has more than one level, and the decline after it.
pub(crate) fn findings(test: &str, peaks: &[CurveData]) -> Vec<Finding> {
    let curves = peaks.iter().map(|peak| &peak.curve);
    curves
        .filter(|curve| curve.shape != CurveShape::SinglePoint || !curve.without_data.is_empty())
        .flat_map(|curve| {
            let subject = |level| Subject::test(test).on(&curve.target).at(level);
            let peak = Peak {
                throughput: curve.peak_throughput,
                as_high: curve
                    .level_with_peak
                    .iter()
                    .filter(|level| **level != curve.peak)
                    .copied()
                    .collect(),
                still_rising: curve.shape == CurveShape::StillRising,
                without_data: curve.without_data.clone(),
            };
            let decline = match curve.shape {
                CurveShape::Declines { at, ratio } => {
                    Some(Finding::new(subject(at), Decline { peak: curve.peak, ratio }))
                }
                _ => None,
            };
            [Finding::new(subject(curve.peak), peak)].into_iter().chain(decline)
        })
        .collect()
}
