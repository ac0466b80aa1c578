//! How often a test errs that is made again and again while values come in.

use statrs::distribution::{ContinuousCDF, Normal};
use std::f64::consts::PI;

/// Points of the grid on which the sum of the values is followed, an odd number.
const POINTS: usize = 801;

/// The chance that a test at this `error` finds a difference, where there is none, at any of
/// several looks at the same growing sample, whose sizes are given in ascending order: 0.05 at two
/// looks, the second at twice as many values, becomes 0.083.
///
/// Exact for normal values whose scatter is known, by recursive integration over the sums that
/// have not led to an end (P. Armitage, C. K. McPherson and B. C. Rowe, *Journal of the Royal
/// Statistical Society* A 132, 1969). Student's t on few values comes close to it.
///
/// `error` lies in (0, 1). A look that adds nothing counts as none.
pub fn error_of_looks(error: f64, sizes: &[u32]) -> f64 {
    let bound = Normal::standard().inverse_cdf(1.0 - error / 2.0);
    let mut sizes: Vec<f64> =
        sizes.iter().filter(|&&size| size > 0).map(|&size| f64::from(size)).collect();
    sizes.dedup();
    let Some(&first) = sizes.first() else { return error };
    let mut going_on = Density::within(bound * first.sqrt(), POINTS, |sum| normal(sum, first));
    for step in sizes.windows(2) {
        let (size, added) = (step[1], step[1] - step[0]);
        let before = going_on;
        going_on = Density::within(bound * size.sqrt(), POINTS, |sum| {
            before.integral(|earlier| normal(sum - earlier, added))
        });
    }
    1.0 - going_on.integral(|_| 1.0)
}

/// The density of a normal variable of mean 0 and that variance.
pub(crate) fn normal(value: f64, variance: f64) -> f64 {
    (-value * value / (2.0 * variance)).exp() / (2.0 * PI * variance).sqrt()
}

/// A density on an interval around 0, at evenly spaced points.
pub(crate) struct Density {
    /// Half the length of the interval.
    reach: f64,
    values: Vec<f64>,
}

impl Density {
    /// At so many points, an odd number from 3.
    pub(crate) fn within(reach: f64, points: usize, density: impl Fn(f64) -> f64) -> Self {
        let at = |point: usize| density(place(reach, point, points));
        Self { reach, values: (0..points).map(at).collect() }
    }

    /// Of a function times the density, by Simpson's rule.
    pub(crate) fn integral(&self, function: impl Fn(f64) -> f64) -> f64 {
        let points = self.values.len();
        let weight = |point: usize| match point {
            0 => 1.0,
            last if last == points - 1 => 1.0,
            odd if odd % 2 == 1 => 4.0,
            _ => 2.0,
        };
        let terms = self.values.iter().enumerate();
        let sum: f64 = terms
            .map(|(point, density)| {
                weight(point) * density * function(place(self.reach, point, points))
            })
            .sum();
        sum * 2.0 * self.reach / (points - 1) as f64 / 3.0
    }
}

fn place(reach: f64, point: usize, points: usize) -> f64 {
    reach * (2.0 * point as f64 / (points - 1) as f64 - 1.0)
}
