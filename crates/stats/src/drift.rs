//! Whether slow drift explains what looks like a change of level.

use crate::bootstrap::Normal;
use crate::split::{SHORTEST, ranks, strongest};
use std::collections::BTreeMap;

/// Coefficients of autoregression that are told apart, ascending in steps of this.
const STEP: f64 = 0.05;
const COEFFICIENTS: usize = 20;
/// Series that tell what resemblance a coefficient shows.
const SERIES: usize = 200;
/// A part whose mean square between two sides is so many times its variance is cut there too, before
/// its values are said to resemble their neighbours.
const CUT: f64 = 8.5;
/// So many times the median deviation, as a standard deviation, is a value off at most.
const OFF: f64 = 3.0;
/// The standard deviation of normal values over their median deviation from the median.
const NORMAL: f64 = 1.4826;

/// What series of a length and a coefficient show, as they are first needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drift {
    /// By the number of values: the mean resemblance for each coefficient, ascending.
    resemblances: BTreeMap<usize, Vec<f64>>,
}

/// A series cut into two levels.
struct Levels {
    /// Outliers moved in, on each side.
    values: Vec<f64>,
    at: usize,
}

impl Levels {
    fn from_values(values: &[f64]) -> Self {
        let (at, _) = strongest(&ranks(values));
        let mut values = values.to_vec();
        let (before, after) = values.split_at_mut(at);
        move_in(before);
        move_in(after);
        Self { values, at }
    }

    /// The sum of squares between the levels over that within.
    fn contrast(&self) -> f64 {
        contrast(&self.values, self.at)
    }

    /// How much values resemble their neighbours on their level: 1 less half of the sum of squared steps
    /// over that of squared deviations (J. von Neumann), over all parts in which nothing changes clearly.
    fn resemblance(&self) -> f64 {
        let (mut steps, mut deviations) = (0.0, 0.0);
        let (before, after) = self.values.split_at(self.at);
        let mut parts = vec![before, after];
        while let Some(part) = parts.pop() {
            if part.len() >= 2 * SHORTEST {
                let (at, _) = strongest(&ranks(part));
                let ratio = contrast(part, at);
                if part.len() as f64 * ratio / (1.0 + ratio) > CUT {
                    let (one, other) = part.split_at(at);
                    parts.extend([one, other]);
                    continue;
                }
            }
            let mean = part.iter().sum::<f64>() / part.len() as f64;
            deviations += part.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            steps += part.windows(2).map(|two| (two[1] - two[0]).powi(2)).sum::<f64>();
        }
        if deviations > 0.0 { 1.0 - steps / (2.0 * deviations) } else { 0.0 }
    }
}

fn contrast(values: &[f64], at: usize) -> f64 {
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let squares = |part: &[f64], mean: f64| part.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    let (before, after) = values.split_at(at);
    let (low, high) = (mean(before), mean(after));
    let within = squares(before, low) + squares(after, high);
    let count = (before.len() * after.len()) as f64 / values.len() as f64;
    let between = count * (high - low).powi(2);
    match () {
        () if within > 0.0 => between / within,
        () if between > 0.0 => f64::INFINITY,
        () => 0.0,
    }
}

fn move_in(values: &mut [f64]) {
    let centre = median(values.to_vec());
    let deviation = median(values.iter().map(|value| (value - centre).abs()).collect());
    let most = OFF * NORMAL * deviation;
    if most > 0.0 {
        values.iter_mut().for_each(|value| *value = value.clamp(centre - most, centre + most));
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len().is_multiple_of(2) {
        f64::midpoint(values[middle - 1], values[middle])
    } else {
        values[middle]
    }
}

/// Values of a first-order autoregression with that coefficient.
fn series(count: usize, coefficient: f64, normal: &mut Normal) -> Vec<f64> {
    let own = (1.0 - coefficient * coefficient).sqrt();
    let mut last = normal.draw();
    let mut next = || {
        let value = last;
        last = coefficient * last + own * normal.draw();
        value
    };
    (0..count).map(|_| next()).collect()
}

impl Drift {
    /// Whether more than a share `alpha` of series that only drift, as much as this one may, have as clear
    /// a change; of so many series.
    pub(crate) fn explains(
        &mut self,
        values: &[f64],
        (alpha, tries): (f64, usize),
        normal: &mut Normal,
    ) -> Option<f64> {
        let levels = Levels::from_values(values);
        let coefficient = self.coefficient(&levels, normal);
        let seen = levels.contrast();
        let mut as_clear = 1.0;
        for _ in 0..tries {
            let drifted = Levels::from_values(&series(values.len(), coefficient, normal));
            if drifted.contrast() >= seen {
                as_clear += 1.0;
            }
            if as_clear > alpha * (tries + 1) as f64 {
                return Some(coefficient);
            }
        }
        None
    }

    /// The coefficient of autoregression that a series may have.
    fn coefficient(&mut self, levels: &Levels, normal: &mut Normal) -> f64 {
        let count = levels.values.len();
        let expected = self.resemblances.entry(count).or_insert_with(|| {
            let mut most = f64::NEG_INFINITY;
            let mean = |step: usize| {
                let coefficient = STEP * step as f64;
                let one =
                    |_| Levels::from_values(&series(count, coefficient, normal)).resemblance();
                // By chance it may seem to fall.
                most = most.max((0..SERIES).map(one).sum::<f64>() / SERIES as f64);
                most
            };
            (0..COEFFICIENTS).map(mean).collect()
        });
        let seen = levels.resemblance();
        STEP * expected.partition_point(|mean| *mean < seen).min(COEFFICIENTS - 1) as f64
    }
}
