//! Targets of which one scatters more than the others.

use crate::judging::{self, Trials};
use crate::simulated::Random;
use crate::{ALPHA, chances};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::{Chance, Ratio, Sample, Scatter, closed_groups};
use std::io::Write;

/// Typical standard deviation of the logarithm of a trial.
const SCATTER: f64 = 0.05;

#[derive(Clone, Copy)]
struct Case {
    targets: usize,
    levels: usize,
    repeats: usize,
    paired: bool,
    /// Standard deviation of the logarithm of the scatter from cell to cell.
    spread: f64,
    /// By how much the last target scatters more.
    noisy: f64,
    /// By what factor the second target is better.
    better: f64,
    /// Whether each target has a scatter of its own, or all of them one.
    by_target: bool,
}

/// How often, in percent.
#[derive(Clone, Copy, Default)]
struct Rates {
    /// Any two equal targets were called different.
    error: f64,
    /// Share of the levels at which the second was told from the first.
    found: f64,
}

impl Case {
    fn trials(&self, random: &mut Random) -> Trials {
        let mut cell = |target: usize| -> Vec<f64> {
            let noisy = if target + 1 == self.targets { self.noisy } else { 1.0 };
            let scatter = SCATTER * noisy * (self.spread * random.normal()).exp();
            let effect = if target == 1 { self.better.ln() } else { 0.0 };
            (0..self.repeats).map(|_| effect + scatter * random.normal()).collect()
        };
        (0..self.targets).map(|target| (0..self.levels).map(|_| cell(target)).collect()).collect()
    }

    fn adjusted(&self, trials: &Trials) -> Vec<((usize, usize), Vec<f64>)> {
        let pairs: Vec<(usize, usize)> =
            (0..self.targets).flat_map(|a| (a + 1..self.targets).map(move |b| (a, b))).collect();
        let own: Vec<Vec<Chance>> = match (self.by_target, self.paired) {
            (true, true) => {
                judging::parts(trials, &pairs).iter().map(|levels| chances(levels)).collect()
            }
            (true, false) => {
                judging::apart(trials, &pairs).iter().map(|one| chances_of(one)).collect()
            }
            (false, _) => self.of_one(trials, &pairs).iter().map(|one| chances_of(one)).collect(),
        };
        pairs.into_iter().zip(closed_groups(&own)).collect()
    }

    /// The ratios by one scatter for all targets.
    fn of_one(&self, trials: &Trials, pairs: &[(usize, usize)]) -> Vec<Vec<Ratio>> {
        let logs = |(a, b): (usize, usize), level: usize| -> Vec<f64> {
            trials[a][level].iter().zip(&trials[b][level]).map(|(a, b)| b - a).collect()
        };
        let levels = || 0..self.levels;
        let samples: Vec<Vec<f64>> = match self.paired {
            true => pairs.iter().flat_map(|&pair| levels().map(move |at| logs(pair, at))).collect(),
            false => trials.concat(),
        };
        let independent = if self.paired { 2.0 / self.targets as f64 } else { 1.0 };
        let scatter = Scatter::from_samples(&samples, independent);
        let sample =
            |logs: &[f64]| Sample::new(logs.iter().map(|log| log.exp()).collect()).expect("values");
        let ratio = |(a, b): (usize, usize), level: usize| {
            let ratio = match self.paired {
                true => {
                    let pairs: Vec<(f64, f64)> =
                        logs((a, b), level).iter().map(|log| (1.0, log.exp())).collect();
                    Ratio::paired(&pairs, 0.0, scatter.as_ref())
                }
                false => {
                    let (base, other) = (sample(&trials[a][level]), sample(&trials[b][level]));
                    let both = scatter.as_ref().map(|one| (one, one));
                    Ratio::unpaired(&base, &other, both, None)
                }
            };
            ratio.expect("numbers")
        };
        pairs.iter().map(|&pair| levels().map(|level| ratio(pair, level)).collect()).collect()
    }

    fn rates(&self, count: u32) -> Rates {
        let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(1));
        let mut rates = Rates::default();
        let one = 100.0 / f64::from(count);
        for _ in 0..count {
            let trials = self.trials(&mut random);
            let mut error = false;
            for ((a, b), adjusted) in self.adjusted(&trials) {
                let found = adjusted.iter().filter(|p| **p <= ALPHA).count();
                if self.better != 1.0 && (a == 1 || b == 1) {
                    if a == 0 {
                        rates.found += one * found as f64 / self.levels as f64;
                    }
                    continue;
                }
                error |= found > 0;
            }
            rates.error += if error { one } else { 0.0 };
        }
        rates
    }
}

fn chances_of(ratios: &[Ratio]) -> Vec<Chance> {
    ratios.iter().map(|ratio| ratio.chance().expect("there are repeats")).collect()
}

const SIZES: [(usize, usize); 10] =
    [(2, 1), (2, 3), (2, 6), (3, 1), (3, 3), (3, 6), (4, 1), (4, 3), (8, 1), (8, 3)];

pub fn table(out: &mut impl Write, count: u32) -> std::io::Result<()> {
    writeln!(
        out,
        "| targets | levels | repeats | pairs | error | × e^±0.6 | one × 10 | found | one × 10 | one scatter for all: error | × e^±0.6 | one × 10 | found | one × 10 |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")?;
    for (paired, (targets, levels), repeats) in [true, false]
        .into_iter()
        .flat_map(|paired| SIZES.map(|sizes| (paired, sizes)))
        .flat_map(|(paired, sizes)| [3, 5].map(|repeats| (paired, sizes, repeats)))
    {
        // A single pair has one scatter of its ratios.
        if paired && targets == 2 {
            continue;
        }
        let cells = |by_target: bool| {
            let (spread, noisy, better) = (0.0, 1.0, 1.0);
            let case = Case { targets, levels, repeats, paired, spread, noisy, better, by_target };
            let noisy = Case { noisy: 10.0, ..case };
            let better = if repeats == 3 { 1.25 } else { 1.15 };
            let found = |case: Case| match (case.noisy > 1.0, targets) {
                (true, 2) => "".to_owned(),
                _ => format!("{:.0} %", Case { better, ..case }.rates(count).found),
            };
            let errors = [case, Case { spread: 0.6, ..case }, noisy]
                .map(|case| format!("{:.1} %", case.rates(count).error));
            format!("{} | {} | {}", errors.join(" | "), found(case), found(noisy))
        };
        writeln!(
            out,
            "| {targets} | {levels} | {repeats} | {} | {} | {} |",
            if paired { "yes" } else { "no" },
            cells(true),
            cells(false),
        )?;
    }
    Ok(())
}
