//! How widely repeats scatter, learned from all samples of a kind together.
//!
//! Two or three repeats say little of their own scatter, but the cells of a study scatter alike,
//! though not equally. The variance of each sample is taken for a draw from an inverse χ²
//! distribution whose place and width all samples together tell (G. K. Smyth, *Statistical
//! Applications in Genetics and Molecular Biology* 3, 2004). Smyth estimates that distribution and
//! then takes it for known, which errs too often where there are few samples; here every
//! distribution that the samples allow counts with its posterior weight.

use crate::centre::Error;
use crate::incomplete::BetweenBlocks;
use crate::interval::MeanSpread;
use crate::learned::{Moments, NEARLY_EQUAL, Prior};
use crate::{Autocorrelation, Centre, Lasting};

/// A repeat that is further from the median of its sample than so many typical deviations is moved
/// there: one bad trial must not hide what all others say.
const OUTLIER: f64 = 3.0;
/// Beyond so many it has no part in a ratio, where no more than this share of the sample is: more are no
/// single trials that went wrong. Of the limits that were simulated those with the fewest errors.
const UNEXPLAINED: f64 = 3.45;
/// The same in deviations of its own sample, which few values tell little of.
const UNEXPLAINED_ITSELF: f64 = 1.5 * UNEXPLAINED;
const MOST_UNEXPLAINED: f64 = 0.3;
/// The confidence of the interval that the mean of the others then lies in.
const AGREES: f64 = 0.95;
/// The standard deviation of a normal value in median deviations.
const DEVIATION: f64 = 1.482_602_218_505_6;
/// The median of |a − b| of two normal values of standard deviation 1.
const MEDIAN_DIFFERENCE: f64 = 0.953_872_552_417_6;
/// How widely the samples of a kind scatter.
#[derive(Clone, Debug, PartialEq)]
pub struct Scatter {
    /// What the distribution of variances may be.
    possible: Vec<Prior>,
    /// The typical standard deviation, which outliers do not move.
    typical: f64,
    /// How far repeats in a row are alike.
    autocorrelation: Autocorrelation,
    /// How much likelier what was seen is where all samples scatter nearly equally; `None` where there are no
    /// others.
    equality: Option<f64>,
    /// What may last in ratios.
    lasting: Option<Lasting>,
}

impl Scatter {
    /// The same with another autocorrelation: that of samples whose order says less than it seems.
    pub fn with_autocorrelation(self, autocorrelation: Autocorrelation) -> Self {
        Self { autocorrelation, ..self }
    }

    /// How far repeats in a row are alike, which widens what [`Self::centre`] says.
    pub fn autocorrelation(&self) -> Autocorrelation {
        self.autocorrelation
    }

    /// What may last in ratios that scatter so, where that is known.
    pub fn lasting(&self) -> Option<&Lasting> {
        self.lasting.as_ref()
    }

    /// Of ratios in which that may last.
    #[must_use]
    pub(crate) fn with_lasting(self, lasting: Lasting) -> Self {
        Self { lasting: Some(lasting), autocorrelation: Autocorrelation::default(), ..self }
    }

    pub(crate) fn with(
        possible: Vec<Prior>,
        typical: f64,
        autocorrelation: Autocorrelation,
        equality: f64,
    ) -> Self {
        let equality = Some(equality);
        Self { possible, typical, autocorrelation, equality, lasting: None }
    }

    /// Of samples of which each speaks for itself: too few have nothing to lend, and do not tell what is an
    /// outlier.
    pub(crate) fn alone() -> Self {
        Self {
            possible: vec![Prior { weight: 1.0, freedom: 0.0, variance: 0.0 }],
            typical: f64::INFINITY,
            autocorrelation: Autocorrelation::default(),
            equality: None,
            lasting: None,
        }
    }

    /// Whether samples borrow from others.
    pub fn is_borrowed(&self) -> bool {
        self.equality.is_some()
    }

    /// The centre of a sample of the kind; `None` for fewer than two values.
    pub fn centre(&self, values: &[f64]) -> Option<Centre> {
        self.centre_with(values, None)
    }

    /// The same as if no repeats resembled one another.
    pub(crate) fn independent_centre(&self, values: &[f64]) -> Option<Centre> {
        self.widened_centre(values, None, |_| 1.0)
    }

    /// The centre of differences within pairs, and of what else is known of them.
    pub(crate) fn centre_with(
        &self,
        values: &[f64],
        more: Option<BetweenBlocks>,
    ) -> Option<Centre> {
        let centre = self.widened_centre(values, more, |n| self.autocorrelation.widening(n))?;
        Some(match &self.lasting {
            Some(lasting) => centre.lasting(&lasting.effects(values.len())),
            None => centre,
        })
    }

    fn widened_centre(
        &self,
        values: &[f64],
        more: Option<BetweenBlocks>,
        widening: impl Fn(f64) -> f64,
    ) -> Option<Centre> {
        let Moments { mean, variance, n: pairs } = self.moments(values)?;
        let (mean, n) = match more {
            Some(BetweenBlocks { difference, worth }) => {
                ((pairs * mean + worth * difference) / (pairs + worth), pairs + worth)
            }
            None => (mean, pairs),
        };
        let widening = widening(n);
        let error = |prior: &Prior| {
            let own = pairs - 1.0;
            let freedom = prior.freedom + own;
            let variance = (prior.freedom * prior.variance + own * variance) / freedom;
            let scale = (variance / n).sqrt() * widening;
            let equal = prior.freedom >= NEARLY_EQUAL;
            Error { weight: prior.weight, scale, freedom, equal }
        };
        let errors = self.possible.iter().map(error).collect();
        Some(Centre { value: mean, n, errors, equality: self.equality })
    }

    /// How far each value is from the mean, outliers moved in, and as much further as repeats that are
    /// alike scatter less than they would.
    pub(crate) fn deviations(&self, values: &[f64]) -> Vec<f64> {
        let moved = self.moved_in(values);
        let n = moved.len() as f64;
        let mean = moved.iter().sum::<f64>() / n;
        let lasting = self.lasting.as_ref().map_or(1.0, |lasting| lasting.widening(values.len()));
        let widening = self.autocorrelation.widening(n) * lasting;
        moved.into_iter().map(|value| (value - mean) * widening).collect()
    }

    /// Of two values at least.
    fn moments(&self, values: &[f64]) -> Option<Moments> {
        if values.len() < 2 {
            return None;
        }
        Moments::from_values(&self.moved_in(values))
    }

    /// The same without those that are further off than any chance explains, where these are few: however
    /// near they count, several of one target on the same side move its mean and no other's. A mean
    /// without them rather than with them moved in is that of a redescending influence (F. R. Hampel,
    /// *Journal of the American Statistical Association* 69, 1974).
    pub fn explained(&self, values: &[f64]) -> Vec<Option<f64>> {
        let middle = median(values.to_vec());
        let moved = self.moved_in(values);
        // A sample that scatters more than others do says so itself: its own median deviation does.
        let own = DEVIATION * median(values.iter().map(|value| (value - middle).abs()).collect());
        let is_explained = |(value, moved): (&f64, &f64)| {
            let far = (value - middle).abs();
            far <= (UNEXPLAINED / OUTLIER * (moved - middle).abs()).max(UNEXPLAINED_ITSELF * own)
        };
        let explained: Vec<bool> = values.iter().zip(&moved).map(is_explained).collect();
        let others = explained.iter().filter(|explained| !**explained).count();
        let few = others as f64 <= MOST_UNEXPLAINED * values.len() as f64;
        let kept = |(moved, explained): (f64, bool)| explained.then_some(moved);
        let without: Vec<Option<f64>> = moved.iter().copied().zip(explained).map(kept).collect();
        let left: Vec<f64> = without.iter().flatten().copied().collect();
        match others > 0 && !(few && self.agrees(values, &left)) {
            true => moved.into_iter().map(Some).collect(),
            false => without,
        }
    }

    /// Whether each value of a sample, not empty, is no further from the median than single ones that count
    /// in full in samples that scatter as the typical one does.
    pub fn are_near(&self, values: &[f64]) -> Vec<bool> {
        let (middle, far) = (median(values.to_vec()), OUTLIER * self.typical);
        values.iter().map(|value| (value - middle).abs() <= far).collect()
    }

    /// By how much the mean of a sample, not empty, would be more if the repeats that are far off were the
    /// right ones and the others went wrong; `None` where they are fewer than one in three, which is no
    /// question then.
    pub fn other_reading(&self, values: &[f64]) -> Option<f64> {
        let near = self.are_near(values);
        let far: Vec<f64> =
            values.iter().zip(&near).filter(|(_, near)| !**near).map(|(value, _)| *value).collect();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let is_open = far.len() * 3 >= values.len() && far.len() < values.len();
        is_open.then(|| mean(&far) - mean(&self.moved_in(values)))
    }

    /// Whether the mean of those that are left, not none, lies within the interval of the figure of all.
    pub fn agrees(&self, values: &[f64], left: &[f64]) -> bool {
        let mean = left.iter().sum::<f64>() / left.len() as f64;
        let within = |centre: Centre| {
            let half_width = centre.half_width(AGREES)?;
            Some((mean - centre.value).abs() <= half_width)
        };
        self.centre(values).and_then(within).unwrap_or(false)
    }

    /// The values of a sample, not empty, outliers as far off as they count.
    pub fn moved_in(&self, values: &[f64]) -> Vec<f64> {
        moved_in(values, self.typical)
    }
}

impl Centre {
    /// Of two values at least, by that scatter; with none by their own alone.
    pub(crate) fn from_values(values: &[f64], scatter: Option<&Scatter>) -> Option<Self> {
        if values.len() < 2 {
            return None;
        }
        if let Some(scatter) = scatter {
            return scatter.centre(values);
        }
        let spread = MeanSpread::from_values(values)?;
        let scale = spread.error_squared.sqrt();
        let error = Error::only(scale, spread.freedom);
        Some(Self::with(spread.mean, spread.freedom + 1.0, vec![error]))
    }
}

/// The values of a sample, not empty, outliers as far off as they count where that is the typical
/// standard deviation.
pub(crate) fn moved_in(values: &[f64], typical: f64) -> Vec<f64> {
    let middle = median(values.to_vec());
    let own = median(values.iter().map(|value| (value - middle).abs()).collect());
    // A sample that scatters widely by itself has no outliers by the measure of the others. By
    // these factors the median deviation of 3, 5 and more normal values falls short of their σ.
    let factor = match values.len() {
        ..=3 => 2.5,
        4..=5 => 1.9,
        _ => 1.6,
    };
    let far = OUTLIER * typical.max(factor * own);
    values.iter().map(|value| middle + (value - middle).clamp(-far, far)).collect()
}

/// The typical standard deviation: from the median of the differences between repeats, of samples that
/// are sorted.
pub(crate) fn typical(samples: &[&[f64]]) -> f64 {
    let pairs: u64 = samples.iter().map(|sample| sample.len() as u64).map(pairs).sum();
    if pairs == 0 {
        return 0.0;
    }
    let values: u64 = samples.iter().map(|sample| sample.len() as u64).sum();
    let middle = match pairs <= MADE * values {
        true => median(differences(samples)),
        false => counted_median(samples, pairs),
    };
    middle / MEDIAN_DIFFERENCE
}

pub(crate) fn sorted(sample: &[f64]) -> Vec<f64> {
    let mut sample = sample.to_vec();
    sample.sort_by(f64::total_cmp);
    sample
}

/// So many differences for each value are made sooner than they are counted.
const MADE: u64 = 16;

/// Of samples that are sorted.
fn differences(samples: &[&[f64]]) -> Vec<f64> {
    let mut all = Vec::new();
    for sample in samples {
        for (last, value) in sample.iter().enumerate() {
            all.extend(sample[..last].iter().map(|first| value - first));
        }
    }
    all
}

fn pairs(values: u64) -> u64 {
    values * values.saturating_sub(1) / 2
}

/// The median of so many differences.
fn counted_median(samples: &[&[f64]], pairs: u64) -> f64 {
    match pairs % 2 {
        1 => difference(samples, pairs / 2),
        _ => f64::midpoint(difference(samples, pairs / 2 - 1), difference(samples, pairs / 2)),
    }
}

/// The difference of two values of a sample than which so many are smaller, or equal: found by
/// counting, as all differences of a long sample together would take the square of its length. The
/// samples are sorted.
fn difference(samples: &[&[f64]], nth: u64) -> f64 {
    let up_to = |most: f64| -> u64 {
        let in_sample = |sample: &&[f64]| {
            let mut first = 0;
            let within = |(last, value): (usize, &f64)| {
                while first < last && value - sample[first] > most {
                    first += 1;
                }
                (last - first) as u64
            };
            sample.iter().enumerate().map(within).sum::<u64>()
        };
        samples.iter().map(in_sample).sum()
    };
    // Numbers that are not negative have the order of their bits.
    let (mut low, mut high) = (0, f64::INFINITY.to_bits());
    while low < high {
        let middle = low + (high - low) / 2;
        if up_to(f64::from_bits(middle)) > nth { high = middle } else { low = middle + 1 }
    }
    f64::from_bits(low)
}

/// Of one value at least.
fn median(mut values: Vec<f64>) -> f64 {
    let (half, is_even) = (values.len() / 2, values.len().is_multiple_of(2));
    let (below, middle, _) = values.select_nth_unstable_by(half, f64::total_cmp);
    match below.iter().copied().max_by(f64::total_cmp) {
        Some(other) if is_even => f64::midpoint(other, *middle),
        _ => *middle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_all_differences_is_found_without_making_them() {
        let mut state = 7_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / 1000.0
        };
        for sizes in [vec![2], vec![3, 1, 0], vec![5, 4], vec![7, 2, 30]] {
            let mut samples: Vec<Vec<f64>> =
                sizes.iter().map(|size| (0..*size).map(|_| draw()).collect()).collect();
            let same = samples[0][0];
            samples[0].push(same);
            let each = |sample: &Vec<f64>| {
                let of = |i: usize| sample[..i].iter().map(move |b| (sample[i] - b).abs());
                (0..sample.len()).flat_map(of).collect::<Vec<f64>>()
            };
            let all: Vec<f64> = samples.iter().flat_map(each).collect();
            let pairs = all.len() as u64;
            let middle = median(all);
            samples.iter_mut().for_each(|sample| *sample = sorted(sample));
            let samples: Vec<&[f64]> = samples.iter().map(Vec::as_slice).collect();
            assert_eq!(typical(&samples), middle / MEDIAN_DIFFERENCE);
            assert_eq!(counted_median(&samples, pairs), middle);
        }
        assert_eq!(typical(&[&[1.0]]), 0.0);
    }

    #[test]
    fn long_samples_take_no_square_of_their_length() {
        let sample: Vec<f64> = (0..200_000).map(f64::from).collect();
        let expected = 200_000.0 * (1.0 - 0.5_f64.sqrt()) / MEDIAN_DIFFERENCE;
        assert!((typical(&[&sample]) / expected - 1.0).abs() < 1e-3);
    }
}
