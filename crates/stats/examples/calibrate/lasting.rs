//! Noise that lasts from block to block.

use crate::ALPHA;
use crate::simulated::Random;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::{ByTarget, Chance, OfTargets, Ratio, closed};
use std::io::Write;

const SCATTER: f64 = 0.05;

/// What has noise that lasts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Each cell of one target by itself.
    CellsOfOne,
    CellsOfBoth,
    /// All levels of a target together, half of their variance.
    HalfOfOne,
    HalfOfBoth,
    /// All of it, as time passes from trial to trial.
    OneInTime,
    BothInTime,
}

const KINDS: [(Kind, &str); 6] = [
    (Kind::CellsOfOne, "of each cell of one target"),
    (Kind::CellsOfBoth, "of each cell of both"),
    (Kind::HalfOfOne, "half of one target's, all levels together"),
    (Kind::HalfOfBoth, "half of both targets', all levels together"),
    (Kind::OneInTime, "of one target, from trial to trial"),
    (Kind::BothInTime, "of both targets, from trial to trial"),
];

#[derive(Clone, Copy, Debug)]
struct Case {
    kind: Kind,
    levels: usize,
    repeats: usize,
    /// From a block to the next.
    kept: f64,
    better: f64,
    /// Whether it is asked what lasts.
    told: bool,
}

fn series(random: &mut Random, kept: f64, n: usize) -> Vec<f64> {
    let own = (1.0 - kept * kept).sqrt();
    let mut last = random.normal();
    let mut next = || {
        let value = last;
        last = kept * last + own * random.normal();
        value
    };
    (0..n).map(|_| next()).collect()
}

impl Case {
    /// By target, level and repeat.
    fn trials(&self, random: &mut Random) -> Vec<Vec<Vec<f64>>> {
        let target = |target: usize| -> Vec<Vec<f64>> {
            use Kind::{BothInTime, CellsOfBoth, CellsOfOne, HalfOfBoth, HalfOfOne, OneInTime};
            let lasts = match self.kind {
                CellsOfOne | HalfOfOne | OneInTime => target == 0,
                CellsOfBoth | HalfOfBoth | BothInTime => true,
            };
            let kept = if lasts { self.kept } else { 0.0 };
            let effect = if target == 1 { self.better.ln() } else { 0.0 };
            let (levels, repeats) = (self.levels, self.repeats);
            let cells: Vec<Vec<f64>> = match self.kind {
                CellsOfOne | CellsOfBoth => {
                    (0..levels).map(|_| series(random, kept, repeats)).collect()
                }
                HalfOfOne | HalfOfBoth => {
                    let shared = series(random, kept, repeats);
                    let mut cell = |_| -> Vec<f64> {
                        let share = if lasts && kept > 0.0 { 0.5_f64 } else { 0.0 };
                        let own = |value: &f64| {
                            share.sqrt() * value + (1.0 - share).sqrt() * random.normal()
                        };
                        shared.iter().map(own).collect()
                    };
                    (0..levels).map(&mut cell).collect()
                }
                OneInTime | BothInTime => {
                    let step = kept.powf(1.0 / levels as f64);
                    let all = series(random, step, levels * repeats);
                    let mut cells = vec![Vec::new(); levels];
                    for block in 0..repeats {
                        let mut order: Vec<usize> = (0..levels).collect();
                        for last in (1..levels).rev() {
                            order.swap(last, (random.uniform() * (last + 1) as f64) as usize);
                        }
                        for (place, level) in order.into_iter().enumerate() {
                            cells[level].push(all[block * levels + place]);
                        }
                    }
                    cells
                }
            };
            cells
                .into_iter()
                .map(|cell| cell.into_iter().map(|value| effect + SCATTER * value).collect())
                .collect()
        };
        [0, 1].map(target).to_vec()
    }

    fn adjusted(&self, trials: &[Vec<Vec<f64>>]) -> Vec<f64> {
        let both = trials[0].iter().zip(&trials[1]);
        let logs: Vec<Vec<f64>> =
            both.map(|(a, b)| a.iter().zip(b).map(|(a, b)| b - a).collect()).collect();
        let samples: Vec<OfTargets> = logs.iter().map(|logs| ([0, 1], logs.clone())).collect();
        let partners = trials[0].iter().zip(&trials[1]);
        let levels = partners.map(|(a, b)| {
            ([0, 1], a.iter().copied().zip(b.iter().copied()).collect::<Vec<(f64, f64)>>())
        });
        let scatter = ByTarget::of(&samples);
        let scatter = if self.told { scatter.map(|all| all.with_pairs(levels)) } else { scatter };
        let chance = |logs: &Vec<f64>| {
            let pairs: Vec<(f64, f64)> = logs.iter().map(|log| (1.0, log.exp())).collect();
            let ratio = Ratio::paired(&pairs, 0.0, scatter.as_ref().map(|all| all.pair([0, 1])));
            ratio.expect("numbers").chance().expect("there are repeats")
        };
        closed(&logs.iter().map(chance).collect::<Vec<Chance>>())
    }

    /// Any found, and the share found, in percent.
    fn rates(&self, count: u32) -> (f64, f64) {
        let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(1));
        let (mut any, mut share) = (0.0, 0.0);
        for _ in 0..count {
            let adjusted = self.adjusted(&self.trials(&mut random));
            let found = adjusted.iter().filter(|p| **p <= ALPHA).count();
            any += 100.0 * f64::from(u8::from(found > 0)) / f64::from(count);
            share += 100.0 * found as f64 / self.levels as f64 / f64::from(count);
        }
        (any, share)
    }
}

/// Shares of studies with a false difference, and of true ones that are found, with and without what is
/// learned of what lasts.
pub fn table(out: &mut impl Write, count: u32) -> std::io::Result<()> {
    writeln!(
        out,
        "| noise that lasts | levels | repeats | by the order of ratios alone: error at 0.5 | at 0.8 | error at 0.5 | at 0.8 |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|")?;
    for (kind, name) in KINDS {
        for (levels, repeats) in [(6, 5), (6, 10), (3, 5)] {
            let error = |told: bool, kept: f64| {
                let case = Case { kind, levels, repeats, kept, better: 1.0, told };
                format!("{:.1} %", case.rates(count).0)
            };
            writeln!(
                out,
                "| {name} | {levels} | {repeats} | {} | {} | {} | {} |",
                error(false, 0.5),
                error(false, 0.8),
                error(true, 0.5),
                error(true, 0.8),
            )?;
        }
    }
    writeln!(out)?;
    writeln!(
        out,
        "| levels | repeats | by the order of ratios alone: error | found | error | found |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|")?;
    for (levels, repeats, better) in
        [(3, 3, 1.1), (6, 3, 1.1), (3, 5, 1.1), (6, 5, 1.1), (12, 5, 1.1), (6, 10, 1.06)]
    {
        let kind = Kind::CellsOfBoth;
        let both = |told: bool| {
            let case = Case { kind, levels, repeats, kept: 0.0, better, told };
            let error = Case { better: 1.0, ..case }.rates(count).0;
            format!("{error:.1} % | {:.1} %", case.rates(count).1)
        };
        writeln!(out, "| {levels} | {repeats} | {} | {} |", both(false), both(true))?;
    }
    Ok(())
}
