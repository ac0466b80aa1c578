//! Targets against each other over all levels together.

use crate::cell::Cells;
use crate::compare::{each_pair, verdict};
use crate::series::Series;
use crate::{Basis, Metric, OverallComparison, Strength};
use model::{Level, Study, Test};
use std::collections::BTreeMap;

/// Fewest levels that are more than a single comparison.
const MIN_LEVELS: usize = 2;

/// One level of a pair of targets.
struct PairAtLevel {
    level: Level,
    base: Series,
    candidate: Series,
}

/// Every pair of targets that has enough levels in common, in the order of the study.
pub(crate) fn overall(
    study: &Study,
    test: &Test,
    basis: Basis,
    cells: &Cells,
) -> Vec<OverallComparison> {
    each_pair(study)
        .flat_map(|pair| basis.compared().map(move |metric| (pair, metric)))
        .filter_map(|(pair, metric)| compare(study, test, cells, pair, metric))
        .collect()
}

fn compare(
    study: &Study,
    test: &Test,
    cells: &Cells,
    (baseline, candidate): (&str, &str),
    metric: Metric,
) -> Option<OverallComparison> {
    let Both { levels, base, numerator } = both(test, cells, (baseline, candidate), metric)?;
    let ratio = numerator.ratio_to(&base, study.confidence)?;
    Some(OverallComparison {
        baseline: baseline.to_owned(),
        candidate: candidate.to_owned(),
        all_levels: levels.len() == test.levels().len(),
        levels,
        metric,
        base: base.estimate(study.confidence)?,
        ratio,
        verdict: verdict(metric, &ratio, study.margin),
        strength: Strength::default(),
    })
}

/// The geometric means over the levels that a pair has in common, by repeat.
pub(crate) struct Both {
    levels: Vec<Level>,
    pub(crate) base: Series,
    pub(crate) numerator: Series,
}

/// Those of a pair; `None` where it has too little in common.
pub(crate) fn both(
    test: &Test,
    cells: &Cells,
    (baseline, candidate): (&str, &str),
    metric: Metric,
) -> Option<Both> {
    let series = |target: &str, level: Level| Some(cells.at(target, level)?.series(metric));
    let observations: Vec<PairAtLevel> = test
        .levels()
        .iter()
        .filter_map(|&level| {
            let (base, candidate) = (series(baseline, level)?, series(candidate, level)?);
            Some(PairAtLevel { level, base, candidate })
        })
        .collect();
    let pairs: Vec<(&Series, &Series)> = observations
        .iter()
        .map(|observation| (&observation.base, &observation.candidate))
        .collect();
    let Pooled { kept, base, candidate: numerator } = pool(&pairs, MIN_LEVELS)?;
    let kept: Vec<&PairAtLevel> = kept.iter().map(|&index| &observations[index]).collect();
    Some(Both {
        levels: kept.iter().map(|observation| observation.level).collect(),
        base,
        numerator,
    })
}

/// Several pairs of series in one: their geometric means in each repeat.
pub(crate) struct Pooled {
    /// The pairs that it rests on, by index.
    pub(crate) kept: Vec<usize>,
    /// Of the first of each pair.
    pub(crate) base: Series,
    /// Of the second.
    pub(crate) candidate: Series,
}

/// Pools as many pairs and repeats as go together; see [`balanced`]. `None` where fewer than
/// `fewest` pairs are left.
pub(crate) fn pool(pairs: &[(&Series, &Series)], fewest: usize) -> Option<Pooled> {
    let Balanced { repeats, pairs: kept } = balanced(pairs, fewest)?;
    let of = |side: fn(&(&Series, &Series)) -> Series| {
        let series: Vec<Series> = kept.iter().map(|&index| side(&pairs[index])).collect();
        geometric_means(&repeats, &series)
    };
    let (base, candidate) = (of(|pair| pair.0.clone()), of(|pair| pair.1.clone()));
    Some(Pooled { kept, base, candidate })
}

/// The geometric mean of the series in each repeat. The relative errors of its factors average
/// in it, as their logarithms do.
fn geometric_means(repeats: &[u32], series: &[Series]) -> Series {
    let count = series.len().max(1) as f64;
    let mean = |repeat: u32| {
        let logs = series.iter().filter_map(|series| series.at(repeat)).map(f64::ln);
        (logs.sum::<f64>() / count).exp()
    };
    let values: BTreeMap<u32, f64> = repeats.iter().map(|&repeat| (repeat, mean(repeat))).collect();
    let rounding = series.iter().map(Series::rounding).sum::<f64>() / count;
    Series::from_values(values, rounding)
}

/// Repeats all of which have all of these pairs (indices).
struct Balanced {
    repeats: Vec<u32>,
    pairs: Vec<usize>,
}

/// The repeats with the most pairs, and the pairs that all of them have; as many repeats as
/// make the most of (repeats × pairs), at least two where there are two, and of equal choices
/// the one with more repeats. `None` where fewer than `fewest` pairs are left.
fn balanced(all: &[(&Series, &Series)], fewest: usize) -> Option<Balanced> {
    let mut by_repeat: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, (base, candidate)) in all.iter().enumerate() {
        for repeat in base.repeats().filter(|&repeat| candidate.at(repeat).is_some()) {
            by_repeat.entry(repeat).or_default().push(index);
        }
    }
    let mut fullest: Vec<(u32, Vec<usize>)> = by_repeat.into_iter().collect();
    // Stable: of equally full repeats the earlier one comes first.
    fullest.sort_by_key(|(_, pairs)| std::cmp::Reverse(pairs.len()));
    let choices = (1..=fullest.len()).filter_map(|count| {
        let (first, others) = fullest[..count].split_first()?;
        let everywhere = |pair: &&usize| others.iter().all(|(_, pairs)| pairs.contains(pair));
        let pairs: Vec<usize> = first.1.iter().filter(everywhere).copied().collect();
        let repeats = fullest[..count].iter().map(|&(repeat, _)| repeat).collect();
        (pairs.len() >= fewest).then_some(Balanced { repeats, pairs })
    });
    choices.max_by_key(|choice| {
        let repeats = choice.repeats.len();
        (repeats > 1, repeats * choice.pairs.len(), repeats)
    })
}
