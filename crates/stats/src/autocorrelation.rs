//! How far repeats that follow one another resemble each other, and what that does to an interval.

/// Lag-1 autocorrelation of repeats, learned from many samples together.
///
/// What changes slowly beside a study, such as a neighbour's load, makes repeats in a row alike. Then
/// they scatter less than the truth, and an interval that takes them for independent is too narrow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Autocorrelation {
    /// From 0 to 0.95: as estimated, less what chance alone would often show.
    pub coefficient: f64,
    /// Standard deviations by which repeats in a row are more alike than independent ones would be;
    /// 0 where they are not.
    pub score: f64,
}

/// The highest coefficient that is told from others.
const HIGHEST: f64 = 0.95;
/// Steps of the search for the coefficient: each halves what it may be off by.
const HALVINGS: u32 = 30;

impl Autocorrelation {
    /// Over samples in order of repeat; of three values and more, the others tell nothing.
    /// `independent` is the share of what they say that is not said twice, in (0, 1].
    ///
    /// In each sample the sum of squared steps from one value to the next is put in proportion to
    /// the sum of squared deviations from the mean (J. von Neumann, *Annals of Mathematical
    /// Statistics* 12, 1941): 2 is expected of independent values, with variance
    /// 4 (n − 2) ÷ ((n + 1)(n − 1)), less where neighbours are alike. The coefficient is that of a
    /// first-order autoregression of which the mean of these ratios is expected. It is shrunk by
    /// 1 − 2 ÷ score² (after W. James and C. Stein, *Fourth Berkeley Symposium* 1, 1961, whose factor
    /// is 1 − 1 ÷ score²; so intervals of independent repeats are 2 to 4 % wider for nothing, and
    /// not 3 to 9 %).
    pub fn from_samples(samples: &[Vec<f64>], independent: f64) -> Self {
        let seen: Vec<Steps> =
            samples.iter().filter_map(|sample| Steps::from_values(sample)).collect();
        let weight: f64 = seen.iter().map(|steps| steps.weight).sum();
        let missing: f64 = seen.iter().map(|steps| steps.weight * (2.0 - steps.ratio)).sum();
        let score = missing / weight.sqrt() * independent.clamp(0.0, 1.0).sqrt();
        if score.is_nan() || score <= 0.0 {
            return Self::default();
        }
        let excess = |coefficient: f64| -> f64 {
            // Most samples are of one size.
            let (mut size, mut expected) = (0.0, 0.0);
            let off = |steps: &Steps| {
                if steps.n != size {
                    (size, expected) = (steps.n, expected_ratio(steps.n, coefficient));
                }
                steps.weight * (steps.ratio - expected)
            };
            seen.iter().map(off).sum()
        };
        let (mut low, mut high) = (0.0, HIGHEST);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            // The ratio falls when the coefficient grows.
            if excess(middle) < 0.0 { low = middle } else { high = middle }
        }
        let shrunk = (1.0 - 2.0 / score.powi(2)).max(0.0);
        Self { coefficient: shrunk * f64::midpoint(low, high), score }
    }

    /// By what factor the error of the mean of `n` values, at least 2, is larger than they seem to
    /// say: more of it is common to all of them, and their own scatter shows less of it.
    pub fn widening(&self, n: f64) -> f64 {
        if self.coefficient <= 0.0 || n < 2.0 {
            return 1.0;
        }
        let common = variance_of_sum(n, self.coefficient);
        (common * (n - 1.0) / (n - common)).sqrt()
    }
}

/// What a sample says of its order.
struct Steps {
    n: f64,
    /// Sum of squared steps ÷ sum of squared deviations.
    ratio: f64,
    /// The inverse of the ratio's variance for independent values.
    weight: f64,
}

impl Steps {
    /// Of three values at least that are not all the same.
    fn from_values(values: &[f64]) -> Option<Self> {
        if values.len() < 3 {
            return None;
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let deviations: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let steps: f64 = values.windows(2).map(|two| (two[1] - two[0]).powi(2)).sum();
        let ratio = steps / deviations;
        let weight = (n + 1.0) * (n - 1.0) / (4.0 * (n - 2.0));
        ratio.is_finite().then_some(Self { n, ratio, weight })
    }
}

/// The variance of the sum of `n` values ÷ what it would be were they independent.
fn variance_of_sum(n: f64, coefficient: f64) -> f64 {
    // Σ (n − k) ρ^k over k from 1 to n − 1 in closed form.
    let r = coefficient;
    let sum = (n * r * (1.0 - r) - r * (1.0 - r.powf(n))) / (1.0 - r).powi(2);
    1.0 + 2.0 * sum / n
}

/// What [`Steps::ratio`] is on average.
fn expected_ratio(n: f64, coefficient: f64) -> f64 {
    let of_means = 2.0 * (n - 1.0) * (1.0 - coefficient) / (n - variance_of_sum(n, coefficient));
    // The mean of a ratio is no ratio of means: few values that are alike show it less. By
    // simulation (3 to 10 values, coefficients from 0.3 to 0.8) to within 0.02.
    2.0 - (2.0 - of_means) * (n - 1.0) / (n + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Samples of a first-order autoregression.
    fn samples(count: usize, n: usize, coefficient: f64, seed: u64) -> Vec<Vec<f64>> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        // The sum of twelve uniform values is nearly normal.
        let mut normal =
            move || (0..12).map(|_| random.next_u64() as f64 / u64::MAX as f64).sum::<f64>() - 6.0;
        let own = (1.0 - coefficient * coefficient).sqrt();
        let mut sample = || {
            let mut value = normal();
            (0..n)
                .map(|_| {
                    let now = value;
                    value = coefficient * value + own * normal();
                    now
                })
                .collect()
        };
        (0..count).map(|_| sample()).collect()
    }

    #[test]
    fn many_samples_tell_the_coefficient() {
        for (n, coefficient) in [(3, 0.5), (5, 0.5), (5, 0.8), (10, 0.3)] {
            let found = Autocorrelation::from_samples(&samples(4000, n, coefficient, 7), 1.0);
            assert!((found.coefficient - coefficient).abs() < 0.08, "{n} {coefficient}: {found:?}");
            assert!(found.score > 5.0);
        }
    }

    #[test]
    fn independent_repeats_seldom_seem_alike() {
        let scores =
            (0..400).map(|seed| Autocorrelation::from_samples(&samples(12, 4, 0.0, seed), 1.0));
        let scores: Vec<Autocorrelation> = scores.collect();
        let alike = scores.iter().filter(|found| found.score > 3.0).count();
        assert!(alike <= 4, "{alike} of 400");
        let mean = scores.iter().map(|found| found.widening(4.0)).sum::<f64>() / 400.0;
        assert!(mean < 1.07, "intervals are {mean} times as wide for nothing");
    }

    #[test]
    fn the_widening_makes_up_for_what_is_common() {
        // Values of one coefficient: variance of the mean ÷ what the scatter within says of it.
        for (n, coefficient) in [(2, 0.5), (3, 0.5), (5, 0.8), (10, 0.4)] {
            let all = samples(20_000, n, coefficient, 3);
            let size = n as f64;
            let means = all.iter().map(|sample| sample.iter().sum::<f64>() / size);
            let truth = means.map(|mean| mean * mean).sum::<f64>() / all.len() as f64;
            let within = all.iter().map(|sample| {
                let mean = sample.iter().sum::<f64>() / size;
                sample.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (size - 1.0) / size
            });
            let seen = within.sum::<f64>() / all.len() as f64;
            let factor = Autocorrelation { coefficient, score: 9.0 }.widening(size);
            let off = (truth / seen).sqrt() / factor;
            assert!((0.95..1.05).contains(&off), "{n} {coefficient}: {off}");
        }
    }

    #[test]
    fn what_says_nothing_of_an_order_widens_nothing() {
        for samples in [vec![], vec![vec![1.0, 2.0]], vec![vec![3.0; 5]], vec![vec![f64::NAN; 4]]] {
            let found = Autocorrelation::from_samples(&samples, 1.0);
            assert_eq!(found, Autocorrelation::default());
            assert_eq!(found.widening(5.0), 1.0);
        }
    }
}
