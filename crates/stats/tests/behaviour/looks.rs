//! Tests that are repeated while values come in, against what is published and against simulation.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::error_of_looks;

/// P. Armitage, C. K. McPherson and B. C. Rowe, *Journal of the Royal Statistical Society* A 132,
/// 1969, table 2: tests at 5 % after equal steps.
#[test]
fn equal_steps_err_as_published() {
    let published = [5.0, 8.3, 10.7, 12.6, 14.2];
    for (looks, percent) in (1..).zip(published) {
        let sizes: Vec<u32> = (1..=looks).map(|look| 4 * look).collect();
        let error = 100.0 * error_of_looks(0.05, &sizes);
        assert!((error - percent).abs() < 0.06, "{looks} looks: {error} %");
    }
}

#[test]
fn looks_that_add_nothing_change_nothing() {
    assert!((error_of_looks(0.05, &[3, 3, 3]) - 0.05).abs() < 1e-6);
    assert_eq!(error_of_looks(0.05, &[]), 0.05);
    // A step that is small against what there is already adds little.
    let little = error_of_looks(0.05, &[1000, 1001]);
    assert!(little > 0.05 && little < 0.053, "{little}");
}

#[test]
fn uneven_steps_err_as_simulated() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut uniform = || ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    let mut normal = || (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
    let sizes = [3, 4, 10];
    let studies = 60_000;
    let mut errors = 0;
    for _ in 0..studies {
        let (mut sum, mut size) = (0.0, 0);
        errors += u32::from(sizes.iter().fold(false, |found, &until| {
            while size < until {
                sum += normal();
                size += 1;
            }
            found || sum.abs() > 1.959_964 * f64::from(size).sqrt()
        }));
    }
    let (simulated, computed) =
        (f64::from(errors) / f64::from(studies), error_of_looks(0.05, &sizes));
    // Four standard errors.
    assert!((simulated - computed).abs() < 0.005, "{simulated} {computed}");
}
