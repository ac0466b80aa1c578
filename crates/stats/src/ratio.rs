use crate::interval::{Bounds, MeanSpread, order_statistics, student, t_quantile};
use crate::p_value::logarithm;
use crate::{Estimate, Interval, IntervalMethod, Sample, SampleError};

/// The median of candidate ÷ base over pairs `(base, candidate)` measured under the same
/// conditions (in one block of a plan), with its interval. What moves both partners of a pair,
/// such as a slow hour of the host, cancels out.
///
/// Median and interval are found on the logarithms of the ratios, so that exchanging the partners
/// gives exactly the reciprocal: neither is favoured. `rounding` is how much each ratio may be off
/// because its parts were rounded (see [`Sample::with_rounding`]).
///
/// # Errors
/// When there is no pair, or a value is not a number above zero.
///
/// ```
/// // The second block ran in a slow hour; the ratio is the same.
/// let blocks = [(1000.0, 1500.0), (100.0, 150.0), (1000.0, 1500.0)];
/// let ratio = stats::paired_ratio(&blocks, 0.0, 0.95)?;
/// let interval = ratio.interval.expect("three pairs are enough");
/// assert!((interval.low - 1.5).abs() < 1e-9 && (interval.high - 1.5).abs() < 1e-9);
/// # Ok::<(), stats::SampleError>(())
/// ```
pub fn paired_ratio(
    pairs: &[(f64, f64)],
    rounding: f64,
    confidence: f64,
) -> Result<Estimate, SampleError> {
    let logs = pairs
        .iter()
        .map(|&(base, candidate)| Ok(logarithm(candidate)? - logarithm(base)?))
        .collect::<Result<Vec<f64>, SampleError>>()?;
    let logs = Sample::new(logs)?.with_rounding(rounding);
    let point = logs.median().exp();
    if !point.is_finite() || point == 0.0 {
        return Err(SampleError::NotFinite(point));
    }
    let interval = order_statistics(logs.sorted(), confidence)
        .map(|bounds| (bounds, IntervalMethod::OrderStatistics))
        .or_else(|| {
            student(logs.sorted(), confidence).map(|bounds| (bounds, IntervalMethod::StudentLog))
        })
        .and_then(|(bounds, method)| Interval::from_logs(point, bounds, logs.rounding(), method));
    Ok(Estimate { point, interval, n: logs.len() })
}

/// The ratio of medians candidate ÷ base for values that are not pairs: the fallback when fewer
/// than two pairs are left.
///
/// The interval is Welch's (unequal variances) on logarithms, so what differs between blocks
/// counts as scatter; it needs two values on each side. It is made wide enough to hold the ratio
/// of medians. `n` is the number of values on the smaller side.
///
/// # Errors
/// When a value is not above zero, or the ratio is beyond what a number can hold.
///
/// ```
/// use stats::{Sample, unpaired_ratio};
/// // Student's sleep data (*Biometrika* 6, 1908), the hours taken as logarithms.
/// let first = [0.7_f64, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
/// let second = [1.9_f64, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
/// let sample = |hours: [f64; 10]| Sample::new(hours.map(f64::exp).to_vec());
/// let ratio = unpaired_ratio(&sample(first)?, &sample(second)?, 0.95)?;
/// // R: t.test(extra ~ group, data = sleep), of group 1 − group 2: -3.3654832 0.2054832
/// let interval = ratio.interval.expect("ten values are enough");
/// assert!((interval.low.ln() + 0.205_483_2).abs() < 1e-6);
/// assert!((interval.high.ln() - 3.365_483_2).abs() < 1e-6);
/// # Ok::<(), stats::SampleError>(())
/// ```
pub fn unpaired_ratio(
    base: &Sample,
    candidate: &Sample,
    confidence: f64,
) -> Result<Estimate, SampleError> {
    let (base_logs, candidate_logs) = (logs(base)?, logs(candidate)?);
    let point = candidate.median() / base.median();
    if !point.is_finite() || point == 0.0 {
        return Err(SampleError::NotFinite(point));
    }
    let rounding = base.rounding() + candidate.rounding();
    let interval = welch(&base_logs, &candidate_logs, confidence).and_then(|bounds| {
        Interval::from_logs(point, bounds, rounding, IntervalMethod::StudentLog)
    });
    Ok(Estimate { point, interval, n: base.len().min(candidate.len()) })
}

/// Welch's interval of the difference of two means, candidate − base.
fn welch(base: &[f64], candidate: &[f64], confidence: f64) -> Option<Bounds> {
    let (a, b) = (MeanSpread::of(base)?, MeanSpread::of(candidate)?);
    let (error_squared, freedom) = MeanSpread::welch(&a, &b);
    let difference = b.mean - a.mean;
    let half = t_quantile(confidence, freedom)? * error_squared.sqrt();
    Some(Bounds { low: difference - half, high: difference + half, confidence })
}

fn logs(sample: &Sample) -> Result<Vec<f64>, SampleError> {
    sample.sorted().iter().map(|&value| logarithm(value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_moves_both_partners_cancels_out() {
        // Blocks differ by a factor of ten, the ratio within each is 1.5.
        let pairs = [(100.0, 150.0), (10.0, 15.0), (1000.0, 1500.0)];
        let ratio = paired_ratio(&pairs, 0.0, 0.95).unwrap();
        let interval = ratio.interval.unwrap();
        assert!((ratio.point - 1.5).abs() < 1e-12);
        assert!((interval.low - 1.5).abs() < 1e-9 && (interval.high - 1.5).abs() < 1e-9);

        let (base, candidate): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let (base, candidate) = (Sample::new(base).unwrap(), Sample::new(candidate).unwrap());
        let unpaired = unpaired_ratio(&base, &candidate, 0.95).unwrap().interval.unwrap();
        assert!(unpaired.low < 0.1 && unpaired.high > 10.0, "{unpaired:?}");
    }

    #[test]
    fn counts_of_a_few_events_do_not_prove_a_difference() {
        let pairs = [(10.0, 11.0); 3];
        let rounding = 1.0 / 10.0 + 1.0 / 11.0;
        let interval = paired_ratio(&pairs, rounding, 0.95).unwrap().interval.unwrap();
        assert!(interval.low < 1.0 && interval.high > 1.2);
    }

    #[test]
    fn one_pair_has_a_ratio_and_no_interval() {
        let ratio = paired_ratio(&[(2.0, 3.0)], 0.0, 0.95).unwrap();
        assert_eq!((ratio.interval, ratio.n), (None, 1));
        assert!((ratio.point - 1.5).abs() < 1e-12);
    }

    #[test]
    fn six_pairs_use_order_statistics() {
        let pairs: Vec<(f64, f64)> = (1..=6).map(|i| (1.0, f64::from(i))).collect();
        let interval = paired_ratio(&pairs, 0.0, 0.95).unwrap().interval.unwrap();
        assert_eq!(interval.method, IntervalMethod::OrderStatistics);
        assert!((interval.low - 1.0).abs() < 1e-12 && (interval.high - 6.0).abs() < 1e-12);
    }

    #[test]
    fn what_has_no_ratio_is_refused() {
        assert_eq!(paired_ratio(&[], 0.0, 0.95), Err(SampleError::Empty));
        assert_eq!(paired_ratio(&[(0.0, 1.0)], 0.0, 0.95), Err(SampleError::NotPositive(0.0)));
        assert!(paired_ratio(&[(1.0, f64::NAN)], 0.0, 0.95).is_err());
        assert!(paired_ratio(&[(f64::MAX, f64::MIN_POSITIVE)], 0.0, 0.95).is_err());
    }

    proptest! {
        #[test]
        fn exchanging_the_partners_gives_the_reciprocal(
            pairs in prop::collection::vec((0.01..100.0_f64, 0.01..100.0_f64), 1..12),
        ) {
            let there = paired_ratio(&pairs, 0.001, 0.95).unwrap();
            let exchanged: Vec<(f64, f64)> = pairs.iter().map(|&(a, b)| (b, a)).collect();
            let back = paired_ratio(&exchanged, 0.001, 0.95).unwrap();
            prop_assert!((there.point * back.point - 1.0).abs() < 1e-9);
            if let (Some(a), Some(b)) = (there.interval, back.interval) {
                prop_assert!((a.low * b.high - 1.0).abs() < 1e-9);
                prop_assert!(a.low <= there.point && there.point <= a.high);
            }
        }

        #[test]
        fn an_unpaired_interval_holds_its_point(
            base in prop::collection::vec(1e-6..1e6_f64, 1..8),
            candidate in prop::collection::vec(1e-6..1e6_f64, 1..8),
        ) {
            let (base, candidate) = (Sample::new(base).unwrap(), Sample::new(candidate).unwrap());
            let ratio = unpaired_ratio(&base, &candidate, 0.95).unwrap();
            if let Some(interval) = ratio.interval {
                prop_assert!(interval.low > 0.0 && interval.high.is_finite());
                prop_assert!(interval.low <= ratio.point && ratio.point <= interval.high);
            }
        }
    }
}
