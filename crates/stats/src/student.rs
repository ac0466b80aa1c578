//! Student's t distribution, as often as an analysis asks for it.

use std::f64::consts::PI;

/// Degrees of freedom up to which the sum is fast.
const MOST_FREEDOM: f64 = 200.0;
/// Below this the sum has too few digits left.
const LEAST_TAIL: f64 = 1e-6;
/// Terms of a series or a fraction after which it is as exact as a number can be for any degrees of
/// freedom and any `t` that it is asked for: it ends earlier, when terms no longer count.
const MOST_TERMS: u32 = 2_000;
/// What no longer counts.
const NEGLIGIBLE: f64 = 1e-16;

/// How likely values at least so far from 0 are, on either side, for each `t` of 0 and above and
/// `freedom` above 0. Several are found sooner together than one after another.
///
/// For whole degrees of freedom the sum of M. Abramowitz and I. A. Stegun, *Handbook of
/// Mathematical Functions* (1964), 26.7.3 and 26.7.4, is the fastest.
pub(crate) fn two_tails<const COUNT: usize>(t: [f64; COUNT], freedom: f64) -> [f64; COUNT] {
    if !(1.0..=MOST_FREEDOM).contains(&freedom) || freedom.trunc() != freedom {
        return t.map(|t| beta(t, freedom));
    }
    let mut tails = within(t, freedom).map(|within| 1.0 - within);
    for (tail, t) in tails.iter_mut().zip(t).filter(|(tail, _)| **tail <= LEAST_TAIL) {
        *tail = beta(t, freedom);
    }
    tails
}

fn within<const COUNT: usize>(t: [f64; COUNT], freedom: f64) -> [f64; COUNT] {
    let odd = freedom as u32 % 2 == 1;
    let cosine_squared = t.map(|t| freedom / (freedom + t * t));
    let first = if odd { cosine_squared.map(f64::sqrt) } else { [1.0; COUNT] };
    let (mut terms, mut sums) = (first, first);
    // Each term from the one before: by 1/2, 3/4, 5/6 … or by 2/3, 4/5, 6/7 … times cos².
    let mut over = if odd { 3.0 } else { 2.0 };
    while over <= freedom - 2.0 {
        for ((term, sum), cosine_squared) in terms.iter_mut().zip(&mut sums).zip(cosine_squared) {
            *term *= cosine_squared * (over - 1.0) / over;
            *sum += *term;
        }
        over += 2.0;
    }
    std::array::from_fn(|place| {
        let (sine, sum) = ((1.0 - cosine_squared[place]).sqrt(), sums[place]);
        if !odd {
            return sine * sum;
        }
        let angle = (t[place] / freedom.sqrt()).atan();
        let sum = if freedom > 1.0 { sum } else { 0.0 };
        std::f64::consts::FRAC_2_PI * (angle + sine * sum)
    })
}

/// The same for any degrees of freedom.
///
/// It is the incomplete beta function I_x(ν/2, ½) for x = ν ÷ (ν + t²): near the middle what is left of
/// the series of the other side, 1 − I_(1−x)(½, ν/2), in the tail a continued fraction (*NIST Digital
/// Library of Mathematical Functions*, 8.17.8 and 8.17.22).
fn beta(t: f64, freedom: f64) -> f64 {
    let (a, odds) = (freedom / 2.0, t * t / freedom);
    let x = 1.0 / (1.0 + odds);
    let y = if odds > 1.0 { 1.0 - x } else { odds * x };
    // x^a y^½ ÷ B(a, ½)
    let front = (-a * odds.ln_1p()).exp() * y.sqrt() * gamma_ratio(a) / PI.sqrt();
    // From there on the fraction is short.
    if x * (a + 2.5) < a + 1.0 {
        return front / (a * fraction(a, x));
    }
    1.0 - 2.0 * front * series(a, y)
}

/// Γ(a + ½) ÷ Γ(a): the asymptotic series in w = a − ¼ (J. L. Fields, *Proceedings of the Edinburgh
/// Mathematical Society* 15, 1966), which is exact to 1e-14 from 10 on. What is smaller follows from
/// there by Γ(a + 1) = a Γ(a).
fn gamma_ratio(a: f64) -> f64 {
    let (mut at, mut above, mut below) = (a, 1.0, 1.0);
    while at < 10.0 {
        above *= at;
        below *= at + 0.5;
        at += 1.0;
    }
    let w = at - 0.25;
    let u = (w * w).recip();
    let more = u
        * (1.0 / 64.0
            + u * (-19.0 / 8_192.0
                + u * (631.0 / 524_288.0
                    + u * (-174_317.0 / 134_217_728.0 + u * (20_491_783.0 / 8_589_934_592.0)))));
    w.sqrt() * (1.0 + more) * above / below
}

/// F(a + ½, 1; 3/2; y), the sum of (a + ½)ₙ ÷ (3/2)ₙ yⁿ.
fn series(a: f64, y: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for n in 0..MOST_TERMS {
        let n = f64::from(n);
        term *= y * (a + 0.5 + n) / (1.5 + n);
        sum += term;
        if term < NEGLIGIBLE * sum {
            break;
        }
    }
    sum
}

/// The continued fraction 1 + d₁ ÷ (1 + d₂ ÷ (1 + …)) of I_x(a, ½), by its convergents.
fn fraction(a: f64, x: f64) -> f64 {
    let (mut upper, mut upper_before) = (1.0, 1.0);
    let (mut lower, mut lower_before) = (1.0, 0.0);
    let mut found = 1.0;
    for m in 0..MOST_TERMS {
        let m = f64::from(m);
        let at = a + 2.0 * m;
        let odd = -(a + m) * (a + 0.5 + m) * x / (at * (at + 1.0));
        let even = (m + 1.0) * (-0.5 - m) * x / ((at + 1.0) * (at + 2.0));
        for d in [odd, even] {
            (upper, upper_before) = (upper + d * upper_before, upper);
            (lower, lower_before) = (lower + d * lower_before, lower);
        }
        let before = std::mem::replace(&mut found, upper / lower);
        if (found - before).abs() <= f64::EPSILON * found {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{ContinuousCDF, StudentsT};

    /// Of mpmath: betainc(v / 2, 0.5, 0, v / (v + t * t), regularized=True).
    const EXACT: [(f64, f64, f64); 28] = [
        (0.7, 0.001, 9.994107276485336e-1),
        (0.7, 1.5, 4.403650970192403e-1),
        (0.7, 4.4, 2.186380836626854e-1),
        (0.7, 25.0, 6.52959715948033e-2),
        (1.0, 0.001, 9.993633804398389e-1),
        (1.0, 1.5, 3.743340836219976e-1),
        (1.0, 4.4, 1.422696229476306e-1),
        (1.0, 25.0, 2.545122269598366e-2),
        (2.37, 0.001, 9.992800793193201e-1),
        (2.37, 1.5, 2.533585855947329e-1),
        (2.37, 4.4, 3.491254571632602e-2),
        (2.37, 25.0, 6.300387335124967e-4),
        (5.0, 0.001, 9.992407867721977e-1),
        (5.0, 1.5, 1.939036802424734e-1),
        (5.0, 4.4, 7.021870035623958e-3),
        (5.0, 25.0, 1.910677784395423e-6),
        (17.25, 0.001, 9.992135893735968e-1),
        (17.25, 1.5, 1.516946046873421e-1),
        (17.25, 4.4, 3.7889039001705e-4),
        (17.25, 25.0, 5.412578998589152e-15),
        (66.0, 0.001, 9.992051320317036e-1),
        (66.0, 1.5, 1.383831131219722e-1),
        (66.0, 4.4, 4.042471714112994e-5),
        (66.0, 25.0, 2.258522924799767e-35),
        (400.0, 0.001, 9.99202614093954e-1),
        (400.0, 1.5, 1.344032570122225e-1),
        (400.0, 4.4, 1.390183710937475e-5),
        (400.0, 25.0, 9.431853440782883e-84),
    ];

    #[test]
    fn tails_are_exact() {
        for (freedom, t, exact) in EXACT {
            let [tails] = two_tails([t], freedom);
            for (found, digits) in [(tails, 1e-9), (beta(t, freedom), 1e-12)] {
                assert!((found / exact - 1.0).abs() < digits, "{freedom} {t}: {found} {exact}");
            }
        }
    }

    #[test]
    fn tails_are_those_of_the_beta_function_at_any_freedom() {
        let broken = (1..400).map(|i| 0.5 + f64::from(i) * 0.37);
        for freedom in broken.chain((1..200).map(f64::from)) {
            for t in (0..200).map(|i| 0.001 * 1.06_f64.powi(i)) {
                let exact = 2.0 * StudentsT::new(0.0, 1.0, freedom).unwrap().cdf(-t);
                let [found] = two_tails([t], freedom);
                assert!((found - exact).abs() <= 1e-8 * exact, "{freedom} {t}: {found} {exact}");
            }
        }
        assert_eq!(two_tails([0.0, 1e200], 3.0), [1.0, 0.0]);
    }
}
