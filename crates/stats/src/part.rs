use crate::interval::t_quantile;
use crate::{Estimate, Interval, IntervalMethod};

/// Which part of a whole something is, by several measurements of both: the sum of the parts over that of
/// the wholes. Its interval is that of a ratio of means: Student's t with the scatter of what the parts
/// differ from so much of their own whole (W. G. Cochran, *Sampling Techniques*, 3rd edition, 1977, 6.4).
///
/// `None` where the wholes do not add up to more than zero; without an interval for one measurement.
///
/// ```
/// let share = stats::part_of(&[(1.0, 2.0), (2.0, 4.0), (3.1, 6.0)], 0.95).expect("wholes above zero");
/// assert!((share.point - 6.1 / 12.0).abs() < 1e-12);
/// let interval = share.interval.expect("three measurements");
/// assert!(interval.low < share.point && share.point < interval.high && interval.high < 0.55);
/// ```
pub fn part_of(measured: &[(f64, f64)], confidence: f64) -> Option<Estimate> {
    let n = measured.len() as f64;
    let whole: f64 = measured.iter().map(|(_, whole)| whole).sum();
    let part: f64 = measured.iter().map(|(part, _)| part).sum();
    let point = part / whole;
    if !point.is_finite() || whole <= 0.0 {
        return None;
    }
    let half = || {
        let squares: f64 =
            measured.iter().map(|(part, whole)| (part - point * whole).powi(2)).sum();
        let freedom = n - 1.0;
        let error = (squares / freedom / n).sqrt() / (whole / n);
        Some(t_quantile(confidence, freedom)? * error)
    };
    let interval = (measured.len() > 1).then(half).flatten().map(|half| Interval {
        low: point - half,
        high: point + half,
        confidence,
        method: IntervalMethod::RatioOfMeans,
    });
    Some(Estimate { point, interval, n: measured.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_scatters_is_known_less_well() {
        let width = |parts: &[(f64, f64)]| {
            let interval = part_of(parts, 0.95).unwrap().interval.unwrap();
            interval.high - interval.low
        };
        assert!(width(&[(1.0, 2.0), (2.0, 4.0)]) < 1e-9, "always a half");
        assert!(width(&[(1.0, 2.0), (2.0, 2.0)]) > 1.0);
    }

    #[test]
    fn of_nothing_there_is_no_part() {
        assert_eq!(part_of(&[], 0.95), None);
        assert_eq!(part_of(&[(1.0, 0.0)], 0.95), None);
        assert_eq!(part_of(&[(1.0, -1.0), (1.0, 0.5)], 0.95), None);
        assert_eq!(part_of(&[(1.0, 2.0)], 0.95).unwrap().interval, None);
    }
}
