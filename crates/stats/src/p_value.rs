//! How likely a difference is by chance alone, for many comparisons at once.

use crate::interval::MeanSpread;
use crate::{Sample, SampleError};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// How likely a mean ratio at least this far from 1 would be if base and candidate were equal and
/// the repeats scattered log-normally: the two-sided p-value of Student's t on the logarithms of
/// candidate ÷ base, over pairs `(base, candidate)`. `rounding`, the relative error of each ratio,
/// is taken off the difference first. `None` for fewer than two pairs.
///
/// # Errors
/// When a value is not a number above zero.
///
/// ```
/// // Student's sleep data (*Biometrika* 6, 1908), the hours taken as logarithms.
/// let first = [0.7_f64, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
/// let second = [1.9_f64, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
/// let pairs: Vec<(f64, f64)> = first.iter().zip(second).map(|(a, b)| (a.exp(), b.exp())).collect();
/// // R: t.test(sleep$extra[1:10], sleep$extra[11:20], paired = TRUE): p-value = 0.002833
/// let p = stats::paired_p_value(&pairs, 0.0)?.expect("ten pairs are enough");
/// assert!((p - 0.002_833).abs() < 5e-7);
/// # Ok::<(), stats::SampleError>(())
/// ```
pub fn paired_p_value(pairs: &[(f64, f64)], rounding: f64) -> Result<Option<f64>, SampleError> {
    let logs = pairs
        .iter()
        .map(|&(base, candidate)| Ok(logarithm(candidate)? - logarithm(base)?))
        .collect::<Result<Vec<f64>, SampleError>>()?;
    Ok(MeanSpread::of(&logs)
        .and_then(|s| two_sided(s.mean.abs() - rounding, s.error_squared, s.freedom)))
}

/// The same for values that are not pairs: Welch's test on logarithms, with the degrees of freedom
/// of [`crate::unpaired_ratio`]. `None` for fewer than two values on either side.
///
/// # Errors
/// When a value is not above zero.
///
/// ```
/// use stats::{Sample, unpaired_p_value};
/// // Student's sleep data (*Biometrika* 6, 1908), the hours taken as logarithms.
/// let first = [0.7_f64, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
/// let second = [1.9_f64, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
/// let sample = |hours: [f64; 10]| Sample::new(hours.map(f64::exp).to_vec());
/// // R: t.test(extra ~ group, data = sleep): p-value = 0.07939
/// let p = unpaired_p_value(&sample(first)?, &sample(second)?)?.expect("ten values are enough");
/// assert!((p - 0.079_39).abs() < 5e-6);
/// # Ok::<(), stats::SampleError>(())
/// ```
pub fn unpaired_p_value(base: &Sample, candidate: &Sample) -> Result<Option<f64>, SampleError> {
    let logs = |sample: &Sample| {
        sample.sorted().iter().map(|&v| logarithm(v)).collect::<Result<Vec<f64>, SampleError>>()
    };
    let (base_logs, candidate_logs) = (logs(base)?, logs(candidate)?);
    let rounding = base.rounding() + candidate.rounding();
    Ok(MeanSpread::of(&base_logs).zip(MeanSpread::of(&candidate_logs)).and_then(|(a, b)| {
        let (error_squared, freedom) = MeanSpread::welch(&a, &b);
        two_sided((b.mean - a.mean).abs() - rounding, error_squared, freedom)
    }))
}

/// Chances as they are after a search among all of them: Holm's step-down adjustment (S. Holm, *A
/// Simple Sequentially Rejective Multiple Test Procedure*, Scandinavian Journal of Statistics 6,
/// 1979), in the order given. To call different what stays at or below α is wrong anywhere in the
/// family with at most α, however the comparisons depend on one another.
///
/// ```
/// // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
/// let adjusted = stats::holm(&[0.01, 0.04, 0.03, 0.005]);
/// for (got, expected) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
///     assert!((got - expected).abs() < 1e-12);
/// }
/// ```
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut so_far = 0.0_f64;
    for (rank, index) in order.into_iter().enumerate() {
        let left = (p_values.len() - rank) as f64;
        so_far = so_far.max((p_values[index] * left).min(1.0));
        adjusted[index] = so_far;
    }
    adjusted
}

/// The chance that Student's t lies at least `difference` ÷ error from 0.
fn two_sided(difference: f64, error_squared: f64, freedom: f64) -> Option<f64> {
    if difference <= 0.0 {
        return Some(1.0);
    }
    if error_squared <= 0.0 {
        return Some(0.0);
    }
    let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
    Some(2.0 * student.cdf(-difference / error_squared.sqrt()))
}

/// The logarithm of a value above zero.
pub(crate) fn logarithm(value: f64) -> Result<f64, SampleError> {
    match value {
        _ if !value.is_finite() => Err(SampleError::NotFinite(value)),
        _ if value <= 0.0 => Err(SampleError::NotPositive(value)),
        _ => Ok(value.ln()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{paired_ratio, unpaired_ratio};
    use proptest::prelude::*;

    #[test]
    fn holm_agrees_with_a_worked_example() {
        // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (got, expected) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((got - expected).abs() < 1e-12, "{adjusted:?}");
        }
        assert!(holm(&[]).is_empty());
        assert_eq!(holm(&[0.7, 0.9]), [1.0, 1.0]);
    }

    #[test]
    fn equal_pairs_and_rounding_prove_nothing() {
        assert_eq!(paired_p_value(&[(5.0, 5.0); 3], 0.0), Ok(Some(1.0)));
        assert_eq!(paired_p_value(&[(10.0, 11.0); 3], 0.2), Ok(Some(1.0)));
        assert_eq!(paired_p_value(&[(10.0, 11.0); 3], 0.0), Ok(Some(0.0)));
        assert_eq!(paired_p_value(&[(1.0, 2.0)], 0.0), Ok(None));
        assert!(paired_p_value(&[(0.0, 1.0)], 0.0).is_err());
    }

    proptest! {
        /// Student's interval excludes 1 exactly where the chance is below what it leaves.
        #[test]
        fn chances_and_intervals_agree(
            values in prop::collection::vec((0.5..2.0_f64, 0.5..2.0_f64), 2..6),
        ) {
            let ratio = paired_ratio(&values, 0.0, 0.95).unwrap();
            let interval = ratio.interval.unwrap();
            let excluded = interval.low > 1.0 || interval.high < 1.0;
            let p_value = paired_p_value(&values, 0.0).unwrap().unwrap();
            prop_assert!(excluded == (p_value < 0.05) || (p_value - 0.05).abs() < 1e-6);

            let (base, candidate): (Vec<f64>, Vec<f64>) = values.into_iter().unzip();
            let (base, candidate) =
                (Sample::new(base).unwrap(), Sample::new(candidate).unwrap());
            let interval = unpaired_ratio(&base, &candidate, 0.95).unwrap().interval.unwrap();
            let p_value = unpaired_p_value(&base, &candidate).unwrap().unwrap();
            // That interval may be wider, to hold the ratio of medians.
            if interval.low > 1.0 || interval.high < 1.0 {
                prop_assert!(p_value <= 0.05 + 1e-6);
            }
        }
    }
}
