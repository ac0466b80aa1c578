use crate::Stream;
use model::{KeyDistribution, KeyParameters};

/// Draws keys from a range with a given popularity.
///
/// The distributions and their parameters are sysbench's, so that both tools touch the same share
/// of the rows.
///
/// ```
/// use workload::{Keys, Stream};
/// // Pareto's rule: four fifths of the draws fall on one fifth of the keys.
/// let distribution = model::KeyDistribution::Pareto;
/// let keys = Keys::new(distribution, &model::KeyParameters::default(), 1, 10_000);
/// let mut stream = Stream::new(42, "keys", 0);
/// let popular = (0..100_000).filter(|_| keys.draw(&mut stream) <= 2_000).count();
/// assert!((79_000..81_000).contains(&popular));
/// ```
#[derive(Clone, Debug)]
pub struct Keys {
    low: u32,
    high: u32,
    shape: Shape,
}

#[derive(Clone, Debug)]
enum Shape {
    Uniform,
    Gaussian { iterations: u32 },
    Special { iterations: u32, range: f64, draws: f64 },
    Pareto { power: f64 },
    Zipfian(Zipf),
}

impl Keys {
    /// Keys in `low..=high`.
    ///
    /// # Panics
    /// When `low > high`.
    pub fn new(
        distribution: KeyDistribution,
        parameters: &KeyParameters,
        low: u32,
        high: u32,
    ) -> Self {
        assert!(low <= high, "an empty range has no keys");
        let iterations = parameters.iterations.max(1);
        let shape = match distribution {
            KeyDistribution::Uniform => Shape::Uniform,
            KeyDistribution::Gaussian => Shape::Gaussian { iterations },
            KeyDistribution::Special => Shape::Special {
                iterations,
                range: f64::from(parameters.popular_range) / 100.0,
                draws: f64::from(parameters.popular_draws) / 100.0,
            },
            KeyDistribution::Pareto => {
                let h = parameters.pareto_h;
                Shape::Pareto { power: h.ln() / (1.0 - h).ln() }
            }
            KeyDistribution::Zipfian => {
                Shape::Zipfian(Zipf::new(u64::from(high - low) + 1, parameters.zipfian_exponent))
            }
        };
        Self { low, high, shape }
    }

    /// The next key.
    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> u32 {
        let width = f64::from(self.high - self.low);
        let offset = match &self.shape {
            Shape::Uniform => return stream.between(self.low, self.high),
            Shape::Gaussian { iterations } => mean_of_uniforms(stream, *iterations) * (width + 1.0),
            Shape::Special { iterations, range, draws } => {
                special(stream, width, *iterations, *range, *draws)
            }
            Shape::Pareto { power } => (width + 1.0) * stream.unit().powf(*power),
            Shape::Zipfian(zipf) => (zipf.draw(stream) - 1) as f64,
        };
        self.low + (offset as u32).min(self.high - self.low)
    }
}

fn mean_of_uniforms(stream: &mut Stream, iterations: u32) -> f64 {
    (0..iterations).map(|_| stream.unit()).sum::<f64>() / f64::from(iterations)
}

/// A share of the draws (`draws`) falls evenly on a share of the range (`range`) in its middle,
/// the rest is gaussian.
fn special(stream: &mut Stream, width: f64, iterations: u32, range: f64, draws: f64) -> f64 {
    let unit = stream.unit();
    if unit < 1.0 - draws {
        return mean_of_uniforms(stream, iterations) * width;
    }
    // As in sysbench, the draw that chose this branch also places the key: with the defaults it is
    // at least a quarter, so the first quarter of the popular range stays cold.
    let popular = width * range;
    width / 2.0 - popular / 2.0 + unit * (popular + 1.0)
}

/// Zipfian ranks by rejection-inversion: W. Hörmann and G. Derflinger, "Rejection-inversion to
/// generate variates from monotone discrete distributions", ACM TOMACS 6 (1996) 169–184.
#[derive(Clone, Debug)]
struct Zipf {
    ranks: u64,
    exponent: f64,
    /// Area under the hat up to the last rank.
    last: f64,
    /// Area under the hat before the second rank, less the first rank's probability.
    first: f64,
    /// Below this distance to the rank no rejection test is needed.
    accept: f64,
}

impl Zipf {
    fn new(ranks: u64, exponent: f64) -> Self {
        let mut zipf = Self { ranks, exponent, last: 0.0, first: 0.0, accept: 0.0 };
        zipf.first = zipf.area(1.5) - 1.0;
        zipf.last = zipf.area(ranks as f64 + 0.5);
        zipf.accept = 2.0 - zipf.area_inverse(zipf.area(2.5) - zipf.density(2.0));
        zipf
    }

    /// The density's envelope x^−s.
    fn density(&self, x: f64) -> f64 {
        x.powf(-self.exponent)
    }

    /// Its antiderivative (x^(1−s) − 1) ÷ (1 − s), which is ln x where s is 1.
    fn area(&self, x: f64) -> f64 {
        match 1.0 - self.exponent {
            0.0 => x.ln(),
            rest => (x.powf(rest) - 1.0) / rest,
        }
    }

    fn area_inverse(&self, y: f64) -> f64 {
        match 1.0 - self.exponent {
            0.0 => y.exp(),
            rest => (1.0 + y * rest).powf(1.0 / rest),
        }
    }

    /// A rank from 1 to `ranks`.
    fn draw(&self, stream: &mut Stream) -> u64 {
        loop {
            let u = self.last + stream.unit() * (self.first - self.last);
            let x = self.area_inverse(u);
            let rank = (x + 0.5) as u64;
            let rank = rank.clamp(1, self.ranks);
            let k = rank as f64;
            if k - x <= self.accept || u >= self.area(k + 0.5) - self.density(k) {
                return rank;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DRAWS: u32 = 200_000;

    /// Share of draws from 1..=10000 that satisfies the predicate.
    fn share(distribution: KeyDistribution, predicate: impl Fn(u32) -> bool) -> f64 {
        share_with(distribution, &KeyParameters::default(), predicate)
    }

    fn share_with(
        distribution: KeyDistribution,
        parameters: &KeyParameters,
        predicate: impl Fn(u32) -> bool,
    ) -> f64 {
        let keys = Keys::new(distribution, parameters, 1, 10_000);
        let mut stream = Stream::new(42, "test", 0);
        let hits = (0..DRAWS).filter(|_| predicate(keys.draw(&mut stream))).count();
        hits as f64 / f64::from(DRAWS)
    }

    #[test]
    fn uniform_hits_each_half_equally() {
        assert!((share(KeyDistribution::Uniform, |k| k <= 5_000) - 0.5).abs() < 0.01);
    }

    #[test]
    fn gaussian_has_the_standard_deviation_of_a_mean_of_twelve_uniforms() {
        // σ = 1 ÷ 12 of the width; 68.3 % within one σ.
        let within = share(KeyDistribution::Gaussian, |k| (4_167..=5_833).contains(&k));
        assert!((within - 0.683).abs() < 0.01, "{within}");
    }

    #[test]
    fn special_hits_the_middle_hundredth_with_three_quarters_of_the_draws() {
        // The rest is gaussian and adds about 0.25 × 4.8 %.
        let popular = share(KeyDistribution::Special, |k| (4_950..=5_052).contains(&k));
        assert!((popular - 0.762).abs() < 0.01, "{popular}");
    }

    #[test]
    fn pareto_gives_four_fifths_of_the_draws_to_one_fifth_of_the_keys() {
        let popular = share(KeyDistribution::Pareto, |k| k <= 2_000);
        assert!((popular - 0.8).abs() < 0.01, "{popular}");
    }

    #[test]
    fn zipfian_follows_the_power_law() {
        let total: f64 = (1..=10_000).map(|k| f64::from(k).powf(-0.8)).sum();
        let first = share(KeyDistribution::Zipfian, |k| k == 1);
        assert!((first - 1.0 / total).abs() < 0.003, "{first}");
        let expected: f64 = (1..=100).map(|k| f64::from(k).powf(-0.8)).sum::<f64>() / total;
        let hundred = share(KeyDistribution::Zipfian, |k| k <= 100);
        assert!((hundred - expected).abs() < 0.01, "{hundred} against {expected}");
    }

    #[test]
    fn the_parameters_shape_the_distributions() {
        let default = KeyParameters::default();
        let parameters = KeyParameters { popular_range: 10, popular_draws: 50, ..default };
        let middle = |k: u32| (4_500..=5_503).contains(&k);
        // Half of the draws, and 45 % of the gaussian other half.
        let popular = share_with(KeyDistribution::Special, &parameters, middle);
        assert!((popular - 0.725).abs() < 0.01, "{popular}");
        let parameters = KeyParameters { pareto_h: 0.1, ..default };
        let popular = share_with(KeyDistribution::Pareto, &parameters, |k| k <= 1_000);
        assert!((popular - 0.9).abs() < 0.01, "{popular}");
        let parameters = KeyParameters { iterations: 1, ..default };
        let half = share_with(KeyDistribution::Gaussian, &parameters, |k| k <= 1_000);
        assert!((half - 0.1).abs() < 0.01, "one uniform draw is uniform: {half}");
        for exponent in [0.0, 1.0, 1.5] {
            let parameters = KeyParameters { zipfian_exponent: exponent, ..default };
            let total: f64 = (1..=10_000).map(|k| f64::from(k).powf(-exponent)).sum();
            let first = share_with(KeyDistribution::Zipfian, &parameters, |k| k == 1);
            assert!((first - 1.0 / total).abs() < 0.01, "{exponent}: {first}");
        }
    }

    proptest! {
        #[test]
        fn draws_stay_in_the_range(low in 0u32..100_000, width in 0u32..100_000, seed: u64) {
            let mut stream = Stream::new(seed, "test", 0);
            for distribution in KeyDistribution::ALL {
                let parameters = KeyParameters::default();
                let keys = Keys::new(distribution, &parameters, low, low + width);
                for _ in 0..50 {
                    let key = keys.draw(&mut stream);
                    prop_assert!((low..=low + width).contains(&key));
                }
            }
        }
    }
}
