//! Targets against each other over all levels together.

use crate::cell::Cells;
use crate::cell::means::Means;
use crate::cell::series::Series;
use crate::compare::family::Compared;
use crate::{Basis, Comparison, Metric, OverallComparison, Strength};
use findings::Verdict;
use model::{Level, ReadBudget, Test};
use stats::{Estimate, Interval, Part, Ratio};
use std::collections::BTreeMap;

/// Fewest levels that are more than a single comparison.
pub(crate) const MIN_LEVELS: usize = 2;

/// Every pair of targets that has enough levels in common, in the order of its comparisons at each of them.
pub(crate) fn overall(
    test: &Test,
    basis: Basis,
    cells: &Cells,
    by_level: &[Compared<Comparison>],
    budget: &ReadBudget,
) -> Vec<Compared<OverallComparison>> {
    let is_same_pair = |one: &Compared<Comparison>, next: &Compared<Comparison>| {
        (&one.of.baseline, &one.of.candidate) == (&next.of.baseline, &next.of.candidate)
    };
    by_level
        .chunk_by(is_same_pair)
        .take_while(|_| budget.charge(0).is_ok())
        .flat_map(|pair| basis.all_compared().map(move |metric| (pair, metric)))
        .filter_map(|(pair, metric)| compare(test, cells, pair, metric))
        .collect()
}

fn compare(
    test: &Test,
    cells: &Cells,
    pair: &[Compared<Comparison>],
    metric: Metric,
) -> Option<Compared<OverallComparison>> {
    let at = |Compared { of, ratio }: &Compared<Comparison>| {
        let series = |target: &str| Some(cells.at(target, of.level)?.series(metric));
        let part = series(&of.candidate)?.part_with(ratio.clone(), series(&of.baseline)?);
        Some((AtLevel { level: of.level, base: of.base, means: of.means }, part))
    };
    let own = pair.iter().filter(|one| one.of.metric == metric);
    let mut known: Vec<(AtLevel, Part)> = own.filter_map(at).collect();
    let Comparison { baseline, candidate, .. } = &pair.first()?.of;
    // A level that says nothing of its scatter is left out where others do.
    let scatters = |(_, part): &(AtLevel, Part)| part.ratio.has_interval();
    if known.iter().filter(|one| scatters(one)).count() >= MIN_LEVELS {
        known.retain(scatters);
    }
    if known.len() < MIN_LEVELS {
        return None;
    }
    let weight = (known.len() as f64).recip();
    let (known, parts): (Vec<AtLevel>, Vec<Part>) =
        known.into_iter().map(|(at, part)| (at, Part { weight, ..part })).unzip();
    let ratio = Ratio::mean(&parts, 1.0)?;
    let mean = |figure: fn(&Means) -> f64| {
        (known.iter().map(|one| figure(&one.means).ln()).sum::<f64>() * weight).exp()
    };
    let means = Means { baseline: mean(|one| one.baseline), candidate: mean(|one| one.candidate) };
    let of = OverallComparison {
        baseline: baseline.clone(),
        candidate: candidate.clone(),
        all_levels: known.len() == test.levels().len(),
        levels: known.iter().map(|one| one.level).collect(),
        metric,
        base: geometric_mean(known.iter().map(|one| &one.base))?,
        means: means.giving(ratio.point),
        ratio: ratio.bare(),
        verdict: Verdict::Unresolved,
        strength: Strength::default(),
    };
    Some(Compared { of, ratio })
}

/// What two targets have at one level.
struct AtLevel {
    level: Level,
    base: Estimate,
    means: Means,
}

/// Of figures that hold at once: its ends are the means of theirs, which is wide enough however they
/// depend on one another.
fn geometric_mean<'a>(all: impl Iterator<Item = &'a Estimate> + Clone) -> Option<Estimate> {
    let count = all.clone().count() as f64;
    let mean = |logs: f64| (logs / count).exp();
    let point = mean(all.clone().map(|one| one.point.ln()).sum());
    let intervals: Option<Vec<Interval>> = all.clone().map(|one| one.interval).collect();
    let interval = intervals.filter(|all| !all.is_empty()).map(|all| Interval {
        low: mean(all.iter().map(|one| one.low.ln()).sum()),
        high: mean(all.iter().map(|one| one.high.ln()).sum()),
        ..all[0]
    });
    let n = all.map(|one| one.n).min()?;
    point.is_finite().then_some(Estimate { point, interval, n })
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

/// Pools as many pairs and repeats as go together; see [`balanced`]. Where no pair has a block in
/// common, each side by itself over the same pairs. `None` where fewer than `fewest` pairs are left.
///
/// Outliers count in a mean as in the figures of their cells.
pub(crate) fn pool(pairs: &[(&Series, &Series)], fewest: usize) -> Option<Pooled> {
    let clipped: Vec<(Series, Series)> =
        pairs.iter().map(|(base, candidate)| (base.clipped(), candidate.clipped())).collect();
    let pairs: Vec<(&Series, &Series)> =
        clipped.iter().map(|(base, candidate)| (base, candidate)).collect();
    let pairs = pairs.as_slice();
    let paired = pairs.iter().all(|(base, _)| !base.is_apart());
    let Balanced { repeats, pairs: kept } = match balanced(pairs, fewest) {
        Some(balanced) if paired => balanced,
        _ => return pool_apart(pairs, fewest),
    };
    let (bases, candidates): (Vec<&Series>, Vec<&Series>) =
        kept.iter().map(|&index| pairs[index]).unzip();
    let base = geometric_means(&repeats, &bases);
    let candidate = geometric_means(&repeats, &candidates);
    Some(Pooled { kept, base, candidate })
}

fn pool_apart(pairs: &[(&Series, &Series)], fewest: usize) -> Option<Pooled> {
    let shared = |(base, candidate): &&(&Series, &Series)| {
        !base.is_apart() && base.repeats().any(|repeat| candidate.at(repeat).is_some())
    };
    if pairs.iter().any(|pair| shared(&pair)) {
        return None;
    }
    let of_bases: Vec<(&Series, &Series)> = pairs.iter().map(|&(base, _)| (base, base)).collect();
    let of_candidates: Vec<(&Series, &Series)> =
        pairs.iter().map(|&(_, candidate)| (candidate, candidate)).collect();
    let (bases, candidates) = (balanced(&of_bases, fewest)?, balanced(&of_candidates, fewest)?);
    let both = |index: &usize| candidates.pairs.contains(index);
    let kept: Vec<usize> = bases.pairs.iter().copied().filter(both).collect();
    if kept.len() < fewest {
        return None;
    }
    let of = |side: &[(&Series, &Series)], repeats: &[u32]| {
        geometric_means(repeats, &kept.iter().map(|&index| side[index].0).collect::<Vec<_>>())
    };
    let (base, candidate) =
        (of(&of_bases, &bases.repeats), of(&of_candidates, &candidates.repeats));
    Some(Pooled { kept, base, candidate })
}

/// The geometric mean of the series in each repeat. The relative errors of its factors average
/// in it, as their logarithms do.
fn geometric_means(repeats: &[u32], series: &[&Series]) -> Series {
    let count = series.len().max(1) as f64;
    let mean = |repeat: u32| {
        let logs = series.iter().filter_map(|series| series.at(repeat)).map(f64::ln);
        (logs.sum::<f64>() / count).exp()
    };
    let values: BTreeMap<u32, f64> = repeats.iter().map(|&repeat| (repeat, mean(repeat))).collect();
    let rounding = series.iter().map(|series| series.rounding()).sum::<f64>() / count;
    let mut pooled = Series::from_values(values, rounding);
    pooled.set_apart(series.iter().any(|series| series.is_apart()));
    pooled.looked_at(series.iter().find_map(|series| series.looks()));
    pooled
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
