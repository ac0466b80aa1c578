//! How often the intervals of computed quantities hold the truth, and how often a family of
//! comparisons of equal things finds a difference, by simulation with fixed seeds. The rates are
//! printed: `cargo test -p stats --test behaviour scaling_rates -- --nocapture`.

#![allow(clippy::print_stdout, reason = "the rates are for people to read")]

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::{
    Bootstrap, Chance, Estimate, Ratio, Scatter, Usl, UslFit, closed_groups, paired_ratio,
};

/// Datasets for each rate.
const RUNS: u64 = 500;

struct Noise(Xoshiro256PlusPlus);

impl Noise {
    fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Log-normal with median 1.
    fn factor(&mut self, sigma: f64) -> f64 {
        let mut uniform = || ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        let radius = (-2.0 * uniform().ln()).sqrt();
        (sigma * radius * (std::f64::consts::TAU * uniform()).cos()).exp()
    }
}

/// Prints a rate and asserts that it is not below (or above) what is stated by more than three
/// standard errors.
fn at_least(what: &str, held: usize, stated: f64) {
    let share = held as f64 / RUNS as f64;
    println!("{what}: {held} of {RUNS} ({:.1} %), stated {:.1} %", share * 100.0, stated * 100.0);
    let error = (stated * (1.0 - stated) / RUNS as f64).sqrt();
    assert!(share >= stated - 3.0 * error, "{what}: {held} of {RUNS}");
}

#[test]
fn parameters_of_a_law_with_noise_lie_in_their_intervals() {
    let truth = Usl { lambda: 500.0, sigma: 0.05, kappa: 0.0008 };
    let clients = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];
    for (repeats, noise) in [(3, 0.05), (6, 0.05)] {
        let mut held = [0; 4];
        for seed in 0..RUNS {
            let mut random = Noise::new(seed);
            let rows: Vec<Vec<f64>> = (0..repeats)
                .map(|_| {
                    // A block that is slow as a whole, and noise of each trial.
                    let block = random.factor(0.05);
                    let trial = |&n: &f64| truth.throughput(n) * block * random.factor(noise);
                    clients.iter().map(trial).collect()
                })
                .collect();
            let fit = UslFit::fit(&clients, &rows).unwrap();
            let fit = fit.parameters(0.95, &Bootstrap::new(seed)).unwrap();
            let inside = |estimate: Estimate, value: f64| {
                estimate.interval.is_some_and(|i| i.low <= value && value <= i.high)
            };
            held[0] += usize::from(inside(fit.lambda, truth.lambda));
            held[1] += usize::from(inside(fit.sigma, truth.sigma));
            held[2] += usize::from(inside(fit.kappa, truth.kappa));
            let above = fit.peak.low.is_some_and(|low| low <= truth.peak());
            held[3] += usize::from(above && fit.peak.high.is_none_or(|high| truth.peak() <= high));
        }
        for (name, held) in ["lambda", "sigma", "kappa", "N*"].into_iter().zip(held) {
            at_least(&format!("{name} in its interval, {repeats} repeats"), held, 0.95);
        }
    }
}

/// Pairs of equal targets, each at several levels, that borrow their scatter from one another.
#[test]
fn a_family_of_equal_pairs_finds_a_difference_as_seldom_as_stated() {
    for (repeats, pairs, levels) in [(3, 1, 6), (3, 2, 20), (6, 1, 12)] {
        let clean = (0..RUNS)
            .filter(|&seed| {
                let mut random = Noise::new(seed);
                let logs: Vec<Vec<f64>> = (0..pairs * levels)
                    .map(|_| {
                        let mut log = || (random.factor(0.1) / random.factor(0.1)).ln();
                        (0..repeats).map(|_| log()).collect()
                    })
                    .collect();
                let scatter = Scatter::from_samples(&logs, 1.0).unwrap();
                let chance = |logs: &Vec<f64>| {
                    let pairs: Vec<(f64, f64)> = logs.iter().map(|log| (1.0, log.exp())).collect();
                    Ratio::paired(&pairs, 0.0, Some(&scatter)).unwrap().chance().unwrap()
                };
                let groups: Vec<Vec<Chance>> =
                    logs.chunks(levels).map(|pair| pair.iter().map(chance).collect()).collect();
                closed_groups(&groups).concat().iter().all(|p_value| *p_value > 0.05)
            })
            .count();
        let what = format!("no difference in {pairs} × {levels}, {repeats} repeats");
        at_least(&what, clean, 0.95);
    }
}

#[test]
fn the_named_number_of_repeats_resolves_about_half_of_the_time_or_more() {
    // A pilot of 6 that saw the true ratio and scatter names the number; with as many, an interval
    // lies to its side of 1 where the mean does not fall short, that is in about half of all runs.
    let pilot: Vec<(f64, f64)> =
        (0..6).map(|i| (1.0, 1.1 * if i % 2 == 0 { 1.0954_f64 } else { 1.0 / 1.0954 })).collect();
    let pilot = Ratio::paired(&pilot, 0.0, None).unwrap();
    let needed = pilot.repeats_to_resolve(0.03, 0.95, 1.0).unwrap();
    let resolved = (0..RUNS)
        .filter(|&seed| {
            let mut random = Noise::new(seed);
            let pairs: Vec<(f64, f64)> =
                (0..needed).map(|_| (1.0, 1.1 * random.factor(0.1))).collect();
            paired_ratio(&pairs, 0.0, 0.95).unwrap().interval.unwrap().low > 1.0
        })
        .count();
    println!("{needed} repeats were named");
    at_least("the named number of repeats resolves", resolved, 0.5);
}
