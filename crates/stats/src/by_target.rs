//! How widely repeats scatter, target by target: one that scatters widely says little of the others.

use crate::learned::{Group, Learned, Moments};
use crate::scatter::{moved_in, sorted, typical};
use crate::{Autocorrelation, Lasting, Scatter};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// Fewest samples that have something to lend.
const FEWEST: usize = 3;
/// Of more targets those that follow one another in order of their scatter are taken together.
const MOST_GROUPS: usize = 12;
/// Neighbouring groups that are less likely than this to be the only ones with one distribution
/// don't say what is an outlier.
const UNLIKELY: f64 = 0.01;
/// Variances below this share of the mean don't bring a target further ahead.
const LEAST_VARIANCE: f64 = 1e-6;

/// How widely samples of several targets scatter, or ratios of two targets each.
///
/// The targets are put in order of their scatter; a ratio scatters as the noisier of its targets.
/// How many of the noisiest scatter in ways of their own, and which of them alike, is not known:
/// everything that the samples allow counts with its posterior weight. So a target that
/// scatters ten times as much as others leaves the verdicts of these to themselves, and where all
/// scatter alike each sample borrows from all others.
#[derive(Clone, Debug, PartialEq)]
pub struct ByTarget {
    /// The group of each target; 0 is the noisiest.
    group: BTreeMap<usize, usize>,
    /// By group.
    scatters: Vec<Scatter>,
    /// Pairs of targets of which it is known what may last in their ratios, the lower one first.
    pairs: BTreeMap<[usize; 2], OfPair>,
}

/// The logarithms of a pair of targets, level by level, and how their ratios scatter, once that was asked
/// for: most figures are never compared.
#[derive(Clone, Debug, PartialEq)]
struct OfPair {
    levels: Vec<Vec<(f64, f64)>>,
    known: OnceLock<Scatter>,
}

/// A sample, in order of repeat, with its target, twice, or with both targets of a ratio.
pub type OfTargets = ([usize; 2], Vec<f64>);

impl ByTarget {
    /// Learned from samples as [`Scatter::from_samples`] is.
    pub fn from_samples(samples: &[OfTargets]) -> Option<Self> {
        Self::with(samples, 1.0)
    }

    pub(crate) fn with<'a>(samples: &'a [OfTargets], independent: f64) -> Option<Self> {
        let many = || samples.iter().filter(|(_, sample)| sample.len() > 1);
        let plain: Vec<([usize; 2], f64)> = many()
            .filter_map(|(targets, sample)| {
                Some((*targets, Moments::from_values(sample)?.variance))
            })
            .collect();
        if plain.len() < FEWEST {
            return None;
        }
        let order = in_order(&plain);
        let mut group = order.clone();
        let mut by_group: BTreeMap<usize, Vec<&OfTargets>> = BTreeMap::new();
        for sample in many() {
            let [one, other] = sample.0;
            by_group.entry(group[&one].min(group[&other])).or_default().push(sample);
        }
        // Some have ratios with noisier ones alone, the quietest at least.
        let places: Vec<usize> = by_group.keys().copied().collect();
        let mut targets = vec![0; places.len()];
        for group in group.values_mut() {
            *group = places.iter().rposition(|place| place <= group).unwrap_or(0);
            targets[*group] += 1;
        }
        let worths: Vec<f64> =
            by_group.values().map(|samples| independent * worth(samples, &order)).collect();
        let slices = |samples: Vec<&'a OfTargets>| -> Vec<&'a [f64]> {
            samples.into_iter().map(|(_, sample)| sample.as_slice()).collect()
        };
        let by_group: Vec<Vec<&[f64]>> = by_group.into_values().map(slices).collect();
        let ascending: Vec<Vec<Vec<f64>>> = by_group
            .iter()
            .map(|group| group.iter().map(|sample| sorted(sample)).collect())
            .collect();
        let typical_of = |groups: &[Vec<Vec<f64>>]| {
            typical(&groups.iter().flatten().map(Vec::as_slice).collect::<Vec<&[f64]>>())
        };
        let of_all = typical_of(&ascending);
        let of_groups: Vec<f64> = ascending.chunks(1).map(typical_of).collect();
        let learned: Vec<Group> = by_group
            .iter()
            .zip(&of_groups)
            .zip(worths.iter().zip(targets))
            .map(|((group, own), (worth, targets))| {
                let moved = group.iter().map(|sample| moved_in(sample, own.max(of_all)));
                let samples = moved.filter_map(|sample| Moments::from_values(&sample)).collect();
                Group { samples, worth: *worth, targets }
            })
            .collect();
        let samples_of = || learned.iter().flat_map(|group| &group.samples);
        let sum: f64 = samples_of().map(|sample| sample.variance).sum();
        if !(sum > 0.0 && sum.is_finite()) {
            return None;
        }
        let owned: Vec<Vec<f64>> = samples.iter().map(|(_, sample)| sample.clone()).collect();
        let share = worths.iter().sum::<f64>() / samples_of().count() as f64;
        let autocorrelation = Autocorrelation::from_samples(&owned, share);
        let Learned { possible, joined, equality } = Learned::from_groups(&learned);
        let mut logs = vec![(0.0, 0.0); by_group.len()];
        for (groups, weight) in joined.into_iter().filter(|(_, weight)| *weight >= UNLIKELY) {
            let together = typical_of(&ascending[groups.clone()]);
            for (sum, weights) in &mut logs[groups] {
                *sum += weight * together.max(f64::MIN_POSITIVE).ln();
                *weights += weight;
            }
        }
        let scatters = possible.into_iter().zip(logs).map(|(possible, (sum, weights))| {
            Scatter::with(possible, (sum / weights).exp(), autocorrelation, equality)
        });
        Some(Self { group, scatters: scatters.collect(), pairs: BTreeMap::new() })
    }

    /// Of samples that are too few to borrow from one another: each speaks for itself.
    pub fn alone() -> Self {
        Self { group: BTreeMap::new(), scatters: vec![Scatter::alone()], pairs: BTreeMap::new() }
    }

    /// Whether its samples borrow from one another.
    pub fn is_borrowed(&self) -> bool {
        self.scatters.iter().any(Scatter::is_borrowed)
    }

    /// That of a target's samples.
    pub fn target(&self, target: usize) -> &Scatter {
        self.pair([target, target])
    }

    /// That of ratios of two targets.
    pub fn pair(&self, targets: [usize; 2]) -> &Scatter {
        let group = |target| self.group.get(&target).copied().unwrap_or(0);
        let of_group = &self.scatters[group(targets[0]).min(group(targets[1]))];
        let Some(pair) = self.pairs.get(&in_order_of_number(targets)) else { return of_group };
        pair.known.get_or_init(|| of_group.clone().with_lasting(Lasting::from_levels(&pair.levels)))
    }

    /// With the logarithms that ratios are of, in order of the blocks: each pair of targets with its levels,
    /// outliers moved in. What may last in their ratios follows from these.
    #[must_use]
    pub fn with_pairs(
        mut self,
        levels: impl IntoIterator<Item = ([usize; 2], Vec<(f64, f64)>)>,
    ) -> Self {
        for (targets, level) in levels.into_iter().filter(|(targets, _)| targets[0] != targets[1]) {
            let new = || OfPair { levels: Vec::new(), known: OnceLock::new() };
            let pair = self.pairs.entry(in_order_of_number(targets)).or_insert_with(new);
            pair.levels.push(level);
        }
        self
    }

    /// What may last in the ratios of two targets; `None` where that is not known.
    pub fn lasting(&self, targets: [usize; 2]) -> Option<&Lasting> {
        self.pair(targets).lasting()
    }

    /// How far repeats in a row are alike over all of them.
    pub fn autocorrelation(&self) -> Autocorrelation {
        self.scatters[0].autocorrelation()
    }

    /// As [`Scatter::with_autocorrelation`].
    #[must_use]
    pub fn with_autocorrelation(mut self, autocorrelation: Autocorrelation) -> Self {
        for scatter in &mut self.scatters {
            *scatter = scatter.clone().with_autocorrelation(autocorrelation);
        }
        self
    }
}

fn in_order_of_number(targets: [usize; 2]) -> [usize; 2] {
    let [one, other] = targets;
    [one.min(other), one.max(other)]
}

impl Scatter {
    /// Learned from samples, in order of repeat, of two values at least; others are passed over. `None` for fewer than
    /// three, which have nothing to borrow, and where none scatters.
    ///
    /// `independent` is how much of what the samples say is not said twice, in (0, 1]: the ratios
    /// of all pairs of k targets rest on k samples, so their share is 2 ÷ k.
    pub fn from_samples(samples: &[Vec<f64>], independent: f64) -> Option<Self> {
        let of_one: Vec<([usize; 2], Vec<f64>)> =
            samples.iter().map(|sample| ([0, 0], sample.clone())).collect();
        Some(ByTarget::with(&of_one, independent.clamp(0.0, 1.0))?.target(0).clone())
    }
}

/// How many independent samples say as much as those of a group: of all ratios with one noisy target
/// one at each level.
fn worth(samples: &[&OfTargets], order: &BTreeMap<usize, usize>) -> f64 {
    let noisier = |targets: [usize; 2]| {
        let [one, other] = targets;
        if order[&one] <= order[&other] { one } else { other }
    };
    let pairs: BTreeSet<[usize; 2]> = samples.iter().map(|(targets, _)| *targets).collect();
    let targets: BTreeSet<usize> = pairs.iter().map(|targets| noisier(*targets)).collect();
    samples.len() as f64 * targets.len() as f64 / pairs.len() as f64
}

/// The group of each target, in order of the mean logarithm of its variances, the highest first: an
/// outlier in one of several samples does not decide it.
fn in_order(variances: &[([usize; 2], f64)]) -> BTreeMap<usize, usize> {
    let mean = variances.iter().map(|(_, variance)| variance).sum::<f64>() / variances.len() as f64;
    let least = (LEAST_VARIANCE * mean).max(f64::MIN_POSITIVE);
    let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (targets, variance) in variances {
        for target in targets {
            let (sum, count) = sums.entry(*target).or_default();
            *sum += variance.max(least).ln();
            *count += 1.0;
        }
    }
    let mut order: Vec<(f64, usize)> =
        sums.into_iter().map(|(target, (sum, count))| (sum / count, target)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let groups = order.len().min(MOST_GROUPS);
    let of = |(place, (_, target)): (usize, &(f64, usize))| (*target, place * groups / order.len());
    order.iter().enumerate().map(of).collect()
}
