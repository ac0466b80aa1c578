//! How many repeats would settle what is not settled.

use crate::interval::{MeanSpread, repeats_needed, t_quantile};
use crate::p_value::logarithm;

/// More repeats than this are not worth naming.
const MOST: u32 = 1000;
/// √(π/2): by so much an interval of the median is wider than one of the mean of as many normal
/// values, when there are many.
const MEDIAN_OVER_MEAN: f64 = 1.253_314_137_315_5;

/// How many repeats in all would probably decide between base and candidate if ratio and scatter
/// stay as these pairs `(base, candidate)` show them: a ratio beyond `margin` turns out a
/// difference, held to the first step of [`crate::holm`] among `family` comparisons; one within it
/// turns out equivalence. `None` for fewer than two pairs, for values that are not above zero, and
/// where more than 1,000 would be needed, as for a ratio at the very margin.
///
/// The wanted number is the smallest whose interval, of the kind that [`crate::paired_ratio`]
/// takes at that number, is narrow enough around the mean seen. It is a planning figure: the
/// scatter of few repeats is itself not well known.
///
/// ```
/// // Log ratios of 0.1 ± 0.05: t(0.975, 3) · 0.05 / √4 = 0.0796 is below 0.1, and
/// // t(0.975, 2) · 0.05 / √3 = 0.1242 is not.
/// let step = 0.05_f64 * 0.75_f64.sqrt();
/// let pairs = [0.1 - step, 0.1 + step, 0.1 - step, 0.1 + step].map(|log| (1.0, log.exp()));
/// assert_eq!(stats::repeats_to_resolve(&pairs, 0.03, 0.95, 1), Some(4));
/// ```
pub fn repeats_to_resolve(
    pairs: &[(f64, f64)],
    margin: f64,
    confidence: f64,
    family: usize,
) -> Option<u32> {
    let logs: Vec<f64> = pairs
        .iter()
        .map(|&(base, candidate)| Some(logarithm(candidate).ok()? - logarithm(base).ok()?))
        .collect::<Option<_>>()?;
    let spread = MeanSpread::of(&logs)?;
    let scatter = (spread.error_squared * (spread.freedom + 1.0)).sqrt();
    let (seen, band) = (spread.mean.abs(), margin.ln_1p());
    let (room, confidence) = if seen > band {
        (seen, 1.0 - (1.0 - confidence) / family.max(1) as f64)
    } else {
        (band - seen, confidence)
    };
    let distribution_free = repeats_needed(confidence)?;
    (2..=MOST).find(|&repeats| {
        let n = f64::from(repeats);
        let wider = if repeats < distribution_free { 1.0 } else { MEDIAN_OVER_MEAN };
        t_quantile(confidence, n - 1.0).is_some_and(|t| t * wider * scatter / n.sqrt() < room)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs whose log ratios have this mean and, n being even, this standard deviation.
    fn pairs(mean: f64, deviation: f64, n: usize) -> Vec<(f64, f64)> {
        let step = deviation * ((n - 1) as f64 / n as f64).sqrt();
        let side = |i: usize| if i.is_multiple_of(2) { step } else { -step };
        (0..n).map(|i| (100.0, 100.0 * (mean + side(i)).exp())).collect()
    }

    #[test]
    fn more_scatter_and_more_comparisons_take_more_repeats() {
        let needed = |deviation, family| {
            repeats_to_resolve(&pairs(0.1, deviation, 4), 0.03, 0.95, family).unwrap()
        };
        assert!(needed(0.05, 1) < needed(0.1, 1));
        assert!(needed(0.1, 1) < needed(0.1, 12));
        // t(0.975, 3) · 0.05 / √4 = 0.0796 < 0.1, and t(0.975, 2) · 0.05 / √3 = 0.124 is not.
        assert_eq!(needed(0.05, 1), 4);
    }

    #[test]
    fn a_ratio_within_the_margin_is_to_become_equivalence() {
        let near = repeats_to_resolve(&pairs(0.02, 0.02, 4), 0.03, 0.95, 1).unwrap();
        let level = repeats_to_resolve(&pairs(0.0, 0.02, 4), 0.03, 0.95, 1).unwrap();
        assert!(level < near, "{level} {near}");
        assert_eq!(repeats_to_resolve(&pairs(0.03_f64.ln_1p(), 0.02, 4), 0.03, 0.95, 1), None);
    }

    #[test]
    fn one_pair_says_nothing() {
        assert_eq!(repeats_to_resolve(&[(1.0, 2.0)], 0.03, 0.95, 1), None);
        assert_eq!(repeats_to_resolve(&[(0.0, 2.0), (1.0, 2.0)], 0.03, 0.95, 1), None);
    }
}
