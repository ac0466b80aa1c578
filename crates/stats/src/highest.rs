use crate::interval::t_quantile;
use serde::Serialize;

/// The highest throughput of a law, and what one further trial there would measure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HighestThroughput {
    /// By the law itself.
    pub point: f64,
    /// Lower end of the prediction interval.
    pub low: f64,
    /// Its upper end; absent where the law may rise for ever.
    pub high: Option<f64>,
    pub confidence: f64,
}

impl HighestThroughput {
    /// From the interval of the law's own figure, and logarithms of throughput, repeat by repeat, of which
    /// each column is a level. `None` of a law that has no highest throughput.
    ///
    /// A further trial is off by what the law is, and by as much as trials of one level scatter: of the two
    /// errors, which are independent, the squares of the distances to the ends add up, on the scale of
    /// logarithms (N. R. Draper and H. Smith, *Applied Regression Analysis*, 1998, section 3.1, for the sum
    /// of the variances; G. Y. Zou and A. Donner, *Statistics in Medicine* 27, 2008, for unequal ends).
    pub(crate) fn new(
        point: f64,
        (low, high): (f64, f64),
        logs: &[Vec<f64>],
        confidence: f64,
    ) -> Option<Self> {
        let repeats = logs.len() as f64;
        let levels = logs.first()?.len();
        let squares = |level: usize| {
            let mean = logs.iter().map(|row| row[level]).sum::<f64>() / repeats;
            logs.iter().map(|row| (row[level] - mean).powi(2)).sum::<f64>()
        };
        let squares: f64 = (0..levels).map(squares).sum();
        let variance = squares / levels as f64 / (repeats - 1.0);
        let scatter = t_quantile(confidence, repeats - 1.0)?.powi(2) * variance;
        let away = |end: f64| ((end / point).ln().powi(2) + scatter).sqrt().exp();
        let high = point * away(high.max(point));
        (point.is_finite() && point > 0.0 && low > 0.0).then(|| Self {
            point,
            low: point / away(low.min(point)),
            high: high.is_finite().then_some(high),
            confidence,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeats(scatter: f64) -> Vec<Vec<f64>> {
        [-scatter, 0.0, scatter].map(|off| vec![1.0 + off, 2.0 - off]).to_vec()
    }

    #[test]
    fn a_further_trial_is_known_less_well_than_the_law() {
        let of =
            |ends, scatter| HighestThroughput::new(100.0, ends, &repeats(scatter), 0.95).unwrap();
        let still = of((90.0, 120.0), 0.0);
        assert!((still.low - 90.0).abs() < 1e-9 && (still.high.unwrap() - 120.0).abs() < 1e-9);
        // t of two degrees of freedom is 4.303.
        let exact = of((100.0, 100.0), 0.1);
        assert!((exact.high.unwrap() / 100.0 - 0.430_3_f64.exp()).abs() < 1e-3, "{exact:?}");
        let both = of((90.0, 120.0), 0.1);
        assert!(both.low < exact.low && both.high > exact.high, "{both:?}");
        assert_eq!(of((90.0, f64::INFINITY), 0.1).high, None);
    }

    /// Of a single level, whose law is its mean.
    #[test]
    fn of_a_mean_it_is_the_prediction_interval_of_normal_values() {
        let logs: Vec<Vec<f64>> = [4.5, 4.7, 4.6, 4.65, 4.55].map(|log| vec![log]).to_vec();
        let values: Vec<f64> = logs.iter().flatten().copied().collect();
        let mean = crate::interval::student(&values, 0.95).unwrap();
        let (low, high) = (mean.low.exp(), mean.high.exp());
        let found = HighestThroughput::new(4.6_f64.exp(), (low, high), &logs, 0.95).unwrap();
        // t s √(1 + 1 ÷ n), with t of four degrees of freedom and s² = 0.025 ÷ 4.
        let half = 2.776_445 * (0.025 / 4.0 * 1.2_f64).sqrt();
        assert!((found.low.ln() - (4.6 - half)).abs() < 1e-5, "{found:?}");
        assert!((found.high.unwrap().ln() - (4.6 + half)).abs() < 1e-5, "{found:?}");
    }

    #[test]
    fn what_rises_for_ever_has_none() {
        let endless = (90.0, f64::INFINITY);
        assert_eq!(HighestThroughput::new(f64::INFINITY, endless, &repeats(0.1), 0.95), None);
        assert_eq!(HighestThroughput::new(100.0, (90.0, 110.0), &[vec![1.0]], 0.95), None);
    }
}
