//! Whether a curve lies further from a law than its scatter explains.

use crate::bootstrap::means;
use statrs::distribution::{ContinuousCDF, FisherSnedecor};

/// The p-value of a law with so many fitted `parameters`, one of them a factor of all levels, against
/// repeats of logarithms, each with a value for each level: the mean square by which the levels' means
/// leave the law, over that by which levels change within repeats, as in an analysis of variance of two
/// ways (N. R. Draper and H. Smith, *Applied Regression Analysis*, 1998, section 2.1). What a repeat
/// shares with all its levels is no scatter of the curve's form.
///
/// `None` for fewer than two repeats, or no more levels than parameters.
pub(crate) fn lack_of_fit(repeats: &[Vec<f64>], law: &[f64], parameters: usize) -> Option<f64> {
    let (levels, count) = (law.len(), repeats.len());
    if count < 2 || levels <= parameters || repeats.iter().any(|row| row.len() != levels) {
        return None;
    }
    let means = means(repeats);
    let average = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / levels as f64;
    let offset = average(&mut means.iter().zip(law).map(|(mean, law)| mean - law));
    let off = means.iter().zip(law).map(|(mean, law)| (mean - law - offset).powi(2)).sum::<f64>();
    let mut within = 0.0;
    for row in repeats {
        let shared = average(&mut row.iter().zip(&means).map(|(value, mean)| value - mean));
        within += row.iter().zip(&means).map(|(v, mean)| (v - mean - shared).powi(2)).sum::<f64>();
    }
    let freedom = ((levels - parameters) as f64, ((levels - 1) * (count - 1)) as f64);
    let (off, within) = (off * count as f64 / freedom.0, within / freedom.1);
    // Rounding alone leaves a law that fits exactly by less than this.
    if off <= 1e-20 {
        return Some(1.0);
    }
    let distribution = FisherSnedecor::new(freedom.0, freedom.1).ok()?;
    Some(if within > 0.0 { distribution.sf(off / within) } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worked_example_by_hand() {
        // Means 0, 1, 0, 1 against a flat law of one parameter: 2 × (4 × 0.25) ÷ 3. Within repeats
        // ± 0.1 in turns: 8 × 0.01 ÷ 3. F = 25 with 3 and 3 degrees of freedom.
        let repeats = [vec![0.1, 0.9, 0.1, 0.9], vec![-0.1, 1.1, -0.1, 1.1]];
        let p = lack_of_fit(&repeats, &[0.0; 4], 1).unwrap();
        assert!((p - 0.0126).abs() < 0.001, "{p}");
        // What a repeat shares changes nothing.
        let shifted = [repeats[0].iter().map(|v| v + 5.0).collect(), repeats[1].clone()];
        assert!((lack_of_fit(&shifted, &[0.0; 4], 1).unwrap() - p).abs() < 1e-9);
    }

    #[test]
    fn without_scatter_a_curve_is_the_law_or_is_not() {
        let law = [1.0, 2.0, 3.0];
        let exact = [law.to_vec(), law.to_vec()];
        assert_eq!(lack_of_fit(&exact, &law, 2), Some(1.0));
        assert_eq!(lack_of_fit(&exact, &[1.0, 2.0, 3.1], 2), Some(0.0));
        assert_eq!(lack_of_fit(&exact[..1], &law, 2), None);
        assert_eq!(lack_of_fit(&exact, &law, 3), None);
    }
}
