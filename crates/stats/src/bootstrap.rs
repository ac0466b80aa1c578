//! Intervals of what is computed from several figures at once, by drawing the scatter anew.

use crate::interval::{Bounds, is_confidence};
use crate::{Interval, IntervalMethod};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::{Arc, Mutex, PoisonError};

/// A bootstrap over repeats, for quantities that no formula gives an interval for, such as the
/// point at which two curves cross. The same seed gives the same interval.
///
/// Repeats are drawn whole: figures of one repeat stay together, so what they share (a slow hour,
/// a restart) is kept. Drawn is at the level that varies most, where one value already holds the
/// scatter of all levels below it; to draw within repeats too would count that twice (A. C.
/// Davison and D. V. Hinkley, *Bootstrap Methods and their Application*, 1997, section 3.8).
///
/// To draw two to five repeats with replacement gives intervals that are far too narrow. Here the
/// deviations of the repeats get random normal weights instead, and each draw is divided by
/// √(χ²/ν) with ν = n − 1. The mean of a single figure is thus drawn from Student's distribution,
/// so that for a linear statistic of normal values the interval is Student's own at every n from 2
/// (a generalised confidence interval; S. Weerahandi, *Journal of the American Statistical
/// Association* 88, 1993).
///
/// What is drawn depends on the seed and on how many repeats there are alone, so it is kept for the
/// next interval.
#[derive(Debug)]
pub struct Bootstrap {
    seed: u64,
    kept: Mutex<Option<(usize, Arc<[Draws]>)>>,
}

/// Draws whose statistics are found together: a processor does the arithmetic of several at once.
pub(crate) const TOGETHER: usize = 4;
/// A number for each of these draws.
pub(crate) type Each = [f64; TOGETHER];

/// The weights of the repeats in some draws, and the scales of the sums of their deviations.
#[derive(Debug)]
struct Draws {
    weights: Vec<Each>,
    scales: Each,
}

/// Draws for an interval, a multiple of [`TOGETHER`]. The ends at 95 % rest on the 25 outermost draws on
/// each side.
const DRAWS: usize = 1000;

impl Bootstrap {
    /// With this seed.
    pub fn new(seed: u64) -> Self {
        Self { seed, kept: Mutex::new(None) }
    }

    /// What is drawn for so many repeats.
    fn draws(&self, repeats: usize) -> Arc<[Draws]> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, draws)) = kept.as_ref().filter(|(known, _)| *known == repeats) {
            return Arc::clone(draws);
        }
        let mut random = Normal::new(self.seed);
        let mut draw = || {
            let weights: Vec<f64> = (0..repeats).map(|_| random.draw()).collect();
            let chi_squared: f64 = (1..repeats).map(|_| random.draw().powi(2)).sum();
            let freedom = (repeats - 1) as f64;
            let scale = (freedom / chi_squared).sqrt() / (repeats as f64 * freedom).sqrt();
            (weights, scale)
        };
        let together = |_| {
            let each: [(Vec<f64>, f64); TOGETHER] = std::array::from_fn(|_| draw());
            let of_repeat = |repeat: usize| each.each_ref().map(|(weights, _)| weights[repeat]);
            let weights = (0..repeats).map(of_repeat).collect();
            Draws { weights, scales: each.each_ref().map(|(_, scale)| *scale) }
        };
        let draws: Arc<[Draws]> = (0..DRAWS / TOGETHER).map(together).collect();
        *kept = Some((repeats, Arc::clone(&draws)));
        draws
    }

    /// The interval of statistics of the columns' means; `rows` are repeats, each with the same
    /// figures in the same order. One interval for each statistic, from the percentiles of the draws, so
    /// that a statistic may be infinite. `None` for fewer than two rows, rows of unequal length, or a
    /// confidence outside (0, 1).
    pub fn ends<const COUNT: usize>(
        &self,
        rows: &[Vec<f64>],
        confidence: f64,
        mut statistics: impl FnMut(&[f64]) -> [f64; COUNT],
    ) -> Option<[(f64, f64); COUNT]> {
        let mut one = vec![0.0; rows.first().map_or(0, Vec::len)];
        self.ends_together(rows, confidence, |drawn| {
            std::array::from_fn(|place| {
                one.iter_mut().zip(drawn).for_each(|(one, each)| *one = each[place]);
                statistics(&one)
            })
        })
    }

    /// The same of statistics that several draws have together.
    pub(crate) fn ends_together<const COUNT: usize>(
        &self,
        rows: &[Vec<f64>],
        confidence: f64,
        mut statistics: impl FnMut(&[Each]) -> [[f64; COUNT]; TOGETHER],
    ) -> Option<[(f64, f64); COUNT]> {
        let n = rows.len();
        let columns = rows.first().map_or(0, Vec::len);
        if n < 2 || !is_confidence(confidence) || rows.iter().any(|row| row.len() != columns) {
            return None;
        }
        let means = means(rows);
        let deviation = |column: usize, mean: f64| rows.iter().map(move |row| row[column] - mean);
        let each = means.iter().enumerate();
        let deviations: Vec<f64> =
            each.flat_map(|(column, mean)| deviation(column, *mean)).collect();
        let mut drawn = [(); COUNT].map(|()| Vec::with_capacity(DRAWS));
        let mut draw = vec![[0.0; TOGETHER]; columns];
        for Draws { weights, scales } in self.draws(n).iter() {
            let columns = means.iter().zip(deviations.chunks_exact(n));
            for ((mean, deviations), drawn) in columns.zip(&mut draw) {
                let mut sums = [0.0; TOGETHER];
                for (off, weights) in deviations.iter().zip(weights) {
                    sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight * off);
                }
                *drawn = std::array::from_fn(|place| mean + scales[place] * sums[place]);
            }
            for values in statistics(&draw) {
                drawn.iter_mut().zip(values).for_each(|(drawn, value)| drawn.push(value));
            }
        }
        Some(drawn.map(|values| outermost(values, confidence)))
    }

    /// The interval of one statistic around its `point`; `None` where there is none, or an end is
    /// not finite.
    ///
    /// ```
    /// // What a repeat shares cancels out of a difference, however much the repeats differ.
    /// let repeats = [vec![1.0, 3.0], vec![5.0, 7.0], vec![3.0, 5.0]];
    /// let difference = |means: &[f64]| means[1] - means[0];
    /// let interval = stats::Bootstrap::new(1).interval(2.0, &repeats, 0.95, difference);
    /// assert!(interval.is_some_and(|found| found.high - found.low < 1e-9));
    /// ```
    pub fn interval(
        &self,
        point: f64,
        rows: &[Vec<f64>],
        confidence: f64,
        statistic: impl Fn(&[f64]) -> f64,
    ) -> Option<Interval> {
        let [(low, high)] = self.ends(rows, confidence, |means| [statistic(means)])?;
        Interval::around(point, Bounds { low, high, confidence }, IntervalMethod::Bootstrap)
    }
}

/// The mean of each column; of no rows, none.
pub(crate) fn means(rows: &[Vec<f64>]) -> Vec<f64> {
    let columns = rows.first().map_or(0, Vec::len);
    (0..columns)
        .map(|column| rows.iter().map(|row| row[column]).sum::<f64>() / rows.len() as f64)
        .collect()
}

/// The ends that leave out as many values below as above.
fn outermost(mut values: Vec<f64>, confidence: f64) -> (f64, f64) {
    let last = values.len() - 1;
    let left_out = ((1.0 - confidence) / 2.0 * values.len() as f64).floor() as usize;
    let left_out = left_out.min(last / 2);
    let mut at = |place| *values.select_nth_unstable_by(place, f64::total_cmp).1;
    (at(left_out), at(last - left_out))
}

/// A stream of standard normal numbers (G. E. P. Box and M. E. Muller, *Annals of Mathematical
/// Statistics* 29, 1958).
pub(crate) struct Normal(Xoshiro256PlusPlus);

impl Normal {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub(crate) fn draw(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// In (0, 1): 53 random bits and a half.
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Estimate;
    use crate::Sample;

    fn rows(values: &[f64]) -> Vec<Vec<f64>> {
        values.iter().map(|&value| vec![value]).collect()
    }

    fn first(means: &[f64]) -> [f64; 1] {
        [means[0]]
    }

    #[test]
    fn the_same_seed_gives_the_same_interval_and_another_nearly_the_same() {
        let rows = rows(&[1.0, 2.0, 4.0]);
        let ends = |seed| Bootstrap::new(seed).ends(&rows, 0.95, first).unwrap()[0];
        assert_eq!(ends(7), ends(7));
        assert!(ends(7) != ends(8));
        assert!((ends(7).0 - ends(8).0).abs() < 1.5, "{:?} {:?}", ends(7), ends(8));
    }

    #[test]
    fn the_interval_of_a_mean_is_nearly_students() {
        let values = [0.1, -0.2, 0.3, 0.0];
        let exact = {
            let exp: Vec<f64> = values.iter().map(|v: &f64| v.exp()).collect();
            Estimate::of_median(&Sample::new(exp).unwrap(), 0.95).interval.unwrap()
        };
        let (low, high) = Bootstrap::new(1).ends(&rows(&values), 0.95, first).unwrap()[0];
        assert!((low - exact.low.ln()).abs() < 0.06, "{low} {}", exact.low.ln());
        assert!((high - exact.high.ln()).abs() < 0.06, "{high} {}", exact.high.ln());
    }

    #[test]
    fn nothing_comes_of_one_repeat_or_of_ragged_rows() {
        let bootstrap = Bootstrap::new(1);
        assert!(bootstrap.ends(&rows(&[1.0]), 0.95, first).is_none());
        assert!(bootstrap.ends(&[vec![1.0], vec![]], 0.95, first).is_none());
        assert!(bootstrap.ends(&rows(&[1.0, 2.0]), 1.0, first).is_none());
        assert!(bootstrap.interval(0.0, &rows(&[1.0, 2.0]), 0.9, |_| f64::INFINITY).is_none());
    }
}
