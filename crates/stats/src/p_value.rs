//! Many comparisons at once.

use statrs::distribution::{ContinuousCDF, Normal};

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

/// How many standard deviations a two-sided p-value is worth.
pub(crate) fn normal_score(p_value: f64) -> f64 {
    // The smallest that has a finite quantile.
    let tail = (p_value / 2.0).clamp(1e-300, 0.5);
    Normal::standard().inverse_cdf(tail).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
