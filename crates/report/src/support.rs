//! Which percentiles a number of values can support.

use analyse::{Analysis, Cell, Validity};
use model::Latencies;

/// How few values give a distribution-free interval around the quantile (0 to 1) a finite upper
/// end at the given confidence: the smallest n with quantileⁿ ≤ (1 − confidence) / 2.
///
/// For the median at 95 % it is 6, for the 95th percentile 72, for the 99th 368.
pub(crate) fn values_needed(quantile: f64, confidence: f64) -> u64 {
    (((1.0 - confidence) / 2.0).ln() / quantile.ln()).ceil() as u64
}

/// Whether a distribution is of enough values for its quantile (0 to 1) to be shown.
pub(crate) fn supports(analysis: &Analysis, latencies: &Latencies, quantile: f64) -> bool {
    latencies.count() >= values_needed(quantile, analysis.dataset.study.confidence)
}

/// Whether each trial that a cell rests on has enough transactions for the quantile (0 to 1).
pub(crate) fn supported(analysis: &Analysis, cell: &Cell, quantile: f64) -> bool {
    cell.trials.iter().filter(|trial| trial.validity != Validity::Void).all(|trial| {
        let load = analysis.dataset.trials.get(trial.record).and_then(|record| record.load());
        load.is_some_and(|load| supports(analysis, &load.latencies, quantile))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_values_follows_from_the_binomial_distribution() {
        assert_eq!(values_needed(0.5, 0.95), 6);
        assert_eq!(values_needed(0.95, 0.95), 72);
        assert_eq!(values_needed(0.99, 0.95), 368);
    }
}
