//! What the distributions of variances may be of which samples are draws, and whether targets have
//! one in common.

use statrs::function::gamma::ln_gamma;
use std::ops::Range;

/// Degrees of freedom that the scatter of the other samples may be worth, with the weight of each
/// before anything was seen: from "says next to nothing" to "all scatter equally". Of the weights
/// that were simulated those that find the most and let no family err in more than 5.5 % of studies.
const FREEDOMS: [(f64, f64); 6] =
    [(1.0, 4.0), (2.0, 3.0), (4.0, 1.0), (8.0, 1.0), (16.0, 0.5), (64.0, 1.0)];
/// From so many degrees of freedom on the weight grows with the root of the number of samples, as a
/// parameter that is not needed does in the criterion of G. Schwarz (*Annals of Statistics* 6,
/// 1978): few samples cannot tell that all scatter equally, and many nearly can.
pub(crate) const NEARLY_EQUAL: f64 = 16.0;
/// For this number of samples the weights are those above.
const USUAL_SAMPLES: f64 = 6.0;
/// Where the typical variance may lie, as logarithm of a factor to the mean of those seen, and in
/// what steps. Of few repeats the true one may be far above what was seen, and hardly below.
const LOWEST: f64 = -4.0;
const HIGHEST: f64 = 7.0;
const STEP: f64 = 0.25;
/// Freedoms with less than this share of all weight are left out.
const NEGLIGIBLE: f64 = 0.01;
/// The logarithm of a number that many factors may have as their product, so that one logarithm is enough
/// for all of them.
const LARGE: f64 = 600.0;
/// In how many parts the possible variances of one freedom are put together.
const CONDENSED: usize = 4;
/// Variances below this share of the mean count as this much: what was rounded may seem to scatter
/// not at all.
const LEAST_VARIANCE: f64 = 1e-6;

/// A sample as it enters: its mean, variance and size, outliers moved in.
pub(crate) struct Moments {
    pub(crate) mean: f64,
    pub(crate) variance: f64,
    pub(crate) n: f64,
}

impl Moments {
    /// Of two values at least.
    pub(crate) fn from_values(values: &[f64]) -> Option<Self> {
        if values.len() < 2 {
            return None;
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Some(Self { mean, variance, n })
    }
}

/// One distribution of variances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Prior {
    /// All weights together are 1.
    pub(crate) weight: f64,
    pub(crate) freedom: f64,
    pub(crate) variance: f64,
}

/// What samples say, which are in groups in order of how widely they scatter.
pub(crate) struct Learned {
    /// For each group what its distribution may be: the same weights and degrees of freedom in the
    /// same order for all of them.
    pub(crate) possible: Vec<Vec<Prior>>,
    /// How likely these neighbouring groups, and no others, have one distribution.
    pub(crate) joined: Vec<(Range<usize>, f64)>,
    /// How much likelier what was seen is where all scatter nearly equally than where they do not.
    pub(crate) equality: f64,
}

/// Samples that scatter as one target does.
pub(crate) struct Group {
    pub(crate) samples: Vec<Moments>,
    /// As many independent samples would say as much: the ratios of one noisy target with several
    /// quiet ones say the same of it.
    pub(crate) worth: f64,
    /// How many targets they are of that are in no noisier group.
    pub(crate) targets: usize,
}

/// Neighbouring groups that have one distribution, if they have.
struct Block {
    groups: Range<usize>,
    /// What share of what its samples say is not said twice.
    independent: f64,
    /// The logarithm of how likely they are such a block, before anything was seen.
    prior: f64,
    /// Where on the grid the place of their distribution may be.
    window: Range<usize>,
}

/// Of one number of degrees of freedom.
struct OfFreedom {
    freedom: f64,
    /// The logarithms of how likely it was before anything was seen and is now, up to what all have in
    /// common.
    prior: f64,
    log: f64,
    /// How likely each block is, given that number.
    blocks: Vec<f64>,
    /// For each group how likely each place on the grid is.
    places: Vec<Vec<f64>>,
}

impl Learned {
    /// From groups that have one sample at least each, of which any scatters.
    ///
    /// The groups in their order are cut at any places into blocks, each of which has a distribution
    /// of its own, and all such partitions count by their posterior weight (product partition models;
    /// D. Barry and J. A. Hartigan, *Annals of Statistics* 20, 1992, whose recursion over the last
    /// block adds them all up).
    pub(crate) fn from_groups(groups: &[Group]) -> Self {
        let all = || groups.iter().flat_map(|group| &group.samples);
        let mean = all().map(|sample| sample.variance).sum::<f64>() / all().count() as f64;
        let grid = Grid::for_groups(groups, mean);
        let blocks = grid.blocks(groups);
        let worth: f64 = groups.iter().map(|group| group.worth).sum();
        let many = (worth / USUAL_SAMPLES).sqrt();
        let places = grid.places();
        let placed: Vec<Placed> =
            groups.iter().map(|group| Placed::from_samples(&group.samples, grid.least)).collect();
        let of_freedom = FREEDOMS.map(|(freedom, weight)| {
            let weight = if freedom < NEARLY_EQUAL { weight } else { weight * many };
            let fits: Vec<Vec<f64>> =
                placed.iter().map(|group| group.fits(freedom, &places)).collect();
            partitions(freedom, weight.ln(), &blocks, &fits)
        });
        let most = of_freedom.iter().map(|one| one.log).fold(f64::MIN, f64::max);
        let sum: f64 = of_freedom.iter().map(|one| (one.log - most).exp()).sum();
        let equality = equality(&of_freedom, most);
        let mut possible = vec![Vec::new(); groups.len()];
        let mut joined: Vec<(Range<usize>, f64)> =
            blocks.iter().map(|block| (block.groups.clone(), 0.0)).collect();
        for one in of_freedom {
            let weight = (one.log - most).exp() / sum;
            for ((_, sum), share) in joined.iter_mut().zip(&one.blocks) {
                *sum += weight * share;
            }
            if weight < NEGLIGIBLE {
                continue;
            }
            for (possible, places) in possible.iter_mut().zip(&one.places) {
                possible.extend(condensed(weight, one.freedom, places, &grid));
            }
        }
        Self { possible, joined, equality }
    }
}

/// The Bayes factor of those freedoms by which all scatter nearly equally against the others.
fn equality(all: &[OfFreedom], most: f64) -> f64 {
    let odds = |log: fn(&OfFreedom) -> f64, most: f64| {
        let sum = |equal: bool| -> f64 {
            let of = all.iter().filter(|one| (one.freedom >= NEARLY_EQUAL) == equal);
            of.map(|one| (log(one) - most).exp()).sum()
        };
        sum(true) / sum(false).max(f64::MIN_POSITIVE)
    };
    odds(|one| one.log, most) / odds(|one| one.prior, 0.0)
}

/// Places of distributions, evenly spaced on logarithms.
struct Grid {
    lowest: f64,
    steps: usize,
    /// Variances count as this much at least.
    least: f64,
}

impl Grid {
    fn for_groups(groups: &[Group], mean: f64) -> Self {
        let least = LEAST_VARIANCE * mean;
        let means = || {
            groups.iter().map(|group| (log_mean(group.samples.iter(), least) - mean.ln()) / STEP)
        };
        // All places for all groups together are among them.
        let below = means().fold(0.0, f64::min).floor();
        let above = means().fold(0.0, f64::max).ceil();
        let steps = ((HIGHEST - LOWEST) / STEP + above - below) as usize + 1;
        Self { lowest: mean.ln() + LOWEST + below * STEP, steps, least }
    }

    fn at(&self, step: usize) -> f64 {
        self.lowest + step as f64 * STEP
    }

    /// All neighbouring groups, by the first and then by the last of them.
    fn blocks(&self, groups: &[Group]) -> Vec<Block> {
        let block = |first: usize, last: usize| {
            let all = || groups[first..=last].iter().flat_map(|group| &group.samples);
            let mean = log_mean(all(), self.least);
            let from = (mean + LOWEST - self.lowest) / STEP;
            let from = (from.round().max(0.0) as usize).min(self.steps - 1);
            let to = (from + ((HIGHEST - LOWEST) / STEP) as usize + 1).min(self.steps);
            let worth: f64 = groups[first..=last].iter().map(|group| group.worth).sum();
            let independent = worth / all().count() as f64;
            let targets: usize = groups[first..=last].iter().map(|group| group.targets).sum();
            // The targets were put in order by what was seen: before that any of them might be these.
            let prior = ln_gamma(targets as f64 + 1.0);
            Block { groups: first..last + 1, independent, prior, window: from..to }
        };
        (0..groups.len())
            .flat_map(|first| (first..groups.len()).map(move |last| block(first, last)))
            .collect()
    }

    fn places(&self) -> Places {
        let logs: Vec<f64> = (0..self.steps).map(|step| self.at(step)).collect();
        let inverses = logs.iter().map(|log| (-log).exp()).collect();
        Places { logs, inverses }
    }
}

/// Variances of which any may be the typical one.
struct Places {
    /// Ascending.
    logs: Vec<f64>,
    /// 1 ÷ each variance.
    inverses: Vec<f64>,
}

/// The variances of a group's samples, by the size of these.
struct Placed(Vec<OfSize>);

/// Samples of one size.
struct OfSize {
    freedom: f64,
    variances: Vec<f64>,
    largest: f64,
    /// The sum of the logarithms.
    logs: f64,
}

impl Placed {
    fn from_samples(group: &[Moments], least: f64) -> Self {
        let mut samples: Vec<(f64, f64)> =
            group.iter().map(|sample| (sample.n - 1.0, sample.variance.max(least))).collect();
        samples.sort_by(|one, other| one.0.total_cmp(&other.0));
        let of_size = |alike: &[(f64, f64)]| {
            let variances: Vec<f64> = alike.iter().map(|(_, variance)| *variance).collect();
            let largest = variances.iter().copied().fold(0.0, f64::max);
            let logs = variances.iter().map(|variance| variance.ln()).sum();
            OfSize { freedom: alike[0].0, variances, largest, logs }
        };
        Self(samples.chunk_by(|one, other| one.0 == other.0).map(of_size).collect())
    }

    /// The logarithm of how likely the variances are, for each place.
    fn fits(&self, prior: f64, places: &Places) -> Vec<f64> {
        let mut fits = vec![0.0; places.logs.len()];
        self.0.iter().for_each(|samples| samples.add_fits(prior, places, &mut fits));
        fits
    }
}

impl OfSize {
    /// A sample of variance s² and n degrees of freedom has, at a place of variance v, the density of
    /// F = s² ÷ v with n and `prior` degrees of freedom, ÷ v: F^(n/2 − 1) ÷ (1 + nF ÷ prior)^((n + prior)/2),
    /// times what [`log_scale`] says. Of the factors of many samples together one logarithm is taken.
    fn add_fits(&self, prior: f64, places: &Places, fits: &mut [f64]) {
        let (own, count) = (self.freedom, self.variances.len() as f64);
        let same = count * log_scale(own, prior) + (own / 2.0 - 1.0) * self.logs;
        for (fit, log) in fits.iter_mut().zip(&places.logs) {
            *fit += same - count * own / 2.0 * log;
        }
        let by = own / prior;
        let together = (LARGE / (self.largest * by * places.inverses[0]).ln_1p()) as usize;
        let mut products = vec![0.0; fits.len()];
        for variances in self.variances.chunks(together.max(1)) {
            products.fill(1.0);
            for variance in variances {
                let by = variance * by;
                for (product, inverse) in products.iter_mut().zip(&places.inverses) {
                    *product *= 1.0 + by * inverse;
                }
            }
            for (fit, product) in fits.iter_mut().zip(&products) {
                *fit -= f64::midpoint(own, prior) * product.ln();
            }
        }
    }
}

/// The logarithm of the mean variance.
fn log_mean<'a>(samples: impl Iterator<Item = &'a Moments>, least: f64) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for sample in samples {
        sum += sample.variance.max(least);
        count += 1.0;
    }
    (sum / count).ln()
}

/// All partitions into blocks, for one number of degrees of freedom.
fn partitions(freedom: f64, prior: f64, blocks: &[Block], fits: &[Vec<f64>]) -> OfFreedom {
    let groups = fits.len();
    let of_place = |block: &Block, step: usize| -> f64 {
        block.independent * fits[block.groups.clone()].iter().map(|fits| fits[step]).sum::<f64>()
    };
    let mut of_places: Vec<Vec<f64>> = blocks
        .iter()
        .map(|block| block.window.clone().map(|step| of_place(block, step)).collect())
        .collect();
    let log = |(block, places): (&Block, &mut Vec<f64>)| {
        block.prior + into_shares(places) - (block.window.len() as f64).ln()
    };
    let logs: Vec<f64> = blocks.iter().zip(&mut of_places).map(log).collect();
    // Over all groups before one, and from one on.
    let (mut before, mut after) = (vec![f64::MIN; groups + 1], vec![f64::MIN; groups + 1]);
    (before[0], after[groups]) = (0.0, 0.0);
    for end in 1..=groups {
        let last = blocks.iter().zip(&logs).filter(|(block, _)| block.groups.end == end);
        let last: Vec<f64> = last.map(|(b, log)| before[b.groups.start] + log).collect();
        before[end] = log_sum(&last);
    }
    for start in (0..groups).rev() {
        let first = blocks.iter().zip(&logs).filter(|(block, _)| block.groups.start == start);
        let first: Vec<f64> = first.map(|(b, log)| after[b.groups.end] + log).collect();
        after[start] = log_sum(&first);
    }
    let mut places = vec![vec![0.0; fits[0].len()]; groups];
    let share = |(at, block): (usize, &Block)| {
        let around = before[block.groups.start] + logs[at] + after[block.groups.end];
        let share = (around - after[0]).exp();
        for (step, of_place) in block.window.clone().zip(&of_places[at]) {
            let more = share * of_place;
            block.groups.clone().for_each(|group| places[group][step] += more);
        }
        share
    };
    let shares = blocks.iter().enumerate().map(share).collect();
    OfFreedom { freedom, prior, log: prior + after[0], blocks: shares, places }
}

/// The logarithm of the sum of what these are logarithms of.
fn log_sum(logs: &[f64]) -> f64 {
    let most = logs.iter().copied().fold(f64::MIN, f64::max);
    most + logs.iter().map(|log| (log - most).exp()).sum::<f64>().ln()
}

/// The same, and these become their shares of that sum.
fn into_shares(logs: &mut [f64]) -> f64 {
    let most = logs.iter().copied().fold(f64::MIN, f64::max);
    logs.iter_mut().for_each(|log| *log = (*log - most).exp());
    let sum: f64 = logs.iter().sum();
    logs.iter_mut().for_each(|share| *share /= sum);
    most + sum.ln()
}

/// The possibilities of one freedom in a few of equal weight: every interval asks all of them.
fn condensed(weight: f64, freedom: f64, places: &[f64], grid: &Grid) -> Vec<Prior> {
    let sum: f64 = places.iter().sum();
    let share = weight / CONDENSED as f64;
    let mut parts = vec![0.0; CONDENSED];
    let mut before = 0.0;
    for (step, place) in places.iter().enumerate() {
        // What lies across the end of a part counts in both.
        let mut left = place / sum * CONDENSED as f64;
        while left > 0.0 {
            let part = (before as usize).min(CONDENSED - 1);
            let room = if part + 1 < CONDENSED { (part + 1) as f64 - before } else { left };
            let taken = left.min(room.max(1e-9));
            parts[part] += taken * grid.at(step);
            before += taken;
            left -= taken;
        }
    }
    parts.into_iter().map(|log| Prior { weight: share, freedom, variance: log.exp() }).collect()
}

/// The logarithm of how likely a variance is by a prior, up to what all priors share, is the sum of
/// two: variance ÷ `typical` is distributed as F. This part is the same for all variances.
pub(crate) fn log_scale(own: f64, prior: f64) -> f64 {
    ln_gamma(f64::midpoint(own, prior)) - ln_gamma(own / 2.0) - ln_gamma(prior / 2.0)
        + own / 2.0 * (own / prior).ln()
}
