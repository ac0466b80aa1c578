//! Noise that lasts from block to block.

use crate::judging::{self, Trials};
use crate::simulated::Random;
use crate::{ALPHA, chances};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::{ByTarget, Chance, OfTargets, Ratio, Sample, closed};
use std::io::Write;

const SCATTER: f64 = 0.05;

/// What has noise that lasts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
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
pub struct Case {
    pub kind: Kind,
    pub levels: usize,
    pub repeats: usize,
    /// From a block to the next.
    pub kept: f64,
    /// By what factor the second target is better, and at how many levels.
    pub better: f64,
    pub differ: usize,
    /// Whether it is asked what lasts.
    pub told: bool,
    /// Whether the two share blocks.
    pub paired: bool,
}

/// How often something is found, in percent.
#[derive(Clone, Copy, Default)]
pub struct Rates {
    /// At any level.
    pub any: f64,
    /// The share of the levels that may differ.
    pub share: f64,
    /// Over all levels together.
    overall: f64,
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
    fn trials(&self, random: &mut Random) -> Trials {
        let target = |target: usize| -> Vec<Vec<f64>> {
            use Kind::{BothInTime, CellsOfBoth, CellsOfOne, HalfOfBoth, HalfOfOne, OneInTime};
            let lasts = match self.kind {
                CellsOfOne | HalfOfOne | OneInTime => target == 0,
                CellsOfBoth | HalfOfBoth | BothInTime => true,
            };
            let kept = if lasts { self.kept } else { 0.0 };
            let effect = |level: usize| match target == 1 && level < self.differ {
                true => self.better.ln(),
                false => 0.0,
            };
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
            let cell = |(level, cell): (usize, Vec<f64>)| {
                cell.into_iter().map(|value| effect(level) + SCATTER * value).collect()
            };
            cells.into_iter().enumerate().map(cell).collect()
        };
        [0, 1].map(target).to_vec()
    }

    fn adjusted(&self, trials: &Trials) -> Vec<f64> {
        if self.told {
            return closed(&chances(&judging::parts(trials, &[(0, 1)])[0]));
        }
        let both = trials[0].iter().zip(&trials[1]);
        let logs: Vec<Vec<f64>> =
            both.map(|(a, b)| a.iter().zip(b).map(|(a, b)| b - a).collect()).collect();
        let samples: Vec<OfTargets> = logs.iter().map(|logs| ([0, 1], logs.clone())).collect();
        let scatter = ByTarget::from_samples(&samples);
        let chance = |logs: &Vec<f64>| {
            let pairs: Vec<(f64, f64)> = logs.iter().map(|log| (1.0, log.exp())).collect();
            let ratio = Ratio::paired(&pairs, 0.0, scatter.as_ref().map(|all| all.pair([0, 1])));
            ratio.expect("numbers").chance().expect("there are repeats")
        };
        closed(&logs.iter().map(chance).collect::<Vec<Chance>>())
    }

    /// The same of values that are no pairs; and the p-value of the means over all levels.
    fn adjusted_apart(&self, trials: &Trials) -> (Vec<f64>, f64) {
        let (ratios, mean) = match self.told {
            true => (judging::apart(trials, &[(0, 1)]).remove(0), judging::mean_apart(trials)),
            false => self.by_order(trials),
        };
        let chance = |ratio: &Ratio| ratio.chance().expect("there are repeats");
        let adjusted = closed(&ratios.iter().map(chance).collect::<Vec<Chance>>());
        (adjusted, mean.p_value().expect("there are repeats"))
    }

    /// The ratios, and that of the means, by the autocorrelation of all cells.
    fn by_order(&self, trials: &Trials) -> (Vec<Ratio>, Ratio) {
        let cells = trials.iter().enumerate();
        let samples: Vec<OfTargets> = cells
            .flat_map(|(target, cells)| cells.iter().map(move |cell| ([target; 2], cell.clone())))
            .collect();
        let scatter = ByTarget::from_samples(&samples);
        let scatter = scatter.as_ref().map(|all| (all.target(0), all.target(1)));
        let sample = |logs: &[f64]| {
            Sample::new(logs.iter().map(|log| log.exp()).collect()).expect("there are values")
        };
        let ratio = |level: usize| {
            let [base, other] = [0, 1].map(|target| sample(&trials[target][level]));
            Ratio::unpaired(&base, &other, scatter, None).expect("numbers")
        };
        let mean = |target: usize| {
            let at = |block: usize| trials[target].iter().map(|cell| cell[block]).sum::<f64>();
            let means = (0..self.repeats).map(|block| at(block) / self.levels as f64);
            sample(&means.collect::<Vec<f64>>())
        };
        let overall = Ratio::unpaired(&mean(0), &mean(1), None, None).expect("numbers");
        ((0..self.levels).map(ratio).collect(), overall)
    }

    pub fn rates(&self, count: u32) -> Rates {
        let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(1));
        let mut rates = Rates::default();
        let one = 100.0 / f64::from(count);
        for _ in 0..count {
            let trials = self.trials(&mut random);
            let (adjusted, overall) = match self.paired {
                true => (self.adjusted(&trials), 1.0),
                false => self.adjusted_apart(&trials),
            };
            let found = |all: &[f64]| all.iter().filter(|p| **p <= ALPHA).count();
            rates.any += if found(&adjusted) > 0 { one } else { 0.0 };
            rates.share += one * found(&adjusted[..self.differ]) as f64 / self.differ as f64;
            rates.overall += if overall <= ALPHA { one } else { 0.0 };
        }
        rates
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
        for (levels, repeats) in [(6, 5), (6, 10), (3, 5), (3, 10), (1, 5), (1, 10)] {
            let error = |told: bool, kept: f64| {
                let case = Case {
                    kind,
                    levels,
                    repeats,
                    kept,
                    better: 1.0,
                    differ: levels,
                    told,
                    paired: true,
                };
                format!("{:.1} %", case.rates(count).any)
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
    for (levels, repeats, better) in [
        (3, 3, 1.1),
        (6, 3, 1.1),
        (3, 5, 1.1),
        (6, 5, 1.1),
        (12, 5, 1.1),
        (6, 10, 1.06),
        (1, 5, 1.1),
    ] {
        let kind = Kind::CellsOfBoth;
        let both = |told: bool| {
            let case = Case {
                kind,
                levels,
                repeats,
                kept: 0.0,
                better,
                differ: levels,
                told,
                paired: true,
            };
            let error = Case { better: 1.0, ..case }.rates(count).any;
            format!("{error:.1} % | {:.1} %", case.rates(count).share)
        };
        writeln!(out, "| {levels} | {repeats} | {} | {} |", both(false), both(true))?;
    }
    writeln!(out)?;
    apart(out, count)
}

/// The same of values that are no pairs: of two runs, or of imports that took no turns.
fn apart(out: &mut impl Write, count: u32) -> std::io::Result<()> {
    writeln!(
        out,
        "| no pairs; noise that lasts | levels | repeats | by the order of figures alone: error at 0.5 | at 0.8 | all levels together at 0.5 | at 0.8 | error at 0.5 | at 0.8 | all levels together at 0.5 | at 0.8 |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|---|---|---|")?;
    for (kind, name) in KINDS {
        for (levels, repeats) in [(6, 5), (6, 10), (3, 5), (3, 10), (1, 5), (1, 10)] {
            let told = |told: bool| {
                let case = |kept: f64| {
                    let case = Case {
                        kind,
                        levels,
                        repeats,
                        kept,
                        better: 1.0,
                        differ: levels,
                        told,
                        paired: false,
                    };
                    case.rates(count)
                };
                let (half, most) = (case(0.5), case(0.8));
                let all = [half.any, most.any, half.overall, most.overall];
                all.map(|rate| format!("{rate:.1} %")).join(" | ")
            };
            writeln!(out, "| {name} | {levels} | {repeats} | {} | {} |", told(false), told(true))?;
        }
    }
    writeln!(out)?;
    writeln!(
        out,
        "| no pairs; levels | repeats | by the order of figures alone: error | found | all together: error | found | error | found | all together: error | found |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|---|---|")?;
    for (levels, repeats, better) in [
        (3, 3, 1.15),
        (6, 3, 1.15),
        (3, 5, 1.12),
        (6, 5, 1.12),
        (12, 5, 1.12),
        (6, 10, 1.08),
        (1, 10, 1.08),
    ] {
        let kind = Kind::CellsOfBoth;
        let both = |told: bool| {
            let case = Case {
                kind,
                levels,
                repeats,
                kept: 0.0,
                better,
                differ: levels,
                told,
                paired: false,
            };
            let (equal, found) = (Case { better: 1.0, ..case }.rates(count), case.rates(count));
            let all = [equal.any, found.share, equal.overall, found.overall];
            all.map(|rate| format!("{rate:.1} %")).join(" | ")
        };
        writeln!(out, "| {levels} | {repeats} | {} | {} |", both(false), both(true))?;
    }
    Ok(())
}
