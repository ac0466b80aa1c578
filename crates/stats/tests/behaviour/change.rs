//! Changes of level in simulated series.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::change_points;

/// Values around 0; one in twenty is far off.
fn series(seed: u64, length: usize, wild: bool) -> Vec<f64> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut uniform = move || ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    let mut value = move || {
        let normal = (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
        if wild && uniform() < 0.05 { 20.0 * normal } else { normal }
    };
    (0..length).map(|_| value()).collect()
}

#[test]
fn series_that_do_not_change_rarely_seem_to() {
    for (length, wild) in [(8, false), (20, false), (20, true), (60, false)] {
        let studies = 2000;
        let alarms = (0..studies)
            .filter(|&seed| !change_points(&series(seed, length, wild), 0.05, seed).is_empty())
            .count();
        let share = alarms as f64 / studies as f64;
        println!("{length} values, wild ones: {wild}: {share}");
        // Four standard errors beyond the 5 % that are stated.
        assert!(
            share < 0.05 + 4.0 * (0.05_f64 * 0.95 / studies as f64).sqrt(),
            "{length}: {share}"
        );
    }
    assert!(change_points(&[1.0; 30], 0.05, 1).is_empty());
    assert!(change_points(&[], 0.05, 1).is_empty());
    assert!(change_points(&[1.0, 1.0, 1.0, 9.0, 9.0], 0.05, 1).is_empty());
}

#[test]
fn changes_are_found_where_they_are() {
    for wild in [false, true] {
        let studies = 100;
        let found = (0..studies)
            .filter(|&seed| {
                let mut values = series(seed, 30, wild);
                // Three standard deviations.
                values[12..].iter_mut().for_each(|value| *value += 3.0);
                let points = change_points(&values, 0.01, seed);
                points.iter().any(|at| at.abs_diff(12) <= 2)
            })
            .count();
        let least = if wild { 88 } else { 95 };
        assert!(found >= least, "{found} of {studies}");
    }
    let steps = |index: usize| [0.0, 10.0, 4.0][index / 10];
    let values: Vec<f64> =
        series(1, 30, false).iter().enumerate().map(|(i, value)| value + steps(i)).collect();
    assert_eq!(change_points(&values, 0.01, 1), [10, 20]);
}
