//! How often intervals hold the true value, by simulation with fixed seeds: the confidence that
//! they state must be the one that they have.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::{Estimate, IntervalMethod, Sample, paired_ratio};

const RUNS: u32 = 20_000;

pub(crate) struct Random(Xoshiro256PlusPlus);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// In (0, 1).
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Standard normal (Box and Muller).
    pub(crate) fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Log-normal with median 1.
    fn log_normal(&mut self, sigma: f64) -> f64 {
        (sigma * self.normal()).exp()
    }

    /// Exponential with median 1: strongly skewed, and not log-normal.
    fn exponential(&mut self) -> f64 {
        -self.uniform().ln() / std::f64::consts::LN_2
    }
}

/// Share of runs in which the 95 % interval of the median held the true median 1.
fn coverage(seed: u64, n: usize, method: IntervalMethod, draw: impl Fn(&mut Random) -> f64) -> f64 {
    let mut random = Random::new(seed);
    let held = (0..RUNS)
        .filter(|_| {
            let values = (0..n).map(|_| draw(&mut random)).collect();
            let estimate =
                Estimate::of_median(&Sample::new(values).expect("draws are finite"), 0.95);
            let interval = estimate.interval.expect("positive values, at least two");
            assert_eq!(interval.method, method);
            interval.low <= 1.0 && 1.0 <= interval.high
        })
        .count();
    held as f64 / f64::from(RUNS)
}

// The standard error of a share near 0.95 over 20,000 runs is 0.0015: 0.006 is four of them.
const TOLERANCE: f64 = 0.006;

#[test]
fn student_on_logarithms_covers_as_stated_for_log_normal_repeats() {
    for (seed, n) in [(1, 2), (2, 3), (3, 4), (4, 5)] {
        for sigma in [0.02, 0.5] {
            let share = coverage(seed, n, IntervalMethod::StudentLog, |r| r.log_normal(sigma));
            assert!((share - 0.95).abs() < TOLERANCE, "n = {n}, sigma = {sigma}: {share}");
        }
    }
}

#[test]
fn order_statistics_cover_as_stated_whatever_the_distribution() {
    for (seed, n, stated) in [(11, 6, 0.96875), (12, 9, 0.960_937_5)] {
        let method = IntervalMethod::OrderStatistics;
        let skewed = coverage(seed, n, method, Random::exponential);
        let log_normal = coverage(seed, n, method, |r| r.log_normal(1.0));
        for share in [skewed, log_normal] {
            assert!((share - stated).abs() < TOLERANCE, "n = {n}: {share}, stated {stated}");
            assert!(share >= 0.95 - TOLERANCE);
        }
    }
}

#[test]
fn paired_ratios_cover_although_the_blocks_drift() {
    for (seed, n, stated) in [(21, 3, 0.95), (22, 6, 0.95)] {
        let mut random = Random::new(seed);
        let held = (0..RUNS)
            .filter(|_| {
                let pairs: Vec<(f64, f64)> = (0..n)
                    .map(|block| {
                        let drift = 1000.0 * 0.7_f64.powi(block);
                        let noise = |r: &mut Random| r.log_normal(0.03);
                        (drift * noise(&mut random), 1.3 * drift * noise(&mut random))
                    })
                    .collect();
                let interval = paired_ratio(&pairs, 0.0, 0.95).unwrap().interval.unwrap();
                interval.low <= 1.3 && 1.3 <= interval.high
            })
            .count();
        let share = held as f64 / f64::from(RUNS);
        assert!((share - stated).abs() < TOLERANCE, "n = {n}: {share}");
    }
}
