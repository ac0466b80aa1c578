//! Outliers in one target.

use crate::ALPHA;
use crate::simulated::Random;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::{ByTarget, Chance, OfTargets, Part, Ratio, closed_groups, holm};
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

type Trials = Vec<Vec<Vec<f64>>>;
/// Logarithms of ratios, with their blocks.
type Ratios = Vec<(u32, f64)>;

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

    /// The ratio of each pair at each level, as `analyse` makes it of trials.
    fn parts(&self, trials: &Trials, pairs: &[(usize, usize)]) -> Vec<Vec<Part>> {
        let cells: Vec<OfTargets> = trials
            .iter()
            .enumerate()
            .flat_map(|(target, cells)| cells.iter().map(move |cell| ([target; 2], cell.clone())))
            .collect();
        let of_cells = ByTarget::of(&cells).expect("trials scatter");
        let counted =
            |target: usize, level: usize| of_cells.target(target).explained(&trials[target][level]);
        let differences = |(a, b): (usize, usize), level: usize| -> Ratios {
            let both = counted(a, level).into_iter().zip(counted(b, level));
            (0..).zip(both).filter_map(|(block, (a, b))| Some((block, b? - a?))).collect()
        };
        let ratios: Vec<Vec<Ratios>> = pairs
            .iter()
            .map(|&pair| (0..self.levels).map(|level| differences(pair, level)).collect())
            .collect();
        let logs = |one: &Ratios| one.iter().map(|(_, log)| *log).collect::<Vec<f64>>();
        let samples: Vec<OfTargets> = ratios
            .iter()
            .zip(pairs)
            .flat_map(|(levels, &(a, b))| levels.iter().map(move |one| ([a, b], logs(one))))
            .collect();
        let of_ratios = ByTarget::of(&samples).expect("trials scatter");
        let weight = (self.levels as f64).recip();
        let near =
            |target: usize, level: usize| of_cells.target(target).are_near(&trials[target][level]);
        let part = |(a, b): (usize, usize), level: usize, one: &Ratios| {
            let both: Vec<(f64, f64)> = one.iter().map(|(_, log)| (1.0, log.exp())).collect();
            let ratio = Ratio::paired(&both, 0.0, Some(of_ratios.pair([a, b]))).expect("numbers");
            let (of_a, of_b) = (near(a, level), near(b, level));
            let is_near = |block: u32| of_a[block as usize] && of_b[block as usize];
            let left: Vec<f64> =
                one.iter().filter(|(block, _)| is_near(*block)).map(|(_, log)| *log).collect();
            let without = left.iter().sum::<f64>() / left.len() as f64;
            let all_near = of_a.iter().chain(&of_b).all(|near| *near);
            let moved = if all_near || left.is_empty() { 0.0 } else { ratio.point.ln() - without };
            Part { ratio, blocks: one.iter().map(|(block, _)| *block).collect(), weight, moved }
        };
        let of_pair = |(levels, &pair): (&Vec<Ratios>, &(usize, usize))| {
            levels.iter().enumerate().map(|(level, one)| part(pair, level, one)).collect()
        };
        ratios.iter().zip(pairs).map(of_pair).collect()
    }

    fn rates(&self, count: u32) -> Rates {
        let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(1));
        let pairs: Vec<(usize, usize)> =
            (0..self.targets).flat_map(|a| (a + 1..self.targets).map(move |b| (a, b))).collect();
        let differs = |pair: &(usize, usize)| self.better != 1.0 && pair.1 + 1 == self.targets;
        let mut rates = Rates::default();
        let one = 100.0 / f64::from(count);
        for _ in 0..count {
            let parts = self.parts(&self.trials(&mut random), &pairs);
            let mean = |parts: &Vec<Part>| Ratio::mean(parts, 1.0)?.p_value();
            let overall: Vec<f64> = parts.iter().map(|one| mean(one).unwrap_or(1.0)).collect();
            let overall = holm(&overall);
            let chances: Vec<Vec<Chance>> = parts
                .iter()
                .map(|one| one.iter().map(|part| part.ratio.chance().expect("repeats")).collect())
                .collect();
            let by_level = closed_groups(&chances);
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
