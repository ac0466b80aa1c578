//! Tests after every repeat, against simulation.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::{Looks, error_of_looks};

#[test]
fn all_looks_together_err_as_stated() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut uniform = || ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    let mut normal = || (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
    let looks = Looks::new(3, 20).unwrap();
    let bounds: Vec<f64> = (0..=20).map(|repeats| looks.nominal(repeats, 0.05)).collect();
    let studies = 40_000;
    let mut errors = 0;
    for _ in 0..studies {
        let mut sum = 0.0;
        let mut found = false;
        for repeats in 1..=20_u32 {
            sum += normal();
            let p_value = error_of(sum / f64::from(repeats).sqrt());
            found |= repeats >= 3 && p_value <= bounds[repeats as usize];
        }
        errors += u32::from(found);
    }
    let error = f64::from(errors) / f64::from(studies);
    // Four standard errors.
    assert!((error - 0.05).abs() < 0.0044, "{error}");
}

/// The two-sided p-value of a normal score (error function by C. Hastings, to 2e-7).
fn error_of(score: f64) -> f64 {
    let x = score.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let coefficients =
        [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    coefficients.iter().fold(0.0, |sum, c| (sum + c) * t) * (-x * x).exp()
}

#[test]
fn a_repeated_p_value_and_its_bound_are_one_test() {
    let looks = Looks::new(3, 20).unwrap();
    for repeats in 3..=20 {
        for error in [1e-8, 1e-4, 0.003, 0.05, 0.1, 0.3] {
            let nominal = looks.nominal(repeats, error);
            assert!(nominal > 0.0 && nominal <= error, "{repeats} {error} {nominal}");
            let overall = looks.overall(repeats, nominal);
            assert!((overall / error - 1.0).abs() < 1e-6, "{repeats} {error} {overall}");
        }
    }
    // What is nothing by itself is nothing among several looks.
    assert_eq!((looks.overall(5, 1.0), looks.overall(5, 0.0)), (1.0, 0.0));
}

#[test]
fn a_single_look_is_a_plain_test() {
    let looks = Looks::new(7, 7).unwrap();
    for error in [1e-6, 0.01, 0.05, 0.2] {
        assert!((looks.nominal(7, error) / error - 1.0).abs() < 1e-6, "{error}");
    }
    // Two looks pay for the first one.
    let last = Looks::new(10, 20).unwrap().nominal(20, 0.05);
    let alone = error_of_looks(last, &[20]);
    assert!(last < 0.05 && (alone - last).abs() < 1e-4, "{last} {alone}");
}

#[test]
fn what_cannot_be_looked_at_is_refused() {
    assert!(Looks::new(0, 5).is_none() && Looks::new(6, 5).is_none());
    assert!(Looks::new(2, Looks::MOST).is_some() && Looks::new(2, Looks::MOST + 1).is_none());
}

#[test]
fn what_lies_at_the_margin_is_seldom_told_the_same_at_any_look_and_equal_ones_mostly_at_last() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
    let mut uniform = || ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    let mut normal = || (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
    let looks = Looks::new(3, 20).unwrap();
    // Half the width of the interval that has to lie within the margin, in standard errors.
    let widths: Vec<f64> = (0..=20).map(|n| score_of(looks.nominal_same(n, 0.1))).collect();
    // So wide that 20 repeats at once would tell 80 % of equal ones to be the same.
    let margin = (1.645 + 1.282) / 20.0_f64.sqrt();
    let mut same = |truth: f64| {
        let studies = 5_000;
        let mut told = 0;
        for _ in 0..studies {
            let (mut sum, mut found) = (0.0, false);
            for n in 1..=20_u32 {
                sum += truth + normal();
                let (mean, error) = (sum / f64::from(n), f64::from(n).sqrt().recip());
                found |= n >= 3 && mean.abs() + widths[n as usize] * error < margin;
            }
            told += u32::from(found);
        }
        f64::from(told) / f64::from(studies)
    };
    let (at_margin, equal) = (same(margin), same(0.0));
    // Three standard errors above 5 %.
    assert!(at_margin < 0.0593, "{at_margin}");
    assert!(equal > 0.65, "{equal}");
}

/// How many standard deviations a two-sided p-value is worth.
fn score_of(error: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if error_of(middle) > error { low = middle } else { high = middle }
    }
    high
}
