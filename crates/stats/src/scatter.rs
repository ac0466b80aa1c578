//! How widely repeats scatter, learned from all samples of a kind together.
//!
//! Two or three repeats say little of their own scatter, but the cells of a study scatter alike,
//! though not equally. The variance of each sample is taken for a draw from an inverse χ²
//! distribution whose place and width all samples together tell (G. K. Smyth, *Statistical
//! Applications in Genetics and Molecular Biology* 3, 2004). Smyth estimates that distribution and
//! then takes it for known, which errs too often where there are few samples; here every
//! distribution that the samples allow counts with its posterior weight.

use crate::Autocorrelation;
use crate::incomplete::BetweenBlocks;
use crate::interval::{Bounds, MeanSpread, is_confidence};
use crate::student::two_tails;
use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::gamma::ln_gamma;

/// Degrees of freedom that the scatter of the other samples may be worth, with the weight of each
/// before anything was seen: from "says next to nothing" to "all scatter equally". Of the weights
/// that were simulated those that find the most and let no family err in more than 5.5 % of studies.
const FREEDOMS: [(f64, f64); 6] =
    [(1.0, 4.0), (2.0, 3.0), (4.0, 1.0), (8.0, 1.0), (16.0, 0.5), (64.0, 1.0)];
/// From so many degrees of freedom on the weight grows with the root of the number of samples, as a
/// parameter that is not needed does in the criterion of G. Schwarz (*Annals of Statistics* 6,
/// 1978): few samples cannot tell that all scatter equally, and many nearly can.
const NEARLY_EQUAL: f64 = 16.0;
/// For this number of samples the weights are those above.
const USUAL_SAMPLES: f64 = 6.0;
/// Where the typical variance may lie, as logarithm of a factor to the mean of those seen, and in
/// what steps. Of few repeats the true one may be far above what was seen, and hardly below.
const LOWEST: f64 = -4.0;
const HIGHEST: f64 = 7.0;
const STEP: f64 = 0.25;
/// Freedoms with less than this share of all weight are left out.
const NEGLIGIBLE: f64 = 0.01;
/// In how many parts the possible variances of one freedom are put together.
const CONDENSED: usize = 4;
/// A repeat that is further from the median of its sample than so many typical deviations is moved
/// there: one bad trial must not hide what all others say.
const OUTLIER: f64 = 3.0;
/// The median of |a − b| of two normal values of standard deviation 1.
const MEDIAN_DIFFERENCE: f64 = 0.953_872_552_417_6;
/// The longest step in search of a half width, on logarithms.
const FARTHEST: f64 = 3.0;
/// Fewest samples that have something to lend.
const FEWEST: usize = 3;
/// Variances below this share of the mean count as this much: what was rounded may seem to scatter
/// not at all.
const LEAST_VARIANCE: f64 = 1e-6;

/// How widely the samples of a kind scatter.
#[derive(Clone, Debug, PartialEq)]
pub struct Scatter {
    /// What the distribution of variances may be.
    possible: Vec<Prior>,
    /// The typical standard deviation, which outliers do not move.
    typical: f64,
    /// How far repeats in a row are alike.
    autocorrelation: Autocorrelation,
}

/// One distribution of variances.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Prior {
    /// All weights together are 1.
    weight: f64,
    freedom: f64,
    variance: f64,
}

/// The centre of a sample, with what is needed to say how far off it may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Centre {
    /// The mean of the values; outliers count as less far off than they are.
    pub value: f64,
    /// How many values.
    n: f64,
    /// Its Student's t distributions, by weight; all weights together are 1.
    pub(crate) errors: Vec<Error>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Error {
    pub(crate) weight: f64,
    /// Standard error.
    pub(crate) scale: f64,
    pub(crate) freedom: f64,
}

/// A sample as it enters: its mean, variance and size, outliers moved in.
struct Moments {
    mean: f64,
    variance: f64,
    n: f64,
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

    /// Learned from samples, in order of repeat, of two values at least; others are passed over. `None` for fewer than
    /// three, which have nothing to borrow, and where none scatters.
    ///
    /// `independent` is how much of what the samples say is not said twice, in (0, 1]: the ratios
    /// of all pairs of k targets rest on k samples, so their share is 2 ÷ k.
    pub fn of(samples: &[Vec<f64>], independent: f64) -> Option<Self> {
        let typical = typical(samples);
        let autocorrelation = Autocorrelation::of(samples, independent);
        let mut this = Self { possible: Vec::new(), typical, autocorrelation };
        let seen: Vec<Moments> = samples.iter().filter_map(|sample| this.moments(sample)).collect();
        let mean = seen.iter().map(|sample| sample.variance).sum::<f64>() / seen.len() as f64;
        if seen.len() < FEWEST || !(mean > 0.0 && mean.is_finite()) {
            return None;
        }
        let steps = ((HIGHEST - LOWEST) / STEP) as i32;
        let many = (independent.clamp(0.0, 1.0) * seen.len() as f64 / USUAL_SAMPLES).sqrt();
        for (freedom, weight) in FREEDOMS {
            let weight = if freedom < NEARLY_EQUAL { weight } else { weight * many };
            let scale: f64 = seen.iter().map(|sample| log_scale(sample.n - 1.0, freedom)).sum();
            for step in 0..=steps {
                let variance = mean * (LOWEST + f64::from(step) * STEP).exp();
                let shapes = seen.iter().map(|sample| log_shape(sample, freedom, variance, mean));
                let fits = scale + shapes.sum::<f64>();
                let weight = weight.ln() + independent.clamp(0.0, 1.0) * fits;
                this.possible.push(Prior { weight, freedom, variance });
            }
        }
        let most = this.possible.iter().map(|prior| prior.weight).fold(f64::MIN, f64::max);
        this.possible.iter_mut().for_each(|prior| prior.weight = (prior.weight - most).exp());
        let sum: f64 = this.possible.iter().map(|prior| prior.weight).sum();
        this.possible.iter_mut().for_each(|prior| prior.weight /= sum);
        this.possible = FREEDOMS.iter().flat_map(|(freedom, _)| this.condensed(*freedom)).collect();
        Some(this)
    }

    /// The possibilities of one freedom in a few of equal weight: every interval asks all of them.
    fn condensed(&self, freedom: f64) -> Vec<Prior> {
        let all = || self.possible.iter().filter(|prior| prior.freedom == freedom);
        let weight: f64 = all().map(|prior| prior.weight).sum();
        if weight < NEGLIGIBLE {
            return Vec::new();
        }
        let share = weight / CONDENSED as f64;
        let mut parts = vec![Prior { weight: 0.0, freedom, variance: 0.0 }; CONDENSED];
        let mut before = 0.0;
        for prior in all() {
            // What lies across the end of a part counts in both.
            let mut left = prior.weight;
            while left > 0.0 {
                let place = ((before / share) as usize).min(CONDENSED - 1);
                let room =
                    if place + 1 < CONDENSED { (place + 1) as f64 * share - before } else { left };
                let taken = left.min(room.max(share * 1e-9));
                parts[place].weight += taken;
                parts[place].variance += taken * prior.variance.ln();
                before += taken;
                left -= taken;
            }
        }
        let filled = parts.into_iter().filter(|part| part.weight > 0.0);
        filled.map(|part| Prior { variance: (part.variance / part.weight).exp(), ..part }).collect()
    }

    /// The centre of a sample of the kind; `None` for fewer than two values.
    pub fn centre(&self, values: &[f64]) -> Option<Centre> {
        self.centre_with(values, None)
    }

    /// The centre of differences within pairs, and of what else is known of them.
    pub(crate) fn centre_with(
        &self,
        values: &[f64],
        more: Option<BetweenBlocks>,
    ) -> Option<Centre> {
        let Moments { mean, variance, n: pairs } = self.moments(values)?;
        let (mean, n) = match more {
            Some(BetweenBlocks { difference, worth }) => {
                ((pairs * mean + worth * difference) / (pairs + worth), pairs + worth)
            }
            None => (mean, pairs),
        };
        let widening = self.autocorrelation.widening(n);
        let error = |prior: &Prior| {
            let own = pairs - 1.0;
            let freedom = prior.freedom + own;
            let variance = (prior.freedom * prior.variance + own * variance) / freedom;
            let scale = (variance / n).sqrt() * widening;
            Error { weight: prior.weight, scale, freedom }
        };
        Some(Centre { value: mean, n, errors: self.possible.iter().map(error).collect() })
    }

    /// How far each value is from the mean, outliers moved in, and as much further as repeats that are
    /// alike scatter less than they would.
    pub(crate) fn deviations(&self, values: &[f64]) -> Vec<f64> {
        let moved = self.moved_in(values);
        let n = moved.len() as f64;
        let mean = moved.iter().sum::<f64>() / n;
        let widening = self.autocorrelation.widening(n);
        moved.into_iter().map(|value| (value - mean) * widening).collect()
    }

    /// Of two values at least.
    fn moments(&self, values: &[f64]) -> Option<Moments> {
        if values.len() < 2 {
            return None;
        }
        let moved = self.moved_in(values);
        let n = moved.len() as f64;
        let mean = moved.iter().sum::<f64>() / n;
        let variance = moved.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Some(Moments { mean, variance, n })
    }

    /// The values of a sample, not empty, outliers as far off as they count.
    pub fn moved_in(&self, values: &[f64]) -> Vec<f64> {
        let middle = median(values.to_vec());
        let own = median(values.iter().map(|value| (value - middle).abs()).collect());
        // A sample that scatters widely by itself has no outliers by the measure of the others. By
        // these factors the median deviation of 3, 5 and more normal values falls short of their σ.
        let factor = match values.len() {
            ..=3 => 2.5,
            4..=5 => 1.9,
            _ => 1.6,
        };
        let far = OUTLIER * self.typical.max(factor * own);
        values.iter().map(|value| middle + (value - middle).clamp(-far, far)).collect()
    }
}

/// The typical standard deviation: from the median of the differences between repeats.
fn typical(samples: &[Vec<f64>]) -> f64 {
    let sorted: Vec<Vec<f64>> = samples
        .iter()
        .map(|sample| {
            let mut sample = sample.clone();
            sample.sort_by(f64::total_cmp);
            sample
        })
        .collect();
    let pairs: u64 = sorted.iter().map(|sample| sample.len() as u64).map(pairs).sum();
    if pairs == 0 {
        return 0.0;
    }
    let middle = match pairs % 2 {
        1 => difference(&sorted, pairs / 2),
        _ => f64::midpoint(difference(&sorted, pairs / 2 - 1), difference(&sorted, pairs / 2)),
    };
    middle / MEDIAN_DIFFERENCE
}

fn pairs(values: u64) -> u64 {
    values * values.saturating_sub(1) / 2
}

/// The difference of two values of a sample than which so many are smaller, or equal: found by
/// counting, as all differences of a long sample together would take the square of its length. The
/// samples are sorted.
fn difference(samples: &[Vec<f64>], nth: u64) -> f64 {
    let up_to = |most: f64| -> u64 {
        let in_sample = |sample: &Vec<f64>| {
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
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    if values.len() % 2 == 1 { values[half] } else { f64::midpoint(values[half - 1], values[half]) }
}

/// The logarithm of how likely a variance is by a prior, up to what all priors share, is the sum of
/// two: variance ÷ `typical` is distributed as F. This part is the same for all variances.
pub(crate) fn log_scale(own: f64, prior: f64) -> f64 {
    ln_gamma(f64::midpoint(own, prior)) - ln_gamma(own / 2.0) - ln_gamma(prior / 2.0)
        + own / 2.0 * (own / prior).ln()
}

fn log_shape(sample: &Moments, prior: f64, typical: f64, mean: f64) -> f64 {
    let own = sample.n - 1.0;
    let ratio = sample.variance.max(LEAST_VARIANCE * mean) / typical;
    (own / 2.0 - 1.0) * ratio.ln()
        - f64::midpoint(own, prior) * (own * ratio / prior).ln_1p()
        - typical.ln()
}

impl Centre {
    /// With errors whose weights are 1 together.
    pub(crate) fn with(value: f64, n: f64, errors: Vec<Error>) -> Self {
        Self { value, n, errors }
    }

    /// Of two values at least, by that scatter; with none by their own alone.
    pub(crate) fn of(values: &[f64], scatter: Option<&Scatter>) -> Option<Self> {
        if values.len() < 2 {
            return None;
        }
        if let Some(scatter) = scatter {
            return scatter.centre(values);
        }
        let spread = MeanSpread::of(values)?;
        let scale = spread.error_squared.sqrt();
        let error = Error { weight: 1.0, scale, freedom: spread.freedom };
        Some(Self { value: spread.mean, n: spread.freedom + 1.0, errors: vec![error] })
    }

    /// Of the difference b − a of two centres by the same scatter.
    ///
    /// The degrees of freedom are Satterthwaite's of what each sample says itself and half of what it
    /// has borrowed: both have borrowed the same, as two targets at a level mostly scatter alike, and
    /// what is borrowed twice counts once.
    pub(crate) fn difference(a: &Self, b: &Self) -> Self {
        let once = |centre: &Self, error: &Error| {
            let own = (centre.n - 1.0).min(error.freedom);
            f64::midpoint(own, error.freedom)
        };
        // Both were found by the same possibilities, in the same order.
        let errors = a.errors.iter().zip(&b.errors).map(|(of_a, of_b)| {
            let (a_squared, b_squared) = (of_a.scale.powi(2), of_b.scale.powi(2));
            let (a_freedom, b_freedom) = (once(a, of_a), once(b, of_b));
            let both = a_squared + b_squared;
            let parts = a_squared.powi(2) / a_freedom + b_squared.powi(2) / b_freedom;
            let freedom = if both > 0.0 { both.powi(2) / parts } else { a_freedom + b_freedom };
            Error { weight: of_a.weight, scale: both.sqrt(), freedom }
        });
        Self { value: b.value - a.value, n: a.n.min(b.n), errors: errors.collect() }
    }

    /// Of one further value rather than of the mean.
    pub(crate) fn next(&self) -> Self {
        let widened =
            |error: &Error| Error { scale: error.scale * (self.n + 1.0).sqrt(), ..*error };
        Self { errors: self.errors.iter().map(widened).collect(), ..self.clone() }
    }

    /// That values scatter at least so much, whatever the few there are show: what was rounded alike
    /// in every repeat is not without scatter.
    pub(crate) fn scattering_at_least(mut self, deviation: f64) -> Self {
        let least = deviation / self.n.sqrt();
        self.errors.iter_mut().for_each(|error| error.scale = error.scale.max(least));
        self
    }

    /// One value without an error of its own.
    pub(crate) fn exact(value: f64) -> Self {
        Self { value, n: 1.0, errors: vec![Error { weight: 1.0, scale: 0.0, freedom: 1.0 }] }
    }

    /// With no smaller error than this, of so many degrees of freedom.
    pub(crate) fn erring_at_least(mut self, scale: f64, freedom: f64) -> Self {
        for error in self.errors.iter_mut().filter(|error| error.scale < scale) {
            *error = Error { scale, freedom, ..*error };
        }
        self
    }

    /// Whether it borrows from no others.
    pub(crate) fn is_alone(&self) -> bool {
        self.errors.len() == 1
    }

    /// What it would be with so many values that scatter as these; `None` for fewer than these.
    pub(crate) fn with_repeats(&self, n: f64) -> Option<Self> {
        let more = |error: &Error| Error {
            scale: error.scale * (self.n / n).sqrt(),
            freedom: error.freedom + n - self.n,
            ..*error
        };
        let errors = self.errors.iter().map(more).collect();
        (n >= self.n).then_some(Self { value: self.value, n, errors })
    }

    /// Where the true centre lies, with that confidence.
    pub(crate) fn bounds(&self, confidence: f64) -> Option<Bounds> {
        let half = self.half_width(confidence)?;
        Some(Bounds { low: self.value - half, high: self.value + half, confidence })
    }

    /// How likely a centre at least so far from the true one is by chance, on either side.
    pub fn p_value(&self, distance: f64) -> f64 {
        if distance.is_nan() || distance <= 0.0 {
            return 1.0;
        }
        let share = |error: &Error| {
            let t = distance / error.scale;
            if t.is_finite() { error.weight * two_tails(t, error.freedom) } else { 0.0 }
        };
        self.errors.iter().map(share).sum::<f64>().clamp(0.0, 1.0)
    }

    /// How far the true centre is from this one at most, on either side, with that confidence.
    /// `None` for a confidence outside (0, 1), and where the distance is beyond measure.
    pub fn half_width(&self, confidence: f64) -> Option<f64> {
        if !is_confidence(confidence) {
            return None;
        }
        let missed = 1.0 - confidence;
        let widest = self.errors.iter().map(|error| error.scale).fold(0.0, f64::max);
        if widest <= 0.0 {
            return Some(0.0);
        }
        // By logarithms of both the p-value is nearly a straight line in the tail.
        let excess = |half: f64| (self.p_value(half.exp()) / missed).ln();
        let (guess, slope) = self.guess(missed);
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        let (mut before, mut above) = (guess, excess(guess));
        let mut half = before + (above / slope).clamp(-FARTHEST, FARTHEST);
        for _ in 0..200 {
            let at = excess(half);
            if at.abs() < 1e-9 {
                break;
            }
            for (place, excess) in [(before, above), (half, at)] {
                if excess > 0.0 {
                    low = low.max(place);
                } else {
                    high = high.min(place);
                }
            }
            if high - low <= 1e-12 {
                break;
            }
            let secant = half - at * (half - before) / (at - above);
            let within = secant > low && secant < high && (secant - half).abs() <= FARTHEST;
            let next = match (low.is_finite(), high.is_finite()) {
                _ if within => secant,
                (true, true) => f64::midpoint(low, high),
                (true, false) => low + FARTHEST,
                _ => high - FARTHEST,
            };
            (before, above) = (half, at);
            half = next;
        }
        let half = half.exp();
        half.is_finite().then_some(half)
    }

    /// About what the logarithm of the half width will be, and by how much that of the p-value falls
    /// when it grows: as if there were one distribution (the quantile is of Cornish and Fisher).
    fn guess(&self, missed: f64) -> (f64, f64) {
        let scale: f64 = self.errors.iter().map(|error| error.weight * error.scale.powi(2)).sum();
        let inverse: f64 = self.errors.iter().map(|error| error.weight / error.freedom).sum();
        let freedom = inverse.recip();
        let z = normal_score(missed).max(0.01);
        let t = z + (z.powi(3) + z) * inverse / 4.0;
        let slope = (freedom + 1.0) * t.powi(2) / (freedom + t.powi(2));
        ((t * scale.sqrt()).ln(), slope.max(0.1))
    }
}

/// How many standard deviations a two-sided p-value is worth.
pub(crate) fn normal_score(p_value: f64) -> f64 {
    // The smallest that has a finite quantile.
    let tail = (p_value / 2.0).clamp(1e-300, 0.5);
    Normal::standard().inverse_cdf(tail).abs()
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
            assert_eq!(typical(&samples), median(all) / MEDIAN_DIFFERENCE);
        }
        assert_eq!(typical(&[vec![1.0]]), 0.0);
    }

    #[test]
    fn long_samples_take_no_square_of_their_length() {
        let sample: Vec<f64> = (0..200_000).map(f64::from).collect();
        let expected = 200_000.0 * (1.0 - 0.5_f64.sqrt()) / MEDIAN_DIFFERENCE;
        assert!((typical(&[sample]) / expected - 1.0).abs() < 1e-3);
    }
}
