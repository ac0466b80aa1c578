//! How latency grows with clients where it is all that is known, as of results that others printed:
//! from which level on it rises fastest, and how far one target is behind another as load grows.

use crate::cell::series::Series;
use crate::cell::{CellData, Cells};
use crate::curve::confidence_after_choice;
use crate::{Basis, Metric};
use findings::{Finding, GapAt, LatencyGap, LatencyKnee};
use model::{Level, Study};
use stats::Estimate;

/// How much more than over any step before latency must grow for each doubling of clients. Less is
/// no bend that a reader would see, and with single measurements nothing else tells it from chance.
const STANDS_OUT: f64 = 1.1;

/// Up to how much throughput may grow for each doubling of clients and still count as having all
/// but stopped.
const STOPPED: f64 = 1.1;

/// The bends and gaps of a test that is judged by a latency; none of any other, whose throughput
/// says more.
pub(crate) fn findings(study: &Study, basis: Option<Basis>, cells: &Cells) -> Vec<Finding> {
    let Some(metric) = basis.map(|basis| basis.metric).filter(|metric| is_latency(*metric)) else {
        return Vec::new();
    };
    let knees = study.targets.iter().filter_map(|target| {
        let own: Vec<&CellData> = cells.for_target(&target.name).iter().collect();
        let subject = own.first()?.of_test().on(&target.name);
        Some(Finding::new(subject, knee(study, metric, &own)?))
    });
    let mut metrics = vec![metric];
    metrics.extend((metric != Metric::LatencyMean).then_some(Metric::LatencyMean));
    let pairs = crate::study::each_pair(study);
    let gaps = pairs.flat_map(|pair| metrics.iter().filter_map(move |&m| gap(m, pair, cells)));
    let subject = || cells.first().map(CellData::of_test).unwrap_or_default();
    knees.chain(gaps.map(|gap| Finding::new(subject(), gap))).collect()
}

fn is_latency(metric: Metric) -> bool {
    matches!(metric, Metric::LatencyP95 | Metric::LatencyMean)
}

/// One step between neighbouring levels.
struct Segment<'a> {
    from: &'a CellData<'a>,
    to: &'a CellData<'a>,
    doublings: f64,
    /// Of latency, for each doubling of clients.
    growth: Estimate,
    /// By how much it may be off because of rounding, relative to itself.
    rounding: f64,
}

fn knee(study: &Study, metric: Metric, own: &[&CellData]) -> Option<LatencyKnee> {
    let closed = |cell: &&&CellData| cell.level.rate.is_none() && cell.level.clients > 0;
    let known = |cell: &&&CellData| cell.series(metric).estimate(study.confidence).is_some();
    let points: Vec<&CellData> = own.iter().filter(closed).filter(known).copied().collect();
    let confidence = confidence_after_choice(study.confidence, points.len().max(2) - 1);
    let steps: Vec<Segment> = points
        .windows(2)
        .map(|pair| step(metric, pair[0], pair[1], confidence))
        .collect::<Option<_>>()?;
    let by_growth = |a: &&Segment, b: &&Segment| a.growth.point.total_cmp(&b.growth.point);
    let steepest = steps.iter().max_by(by_growth)?;
    let before = || steps.iter().take_while(|step| step.from.level != steepest.from.level);
    let highest = before().max_by(by_growth)?;
    if !before().all(|step| stands_out(steepest, step)) {
        return None;
    }
    let times = steepest.doublings.exp2();
    let mean = Metric::LatencyMean;
    let of_mean = steepest.to.series(mean).ratio_to(steepest.from.series(mean), study.confidence);
    let throughput = of_mean.map(|ratio| ratio.reciprocal().map(|ratio| ratio * times));
    let at_most = |ratio: Estimate| ratio.interval.map_or(ratio.point, |interval| interval.high);
    Some(LatencyKnee {
        metric,
        from: steepest.from.level,
        to: steepest.to.level,
        growth: steepest.growth,
        growth_before: highest.growth,
        throughput,
        saturated: throughput.is_some_and(|t| at_most(t) <= STOPPED.powf(steepest.doublings)),
    })
}

/// `None` where the levels do not differ, or either has no figure.
fn step<'a>(
    metric: Metric,
    from: &'a CellData<'a>,
    to: &'a CellData<'a>,
    confidence: f64,
) -> Option<Segment<'a>> {
    let doublings = (f64::from(to.level.clients) / f64::from(from.level.clients)).log2();
    let (low, high) = (from.series(metric), to.series(metric));
    let growth = high.ratio_to(low, confidence).filter(|_| doublings > 0.0)?;
    let growth = growth.map(|ratio| ratio.powf(doublings.recip()));
    Some(Segment { from, to, doublings, growth, rounding: low.rounding() + high.rounding() })
}

/// Whether latency grows clearly more over one step than over another: by a tenth whatever the
/// rounding, and with intervals that do not overlap where there are any.
fn stands_out(step: &Segment, other: &Segment) -> bool {
    let apart = match (step.growth.interval, other.growth.interval) {
        (Some(steep), Some(flat)) => steep.low > flat.high,
        (None, None) => true,
        _ => false,
    };
    let rounding = 1.0 + step.rounding + other.rounding;
    apart && step.growth.point > STANDS_OUT * rounding * other.growth.point
}

/// `None` unless every common level was measured once and has the same target ahead, by more than
/// rounding explains.
fn gap(metric: Metric, pair: (&str, &str), cells: &Cells) -> Option<LatencyGap> {
    let of = |name: &str, level: Level| Some(cells.at(name, level)?.series(metric));
    let mut both = Vec::new();
    for level in cells.for_target(pair.0).iter().map(|cell| cell.level) {
        let Some((a, b)) = of(pair.0, level).zip(of(pair.1, level)) else { continue };
        let rounding = 1.0 + a.rounding() + b.rounding();
        let single = |series: &Series| {
            let mut repeats = series.repeats();
            let first = repeats.next()?;
            repeats.next().is_none().then(|| series.at(first))?
        };
        both.push((level, single(a)?, single(b)?, rounding));
    }
    let first_ahead = both.iter().all(|(_, a, b, rounding)| *b > a * rounding);
    let second_ahead = both.iter().all(|(_, a, b, rounding)| *a > b * rounding);
    if both.len() < 2 || !(first_ahead || second_ahead) {
        return None;
    }
    let (ahead, behind) = if first_ahead { pair } else { (pair.1, pair.0) };
    let at = |&(level, a, b, _): &(Level, f64, f64, f64)| GapAt {
        level,
        difference_ms: (a - b).abs(),
        ratio: a.max(b) / a.min(b),
    };
    Some(LatencyGap {
        metric,
        ahead: ahead.to_owned(),
        behind: behind.to_owned(),
        lowest: at(both.first()?),
        highest: at(both.last()?),
    })
}
