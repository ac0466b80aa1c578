use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, StudentsT};
use std::sync::{Mutex, PoisonError};

/// Two ends and the confidence that lies between them, on whatever scale the values had.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) confidence: f64,
}

/// How few values give a distribution-free interval around a quantile (in (0, 1), ½ and above) a
/// finite upper end: the smallest n with quantileⁿ ≤ (1 − confidence) / 2. At 95 % the median
/// needs 6, the 95th percentile 72, the 99th 368; with fewer, the quantile is little more than
/// the maximum by another name. Nothing is enough for a quantile or a confidence of 1.
///
/// ```
/// // 0.95⁷² = 0.0249, and 0.95⁷¹ = 0.0262.
/// assert_eq!(stats::values_needed(0.95, 0.95), 72);
/// assert_eq!(stats::values_needed(0.99, 0.95), 368);
/// ```
pub fn values_needed(quantile: f64, confidence: f64) -> u64 {
    // A float beyond the range of the integer becomes its largest value.
    (((1.0 - confidence) / 2.0).ln() / quantile.ln()).abs().ceil() as u64
}

/// The narrowest pair of order statistics, as many from below as from above, that covers the
/// median with at least this confidence whatever the (continuous) distribution is; `None` when
/// even the smallest and the largest value do not reach it.
///
/// The k-th smallest of n values exceeds the median with probability P(Binomial(n, ½) < k), so
/// the interval from the k-th smallest to the k-th largest covers it with 1 − 2 P(B < k)
/// (David and Nagaraja, *Order Statistics*, 2003, section 7.1).
pub(crate) fn order_statistics(sorted: &[f64], confidence: f64) -> Option<Bounds> {
    if !is_confidence(confidence) {
        return None;
    }
    let n = sorted.len();
    let below = Binomial::new(0.5, n as u64).ok()?;
    (0..n / 2)
        .map(|rank| (rank, 1.0 - 2.0 * below.cdf(rank as u64)))
        .take_while(|&(_, reached)| reached >= confidence)
        .last()
        .map(|(rank, reached)| Bounds {
            low: sorted[rank],
            high: sorted[n - 1 - rank],
            confidence: reached,
        })
}

/// Student's t interval of the mean, at exactly this confidence if the values are normal; `None`
/// for fewer than two.
pub(crate) fn student(values: &[f64], confidence: f64) -> Option<Bounds> {
    let spread = MeanSpread::from_values(values)?;
    let half = t_quantile(confidence, spread.freedom)? * spread.error_squared.sqrt();
    Some(Bounds { low: spread.mean - half, high: spread.mean + half, confidence })
}

/// A mean with what is needed for its standard error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeanSpread {
    pub(crate) mean: f64,
    /// Square of the standard error of the mean.
    pub(crate) error_squared: f64,
    /// Degrees of freedom, n − 1.
    pub(crate) freedom: f64,
}

impl MeanSpread {
    /// Of at least two values.
    pub(crate) fn from_values(values: &[f64]) -> Option<Self> {
        if values.len() < 2 {
            return None;
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        Some(Self { mean, error_squared: squares / (n - 1.0) / n, freedom: n - 1.0 })
    }
}

/// How many standard errors to go to each side for a two-sided interval.
pub(crate) fn t_quantile(confidence: f64, freedom: f64) -> Option<f64> {
    if !is_confidence(confidence) {
        return None;
    }
    let asked = [confidence, freedom].map(f64::to_bits);
    let mut kept = QUANTILES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, t)) = kept.iter().find(|(known, _)| *known == asked) {
        return *t;
    }
    let distribution = StudentsT::new(0.0, 1.0, freedom).ok();
    let t = distribution.map(|student| student.inverse_cdf(0.5 + confidence / 2.0));
    let t = t.filter(|t| t.is_finite());
    if kept.len() == MOST_KEPT {
        kept.remove(0);
    }
    kept.push((asked, t));
    t
}

/// Quantiles that were asked for last, by confidence and degrees of freedom: a study asks for a few of them
/// thousands of times, as its cells have equally many repeats.
static QUANTILES: Mutex<Vec<([u64; 2], Option<f64>)>> = Mutex::new(Vec::new());
const MOST_KEPT: usize = 8;

/// Whether this is in (0, 1).
pub(crate) fn is_confidence(confidence: f64) -> bool {
    confidence > 0.0 && confidence < 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_needed_follow_from_the_binomial_distribution() {
        for (quantile, values) in [(0.5, 6), (0.95, 72), (0.99, 368), (1.0, u64::MAX)] {
            assert_eq!(values_needed(quantile, 0.95), values, "{quantile}");
        }
        assert_eq!(values_needed(0.5, 1.0), u64::MAX);
    }

    #[test]
    fn order_statistics_take_the_ranks_of_the_binomial_table() {
        // n, rank from each end, exact confidence of the interval at 95 %.
        for (n, rank, reached) in
            [(6, 1, 0.96875), (8, 1, 0.992_187_5), (9, 2, 0.960_937_5), (20, 6, 0.958_610_534_667)]
        {
            let values: Vec<f64> = (1..=n).map(f64::from).collect();
            let bounds = order_statistics(&values, 0.95).unwrap();
            assert_eq!((bounds.low, bounds.high), (f64::from(rank), f64::from(n + 1 - rank)));
            assert!((bounds.confidence - reached).abs() < 1e-9, "{n}: {}", bounds.confidence);
        }
    }

    #[test]
    fn too_few_values_have_no_interval() {
        assert_eq!(order_statistics(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.95), None);
        assert_eq!(order_statistics(&[1.0; 6], 1.0), None);
        assert_eq!(student(&[1.0], 0.95), None);
        assert_eq!(student(&[1.0, 2.0], f64::NAN), None);
    }

    #[test]
    fn student_quantiles_are_those_of_the_table() {
        for (confidence, freedom, t) in [
            (0.95, 1.0, 12.706_204_736),
            (0.95, 2.0, 4.302_652_730),
            (0.95, 4.0, 2.776_445_105),
            (0.99, 2.0, 9.924_843_201),
            (0.9, 30.0, 1.697_260_887),
        ] {
            let got = t_quantile(confidence, freedom).unwrap();
            assert!((got / t - 1.0).abs() < 1e-7, "{confidence} {freedom}: {got}");
        }
    }

    #[test]
    fn a_student_interval_of_a_worked_example() {
        // mean 2, s = 1, n = 3: 2 ± 4.30265 / √3
        let bounds = student(&[1.0, 2.0, 3.0], 0.95).unwrap();
        assert!((bounds.low + 0.484_137_7).abs() < 1e-6, "{}", bounds.low);
        assert!((bounds.high - 4.484_137_7).abs() < 1e-6, "{}", bounds.high);
    }
}
