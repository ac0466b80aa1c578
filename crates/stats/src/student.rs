//! Student's t distribution, as often as an analysis asks for it.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Degrees of freedom up to which the sum is faster than the beta function.
const MOST_FREEDOM: f64 = 200.0;
/// Below this the sum has too few digits left.
const LEAST_TAIL: f64 = 1e-6;

/// How likely a value at least so far from 0 is, on either side, for `t` of 0 and above and
/// `freedom` above 0.
///
/// For whole degrees of freedom the sum of M. Abramowitz and I. A. Stegun, *Handbook of
/// Mathematical Functions* (1964), 26.7.3 and 26.7.4.
pub(crate) fn two_tails(t: f64, freedom: f64) -> f64 {
    if freedom.fract() == 0.0 && (1.0..=MOST_FREEDOM).contains(&freedom) {
        let tail = 1.0 - within(t, freedom);
        if tail > LEAST_TAIL {
            return tail;
        }
    }
    StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |student| 2.0 * student.cdf(-t))
}

fn within(t: f64, freedom: f64) -> f64 {
    let odd = freedom % 2.0 == 1.0;
    let cosine_squared = freedom / (freedom + t * t);
    let sine = (1.0 - cosine_squared).sqrt();
    let first = if odd { cosine_squared.sqrt() } else { 1.0 };
    let (mut term, mut sum) = (first, first);
    // Each term from the one before: by 1/2, 3/4, 5/6 … or by 2/3, 4/5, 6/7 … times cos².
    let mut over = if odd { 3.0 } else { 2.0 };
    while over <= freedom - 2.0 {
        term *= cosine_squared * (over - 1.0) / over;
        sum += term;
        over += 2.0;
    }
    if !odd {
        return sine * sum;
    }
    let angle = (t / freedom.sqrt()).atan();
    let sum = if freedom > 1.0 { sum } else { 0.0 };
    std::f64::consts::FRAC_2_PI * (angle + sine * sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_and_the_beta_function_agree() {
        for freedom in [1.0, 2.0, 3.0, 4.0, 5.0, 8.0, 17.0, 66.0, 199.0, 200.0] {
            for t in [0.0, 1e-3, 0.3, 1.0, 2.5, 4.0, 9.0, 40.0] {
                let exact = 2.0 * StudentsT::new(0.0, 1.0, freedom).unwrap().cdf(-t);
                let found = two_tails(t, freedom);
                assert!((found - exact).abs() <= 1e-8 * exact, "{freedom} {t}: {found} {exact}");
            }
        }
    }
}
