//! Targets against each other, level by level.

pub(crate) mod factor;
pub(crate) mod family;
pub(crate) mod floor;
pub(crate) mod items;
pub(crate) mod overall;
pub(crate) mod path;
pub(crate) mod peer;

use crate::cell::{CellData, Cells};
use crate::compare::family::Compared;
use crate::study::each_pair;
use crate::{Basis, Comparison, Metric, OverallComparison, Strength, TestAnalysis};
use findings::{
    BelowNoiseFloor, BetterAtLevels, EquivalentAtLevels, Evidence, Finding, OverallResult, Subject,
    UnresolvedAtLevels, Verdict,
};
use model::{Better, Level, ReadBudget, Study, Test};
use stats::{Estimate, Interval};
use std::collections::HashMap;

/// Every pair of targets, at every level where both have data, in the order of the study.
pub(crate) fn comparisons(
    study: &Study,
    test: &Test,
    basis: Basis,
    cells: &Cells,
    budget: &ReadBudget,
) -> Vec<Compared<Comparison>> {
    let mut comparisons = Vec::new();
    for (baseline, candidate) in each_pair(study) {
        if budget.charge(0).is_err() {
            break;
        }
        for &level in test.levels() {
            let both = cells.at(baseline, level).zip(cells.at(candidate, level));
            let Some(both) = both else { continue };
            for metric in basis.all_compared() {
                comparisons.extend(compare(study, both, metric));
            }
        }
    }
    comparisons
}

fn compare(
    study: &Study,
    (baseline, candidate): (&CellData, &CellData),
    metric: Metric,
) -> Option<Compared<Comparison>> {
    let base = baseline.series(metric);
    let ratio = candidate.series(metric).ratio(base)?;
    let of = Comparison {
        baseline: baseline.target.to_owned(),
        candidate: candidate.target.to_owned(),
        level: baseline.level,
        metric,
        base: base.estimate(study.confidence)?,
        means: candidate.series(metric).means(base, ratio.point),
        ratio: ratio.bare(),
        verdict: Verdict::Unresolved,
        strength: Strength::default(),
    };
    Some(Compared { of, ratio })
}

/// However a family moved a ratio, the figures beside it are those that give it.
pub(crate) fn keep_means(comparisons: &mut [Comparison], overall: &mut [OverallComparison]) {
    for one in comparisons {
        one.means = one.means.giving(one.ratio.point);
    }
    for one in overall {
        one.means = one.means.giving(one.ratio.point);
    }
}

/// Takes back how many more repeats would resolve what is not, where repeats of either target lie far
/// off: by what scatter is left without them the next ones are no more likely to be as it is supposed.
pub(crate) fn plan_without_outliers(
    comparisons: &mut [Comparison],
    overall: &mut [OverallComparison],
    cells: &Cells,
) {
    let far_off = |target: &str, level: Level, metric: Metric| {
        cells.at(target, level).is_some_and(|cell| cell.series(metric).has_outliers())
    };
    for one in comparisons.iter_mut().filter(|one| one.strength.further_repeats.is_some()) {
        let Comparison { level, metric, .. } = *one;
        if far_off(&one.baseline, level, metric) || far_off(&one.candidate, level, metric) {
            one.strength.further_repeats = None;
        }
    }
    for one in overall.iter_mut().filter(|one| one.strength.further_repeats.is_some()) {
        let in_either = |level: &Level| {
            far_off(&one.baseline, *level, one.metric)
                || far_off(&one.candidate, *level, one.metric)
        };
        if one.levels.iter().any(in_either) {
            one.strength.further_repeats = None;
        }
    }
}

/// The comparisons of one metric, by pair.
pub(crate) fn by_pair(
    comparisons: &[Comparison],
    metric: Metric,
) -> HashMap<(&str, &str), Vec<&Comparison>> {
    let mut pairs: HashMap<(&str, &str), Vec<&Comparison>> = HashMap::new();
    for comparison in comparisons.iter().filter(|comparison| comparison.metric == metric) {
        pairs.entry((&comparison.baseline, &comparison.candidate)).or_default().push(comparison);
    }
    pairs
}

/// For each pair of targets what is to be said over all levels together, then over the levels at
/// which the one is better, or the other, or both are the same, or nothing can be said.
pub(crate) fn findings(study: &Study, test: &TestAnalysis) -> Vec<Finding> {
    let Some(metric) = test.basis.map(Basis::at_each_level) else { return Vec::new() };
    // Of results without repeats nothing can be said of any pair, and the study says so.
    if !test.ranking.measured_once.is_empty() {
        return Vec::new();
    }
    let floor = floor::of_metric(&test.floors, metric).map(|floor| floor.factor);
    let by_pair = by_pair(&test.comparisons, metric);
    let overall: HashMap<(&str, &str), &OverallComparison> = test
        .overall
        .iter()
        .filter(|overall| overall.metric == metric)
        .map(|overall| ((overall.baseline.as_str(), overall.candidate.as_str()), overall))
        .collect();
    let of_pair = |pair: (&str, &str)| {
        let overall = overall.get(&pair);
        let comparisons = by_pair.get(&pair).into_iter().flatten();
        let mut by_verdict: Vec<((Verdict, bool), Vec<&Comparison>)> = Vec::new();
        for &comparison in comparisons {
            let key = (comparison.verdict, comparison.strength.below_noise_floor);
            match by_verdict.iter_mut().find(|(found, _)| *found == key) {
                Some((_, same)) => same.push(comparison),
                None => by_verdict.push((key, vec![comparison])),
            }
        }
        let by_level =
            by_verdict.into_iter().filter_map(|(_, same)| evidence(&same, study.margin, floor));
        overall
            .map(|found| overall_evidence(found, study.margin, floor))
            .into_iter()
            .chain(by_level)
            .collect()
    };
    each_pair(study)
        .flat_map(|pair| -> Vec<Evidence> { of_pair(pair) })
        .map(|evidence| Finding::new(Subject::test(&test.test), evidence))
        .collect()
}

fn overall_evidence(overall: &OverallComparison, margin: f64, floor: Option<f64>) -> Evidence {
    OverallResult {
        baseline: overall.baseline.clone(),
        candidate: overall.candidate.clone(),
        levels: overall.levels.clone(),
        all_levels: overall.all_levels,
        metric: overall.metric,
        ratio: overall.ratio,
        verdict: overall.verdict,
        further_repeats: overall.strength.further_repeats,
        below_noise_floor: floor.filter(|_| overall.strength.below_noise_floor),
        margin,
    }
    .into()
}

/// What comparisons of one pair with one verdict say together; `None` for no comparisons.
fn evidence(same: &[&Comparison], margin: f64, floor: Option<f64>) -> Option<Evidence> {
    let first = same.first()?;
    let levels = same.iter().map(|comparison| comparison.level).collect();
    let metric = first.metric;
    // Against the direction in which the metric is better, a ratio above 1 is the loser's.
    let winners_share = |ratio: &Estimate, candidate_wins: bool| match metric.better() {
        Better::More if candidate_wins => *ratio,
        Better::Less if !candidate_wins => *ratio,
        _ => ratio.reciprocal(),
    };
    let (baseline, candidate) = (first.baseline.clone(), first.candidate.clone());
    Some(match first.verdict {
        Verdict::Unresolved if first.strength.below_noise_floor => {
            BelowNoiseFloor { a: baseline, b: candidate, levels, metric, factor: floor? }.into()
        }
        Verdict::Unresolved => {
            let further = same.iter().map(|comparison| comparison.strength.further_repeats);
            let further = further.collect::<Option<Vec<u32>>>().unwrap_or_default();
            let range = further.iter().min().copied().zip(further.iter().max().copied());
            let apart = |c: &&Comparison| {
                c.ratio.interval.map(|interval| interval.high.max(interval.low.recip()))
            };
            let at_most = same.iter().map(apart).collect::<Option<Vec<f64>>>();
            let at_most = at_most.map(|all| all.into_iter().fold(1.0, f64::max));
            let (a, b) = (baseline, candidate);
            UnresolvedAtLevels { a, b, levels, at_most, further_repeats: range }.into()
        }
        Verdict::Equivalent => {
            EquivalentAtLevels { a: baseline, b: candidate, levels, metric, margin }.into()
        }
        verdict => {
            let wins = verdict == Verdict::CandidateBetter;
            let (winner, loser) = if wins { (candidate, baseline) } else { (baseline, candidate) };
            let ratios = same.iter().map(|c| winners_share(&c.ratio, wins)).collect();
            better(winner, loser, levels, metric, ratios)?
        }
    })
}

/// The ratios by which the winner is better at these levels; `None` where one has no interval, which a verdict
/// needs.
fn better(
    winner: String,
    loser: String,
    levels: Vec<Level>,
    metric: Metric,
    ratios: Vec<Estimate>,
) -> Option<Evidence> {
    let by_point = |a: &&Estimate, b: &&Estimate| a.point.total_cmp(&b.point);
    let (least, most) = (ratios.iter().min_by(by_point)?, ratios.iter().max_by(by_point)?);
    let intervals: Vec<Interval> =
        ratios.iter().map(|ratio| ratio.interval).collect::<Option<_>>()?;
    let low = intervals.iter().map(|interval| interval.low).fold(f64::INFINITY, f64::min);
    let high = intervals.iter().map(|interval| interval.high).fold(0.0, f64::max);
    let ratios = (*least, *most);
    Some(BetterAtLevels { winner, loser, levels, metric, ratios, bounds: (low, high) }.into())
}
