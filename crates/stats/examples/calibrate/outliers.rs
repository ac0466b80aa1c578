//! Outliers in one target.

use crate::judging::{self, Trials};
use crate::simulated::Random;
use crate::{ALPHA, chances};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::{Chance, Part, Ratio, closed_groups, holm};
use std::io::Write;

const SCATTER: f64 = 0.05;

#[derive(Clone, Copy)]
struct Case {
    targets: usize,
    levels: usize,
    repeats: usize,
    /// What a disturbed trial has of the throughput of the others, and how many trials of the first
    /// target are.
    left: f64,
    share: f64,
    /// By what factor the last target is better.
    better: f64,
}

/// How often, in percent: over all levels together, and at single levels.
#[derive(Clone, Copy, Default)]
struct Rates {
    error: f64,
    found: f64,
    error_at_levels: f64,
    found_at_levels: f64,
}

impl Case {
    fn trials(&self, random: &mut Random) -> Trials {
        let mut trial = |target: usize| {
            let is_bad = target == 0 && random.uniform() < self.share;
            let better = if target + 1 == self.targets { self.better.ln() } else { 0.0 };
            better + SCATTER * random.normal() + if is_bad { self.left.ln() } else { 0.0 }
        };
        let mut cell = |target: usize| (0..self.repeats).map(|_| trial(target)).collect();
        (0..self.targets).map(|target| (0..self.levels).map(|_| cell(target)).collect()).collect()
    }

    fn rates(&self, count: u32) -> Rates {
        let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(1));
        let pairs: Vec<(usize, usize)> =
            (0..self.targets).flat_map(|a| (a + 1..self.targets).map(move |b| (a, b))).collect();
        let differs = |pair: &(usize, usize)| self.better != 1.0 && pair.1 + 1 == self.targets;
        let mut rates = Rates::default();
        let one = 100.0 / f64::from(count);
        for _ in 0..count {
            let parts = judging::parts(&self.trials(&mut random), &pairs);
            let mean = |parts: &Vec<Part>| Ratio::mean(parts, 1.0)?.p_value();
            let overall: Vec<f64> = parts.iter().map(|one| mean(one).unwrap_or(1.0)).collect();
            let overall = holm(&overall);
            let by_level: Vec<Vec<Chance>> = parts.iter().map(|levels| chances(levels)).collect();
            let by_level = closed_groups(&by_level);
            let (mut error, mut error_at_levels) = (false, false);
            for ((pair, overall), levels) in pairs.iter().zip(&overall).zip(&by_level) {
                let called = levels.iter().filter(|p| **p <= ALPHA).count();
                match (differs(pair), pair.0) {
                    // Of the disturbed target.
                    (true, 0) => {
                        rates.found += if *overall <= ALPHA { one } else { 0.0 };
                        rates.found_at_levels += one * called as f64 / self.levels as f64;
                    }
                    (true, _) => {}
                    (false, _) => {
                        error |= *overall <= ALPHA;
                        error_at_levels |= called > 0;
                    }
                }
            }
            rates.error += if error { one } else { 0.0 };
            rates.error_at_levels += if error_at_levels { one } else { 0.0 };
        }
        rates
    }
}

pub fn table(out: &mut impl Write, count: u32) -> std::io::Result<()> {
    writeln!(
        out,
        "| targets | levels | repeats | disturbed trials of one target | all together: error | found | at levels: error | found |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|")?;
    for (targets, levels, repeats) in
        [(2, 6, 3), (2, 3, 5), (2, 3, 10), (2, 6, 10), (3, 3, 10), (3, 6, 10), (4, 6, 10)]
    {
        for (left, share) in [(1.0, 0.0), (0.74, 0.1), (0.5, 0.1), (0.33, 0.1), (0.5, 0.05)] {
            let case = Case { targets, levels, repeats, left, share, better: 1.0 };
            let (equal, better) = (case.rates(count), Case { better: 1.1, ..case }.rates(count));
            writeln!(
                out,
                "| {targets} | {levels} | {repeats} | {:.0} % at × {left} | {:.1} % | {:.1} % | {:.1} % | {:.1} % |",
                100.0 * share,
                equal.error,
                better.found,
                equal.error_at_levels,
                better.found_at_levels,
            )?;
        }
    }
    Ok(())
}
