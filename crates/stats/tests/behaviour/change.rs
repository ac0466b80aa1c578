//! Changes of level in simulated series.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::{ChangeFinder, Changes};

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

fn change_points(values: &[f64], alpha: f64, seed: u64) -> Vec<usize> {
    ChangeFinder::new(alpha, seed).find(values).starts
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
        println!("three standard deviations in 30 values, wild ones: {wild}: {found}");
        let least = if wild { 80 } else { 90 };
        assert!(found >= least, "{found} of {studies}");
    }
    let steps = |index: usize| [0.0, 10.0, 4.0][index / 10];
    let values: Vec<f64> =
        series(1, 30, false).iter().enumerate().map(|(i, value)| value + steps(i)).collect();
    assert_eq!(change_points(&values, 0.01, 1), [10, 20]);
}

/// Values that resemble those before them, by that coefficient.
fn drifting(seed: u64, length: usize, coefficient: f64) -> Vec<f64> {
    let own = (1.0_f64 - coefficient * coefficient).sqrt();
    let steps = series(seed, length + 50, false);
    let mut last = 0.0;
    let all = steps.iter().map(|step| {
        last = coefficient * last + own * step;
        last
    });
    all.skip(50).collect()
}

#[test]
fn drift_is_rarely_taken_for_a_change_and_is_told() {
    let studies = 300;
    for (length, coefficient, stated) in
        [(20, 0.5, 0.08), (20, 0.8, 0.12), (40, 0.5, 0.08), (40, 0.8, 0.12)]
    {
        let mut finder = ChangeFinder::new(0.05, 1);
        let found: Vec<Changes> =
            (0..studies).map(|seed| finder.find(&drifting(seed, length, coefficient))).collect();
        let alarms = found.iter().filter(|found| !found.starts.is_empty()).count() as f64;
        let told = found.iter().filter(|found| found.drift.is_some_and(|by| by > 0.2)).count();
        let share = alarms / studies as f64;
        println!("{length} values, coefficient {coefficient}: {share}, told of {told}");
        assert!(share < stated + 3.0 * (stated * (1.0 - stated) / studies as f64).sqrt());
        assert!(told as f64 > 0.15 * studies as f64, "{told}");
    }
}
