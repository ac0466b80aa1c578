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
pub fn paired_chance(pairs: &[(f64, f64)], rounding: f64) -> Result<Option<f64>, SampleError> {
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
pub fn unpaired_chance(base: &Sample, candidate: &Sample) -> Result<Option<f64>, SampleError> {
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
pub fn holm(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|&a, &b| chances[a].total_cmp(&chances[b]));
    let mut adjusted = vec![1.0; chances.len()];
    let mut so_far = 0.0_f64;
    for (rank, index) in order.into_iter().enumerate() {
        let left = (chances.len() - rank) as f64;
        so_far = so_far.max((chances[index] * left).min(1.0));
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
        assert_eq!(paired_chance(&[(5.0, 5.0); 3], 0.0), Ok(Some(1.0)));
        assert_eq!(paired_chance(&[(10.0, 11.0); 3], 0.2), Ok(Some(1.0)));
        assert_eq!(paired_chance(&[(10.0, 11.0); 3], 0.0), Ok(Some(0.0)));
        assert_eq!(paired_chance(&[(1.0, 2.0)], 0.0), Ok(None));
        assert!(paired_chance(&[(0.0, 1.0)], 0.0).is_err());
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
            let chance = paired_chance(&values, 0.0).unwrap().unwrap();
            prop_assert!(excluded == (chance < 0.05) || (chance - 0.05).abs() < 1e-6);

            let (base, candidate): (Vec<f64>, Vec<f64>) = values.into_iter().unzip();
            let (base, candidate) =
                (Sample::new(base).unwrap(), Sample::new(candidate).unwrap());
            let interval = unpaired_ratio(&base, &candidate, 0.95).unwrap().interval.unwrap();
            let chance = unpaired_chance(&base, &candidate).unwrap().unwrap();
            // That interval may be wider, to hold the ratio of medians.
            if interval.low > 1.0 || interval.high < 1.0 {
                prop_assert!(chance <= 0.05 + 1e-6);
            }
        }
    }
}
