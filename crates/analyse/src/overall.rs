//! Targets against each other over all levels together.

use crate::cell::CellData;
use crate::compare::{each_pair, verdict};
use crate::series::Series;
use crate::{Basis, Metric, OverallComparison};
use model::{Level, Study, Test};
use std::collections::BTreeMap;

/// Fewest levels that are more than a single comparison.
const FEWEST_LEVELS: usize = 2;

/// One level of a pair of targets.
struct Rung {
    level: Level,
    base: Series,
    candidate: Series,
}

/// Every pair of targets that has enough levels in common, in the order of the study.
pub(crate) fn overall(
    study: &Study,
    test: &Test,
    basis: Basis,
    cells: &[CellData],
) -> Vec<OverallComparison> {
    each_pair(study)
        .flat_map(|pair| basis.compared().map(move |metric| (pair, metric)))
        .filter_map(|(pair, metric)| compare(study, test, cells, pair, metric))
        .collect()
}

fn compare(
    study: &Study,
    test: &Test,
    cells: &[CellData],
    (baseline, candidate): (&str, &str),
    metric: Metric,
) -> Option<OverallComparison> {
    let series = |target: &str, level: Level| {
        let cell = cells.iter().find(|cell| cell.target == target && cell.level == level)?;
        Some(cell.series(metric))
    };
    let rungs: Vec<Rung> = test
        .levels
        .iter()
        .filter_map(|&level| {
            let (base, candidate) = (series(baseline, level)?, series(candidate, level)?);
            Some(Rung { level, base, candidate })
        })
        .collect();
    let Balanced { repeats, levels } = balanced(&rungs)?;
    let kept: Vec<&Rung> = levels.iter().map(|&index| &rungs[index]).collect();
    let base = geometric_means(&repeats, kept.iter().map(|rung| &rung.base));
    let numerator = geometric_means(&repeats, kept.iter().map(|rung| &rung.candidate));
    let ratio = numerator.ratio_to(&base, study.confidence)?;
    Some(OverallComparison {
        baseline: baseline.to_owned(),
        candidate: candidate.to_owned(),
        levels: kept.iter().map(|rung| rung.level).collect(),
        all_levels: kept.len() == test.levels.len(),
        metric,
        base: base.estimate(study.confidence)?,
        ratio,
        verdict: verdict(metric, &ratio, study.margin),
    })
}

/// The geometric mean over the levels in each repeat. The relative errors of its factors average
/// in it, as their logarithms do.
fn geometric_means<'a>(
    repeats: &[u32],
    levels: impl Iterator<Item = &'a Series> + Clone,
) -> Series {
    let count = levels.clone().count().max(1) as f64;
    let mean = |repeat: u32| {
        let logs = levels.clone().filter_map(|series| series.at(repeat)).map(f64::ln);
        (logs.sum::<f64>() / count).exp()
    };
    let values: BTreeMap<u32, f64> = repeats.iter().map(|&repeat| (repeat, mean(repeat))).collect();
    let rounding = levels.clone().map(Series::rounding).sum::<f64>() / count;
    Series::from_values(values, rounding)
}

/// Repeats all of which have all of these levels (indices).
struct Balanced {
    repeats: Vec<u32>,
    levels: Vec<usize>,
}

/// The repeats with the most levels, and the levels that all of them have; as many repeats as
/// make the most of (repeats × levels), at least two where there are two, and of equal choices
/// the one with more repeats. `None` where fewer than two levels are left.
fn balanced(rungs: &[Rung]) -> Option<Balanced> {
    let mut by_repeat: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, rung) in rungs.iter().enumerate() {
        for repeat in rung.base.repeats().filter(|&repeat| rung.candidate.at(repeat).is_some()) {
            by_repeat.entry(repeat).or_default().push(index);
        }
    }
    let mut fullest: Vec<(u32, Vec<usize>)> = by_repeat.into_iter().collect();
    // Stable: of equally full repeats the earlier one comes first.
    fullest.sort_by_key(|(_, levels)| std::cmp::Reverse(levels.len()));
    let choices = (1..=fullest.len()).filter_map(|count| {
        let (first, others) = fullest[..count].split_first()?;
        let everywhere = |level: &&usize| others.iter().all(|(_, levels)| levels.contains(level));
        let levels: Vec<usize> = first.1.iter().filter(everywhere).copied().collect();
        let repeats = fullest[..count].iter().map(|&(repeat, _)| repeat).collect();
        (levels.len() >= FEWEST_LEVELS).then_some(Balanced { repeats, levels })
    });
    choices.max_by_key(|choice| {
        let repeats = choice.repeats.len();
        (repeats > 1, repeats * choice.levels.len(), repeats)
    })
}
