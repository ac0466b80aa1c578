use crate::interval::is_confidence;
use crate::{Estimate, Interval, IntervalMethod};
use statrs::distribution::{ContinuousCDF, Normal};

/// The trend of equally spaced values, as change from one value to the next: the median of the
/// slopes between all pairs, with the interval that Kendall's rank correlation gives it
/// (P. K. Sen, *Journal of the American Statistical Association* 63, 1968). A few wild values
/// neither make a trend nor hide one, and nothing is assumed of how values scatter around it.
///
/// The interval holds 0 exactly where the Mann–Kendall test finds no trend. It is absent where
/// there are too few values for the confidence (7 are needed for 99 %), or the confidence is
/// outside (0, 1). `None` for fewer than two values, or one that is not finite. Takes time and
/// memory in the square of the number of values.
///
/// ```
/// let mut values: Vec<f64> = (0..20).map(|i| 5.0 + 0.5 * f64::from(i)).collect();
/// values[7] = 1e6;
/// let trend = stats::trend(&values, 0.99).expect("twenty finite values");
/// assert_eq!(trend.point, 0.5);
/// assert!(trend.interval.is_some_and(|interval| interval.low > 0.0));
/// ```
pub fn trend(values: &[f64], confidence: f64) -> Option<Estimate> {
    if values.len() < 2 || !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    let mut slopes: Vec<f64> = (1..values.len())
        .flat_map(|later| (0..later).map(move |earlier| (earlier, later)))
        .map(|(earlier, later)| (values[later] - values[earlier]) / (later - earlier) as f64)
        .collect();
    slopes.sort_by(f64::total_cmp);
    let middle = slopes.len() / 2;
    let point = if slopes.len().is_multiple_of(2) {
        f64::midpoint(slopes[middle - 1], slopes[middle])
    } else {
        slopes[middle]
    };
    let interval = interval(&slopes, values.len(), confidence);
    Some(Estimate { point, interval, n: values.len() })
}

/// The order statistics of the slopes that lie as far from the middle as Kendall's S may by
/// chance: its variance is n(n−1)(2n+5)/18. Ranks are rounded outwards.
fn interval(slopes: &[f64], n: usize, confidence: f64) -> Option<Interval> {
    let normal = is_confidence(confidence).then(Normal::standard)?;
    let n = n as f64;
    let reach = normal.inverse_cdf(f64::midpoint(1.0, confidence))
        * (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt();
    let below = ((slopes.len() as f64 - reach) / 2.0).floor();
    // Ranks count from 1; rank 0 would be below the smallest slope.
    let low = (below >= 1.0).then(|| below as usize - 1)?;
    let high = slopes.len() - 1 - low;
    Some(Interval {
        low: slopes[low],
        high: slopes[high],
        confidence,
        method: IntervalMethod::OrderStatistics,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(values: &[f64]) -> (f64, f64) {
        let interval = trend(values, 0.99).and_then(|trend| trend.interval).expect("enough values");
        (interval.low, interval.high)
    }

    #[test]
    fn a_straight_line_has_its_slope_whatever_one_value_does() {
        let mut line: Vec<f64> = (0..20).map(|i| 5.0 + 0.5 * f64::from(i)).collect();
        assert_eq!(trend(&line, 0.99).map(|trend| trend.point), Some(0.5));
        line[7] = 1e6;
        assert_eq!(trend(&line, 0.99).map(|trend| trend.point), Some(0.5));
        assert!(ends(&line).0 > 0.0);
    }

    #[test]
    fn values_that_go_up_and_down_have_no_trend() {
        let waves: Vec<f64> = (0..30).map(|i| f64::from(i % 3)).collect();
        let (low, high) = ends(&waves);
        assert!(low <= 0.0 && high >= 0.0, "{low} {high}");
    }

    #[test]
    fn seven_values_are_needed_for_99_percent() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        assert!(ends(&values).0 > 0.0);
        assert_eq!(trend(&values[..6], 0.99).and_then(|trend| trend.interval), None);
        assert!(trend(&values[..1], 0.99).is_none());
        assert!(trend(&[1.0, f64::NAN], 0.99).is_none());
        assert_eq!(trend(&values, 1.5).and_then(|trend| trend.interval), None);
    }

    /// The two-sided 1 % point of Kendall's test at n = 10 lies between S = 27 and S = 31 (exact
    /// tables): values with as many pairs in the wrong order as give 27 have no trend, and with
    /// as many as give 31 they have one.
    #[test]
    fn significance_is_that_of_kendalls_test() {
        let with_inversions = |swaps: usize| {
            let mut values: Vec<f64> = (0..10).map(f64::from).collect();
            let mut left = swaps;
            // Bubble from the front: each swap of neighbours adds an inversion.
            for end in (1..10).rev() {
                for at in 0..end {
                    if left > 0 && values[at] < values[at + 1] {
                        values.swap(at, at + 1);
                        left -= 1;
                    }
                }
            }
            values
        };
        assert!(ends(&with_inversions(9)).0 <= 0.0, "S = 27");
        assert!(ends(&with_inversions(7)).0 > 0.0, "S = 31");
    }
}
