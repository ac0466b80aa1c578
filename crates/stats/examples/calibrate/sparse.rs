//! Few differences among many levels, and values that are no pairs.

use crate::ALPHA;
use crate::judging::{self, Trials};
use crate::simulated::{Random, Shape, Truth, trials};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use statrs::distribution::{ContinuousCDF, StudentsT};
use stats::{Chance, Ratio, closed, holm};
use std::io::Write;

/// Two targets: the method in use, the same where no evidence for equal scatter counts, Holm's procedure
/// on the same p-values, and Holm's on Student's t with the mean variance of all levels, which is right
/// where all scatter equally.
const WAYS: usize = 4;

struct Case {
    levels: usize,
    repeats: usize,
    truth: Truth,
    spread: f64,
    paired: bool,
    name: &'static str,
}

/// The logarithm of the ratio at each level with its p-values, by way.
fn adjusted(trials: &Trials, paired: bool) -> [Vec<f64>; WAYS] {
    let (base, candidate) = (&trials[0], &trials[1]);
    let apart = |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| b - a).collect();
    let differences: Vec<Vec<f64>> = base.iter().zip(candidate).map(apart).collect();
    let samples: Vec<Vec<f64>> = match paired {
        true => differences.clone(),
        false => trials.iter().flatten().cloned().collect(),
    };
    let pair = [(0, 1)];
    let ratios: Vec<Ratio> = match paired {
        true => judging::parts(trials, &pair)[0].iter().map(|part| part.ratio.clone()).collect(),
        false => judging::apart(trials, &pair).remove(0),
    };
    let chance = |ratio: &Ratio| ratio.chance().unwrap_or(Chance::from(1.0));
    let own: Vec<Chance> = ratios.iter().map(chance).collect();
    let alone: Vec<f64> = own.iter().map(|chance| chance.alone).collect();
    let plain: Vec<Chance> = alone.iter().copied().map(Chance::from).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let squares = |values: &Vec<f64>| {
        let mean = mean(values);
        values.iter().map(|value| (value - mean).powi(2)).sum::<f64>()
    };
    let freedom: usize = samples.iter().map(|sample| sample.len() - 1).sum();
    let of_one = samples.iter().map(squares).sum::<f64>() / freedom as f64;
    let variance = if paired { of_one } else { 2.0 * of_one };
    let student = StudentsT::new(0.0, 1.0, freedom as f64).expect("repeats");
    let pooled = |logs: &Vec<f64>| {
        2.0 * student.sf(mean(logs).abs() / (variance / logs.len() as f64).sqrt())
    };
    let pooled: Vec<f64> = differences.iter().map(pooled).collect();
    [closed(&own), closed(&plain), holm(&alone), holm(&pooled)]
}

impl Case {
    /// Errors and power of each way, in percent.
    fn simulate(&self, count: u32) -> [(f64, f64); WAYS] {
        let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(1));
        let shape = Shape {
            name: "",
            repeats: self.repeats,
            scatter: 0.05,
            spread: self.spread,
            heavy: false,
            bad: 0.0,
        };
        let differs = |level: usize| self.truth.effect(level, self.levels) != 0.0;
        let differences = (0..self.levels).filter(|&level| differs(level)).count().max(1);
        let mut sums = [(0.0, 0.0); WAYS];
        for _ in 0..count {
            let trials = trials(&mut random, &shape, self.truth, 2, self.levels);
            for (sum, p) in sums.iter_mut().zip(adjusted(&trials, self.paired)) {
                let found = |differ: bool| {
                    let p = p.iter().enumerate();
                    p.filter(|(level, p)| **p <= ALPHA && differs(*level) == differ).count()
                };
                sum.0 += 100.0 * f64::from(u8::from(found(false) > 0)) / f64::from(count);
                sum.1 += 100.0 * found(true) as f64 / differences as f64 / f64::from(count);
            }
        }
        sums
    }
}

/// How often a level that differs is found, in percent: by the method in use, and by Holm's procedure on
/// Student's t with the mean variance of all levels.
fn found(levels: usize, repeats: usize, truth: Truth, count: u32) -> [f64; 2] {
    let case = Case { levels, repeats, truth, spread: 0.0, paired: true, name: "" };
    let [(_, here), _, _, (_, pooled)] = case.simulate(count);
    [here, pooled]
}

pub fn found_of_one(levels: usize, repeats: usize, better: f64, count: u32) -> [f64; 2] {
    found(levels, repeats, Truth::Sparse(1, better), count)
}

pub fn found_of_all(levels: usize, repeats: usize, better: f64, count: u32) -> [f64; 2] {
    found(levels, repeats, Truth::Better(better), count)
}

pub fn table(out: &mut impl Write, count: u32) -> std::io::Result<()> {
    let case = |levels, repeats, truth, name| Case {
        levels,
        repeats,
        truth,
        spread: 0.0,
        paired: true,
        name,
    };
    let uneven = |case: Case| Case { spread: 0.6, ..case };
    let unpaired = |case: Case| Case { paired: false, ..case };
    let equal = |levels, repeats| case(levels, repeats, Truth::Equal, "all equal");
    let mut cases = vec![
        case(6, 3, Truth::Sparse(1, 1.2), "one + 20 %"),
        case(6, 5, Truth::Sparse(1, 1.2), "one + 20 %"),
        case(12, 3, Truth::Sparse(1, 1.2), "one + 20 %"),
        case(12, 5, Truth::Sparse(1, 1.2), "one + 20 %"),
        case(12, 5, Truth::Sparse(2, 1.15), "two + 15 %"),
        case(24, 3, Truth::Sparse(1, 1.2), "one + 20 %"),
        case(24, 5, Truth::Sparse(1, 1.2), "one + 20 %"),
        case(3, 3, Truth::Sparse(1, 1.2), "one + 20 %"),
        case(3, 3, Truth::Better(1.1), "all + 10 %"),
        case(6, 3, Truth::Better(1.1), "all + 10 %"),
        case(12, 3, Truth::Better(1.1), "all + 10 %"),
        case(12, 5, Truth::Better(1.1), "all + 10 %"),
        case(24, 3, Truth::Better(1.1), "all + 10 %"),
    ];
    for (levels, repeats) in [(3, 2), (3, 3), (6, 3), (6, 5), (12, 3), (12, 5), (24, 3), (24, 5)] {
        cases.push(uneven(equal(levels, repeats)));
    }
    for (levels, repeats) in [(6, 3), (12, 3), (12, 5), (24, 3), (24, 5)] {
        cases.push(Case { spread: 0.3, ..equal(levels, repeats) });
    }
    for levels in [3, 6, 12, 24] {
        cases.push(uneven(case(levels, 3, Truth::Better(1.1), "all + 10 %")));
        cases.push(uneven(case(levels, 5, Truth::Sparse(1, 1.3), "one + 30 %")));
    }
    for (levels, repeats) in [(3, 2), (3, 3), (3, 5), (6, 3), (12, 3)] {
        cases.push(unpaired(uneven(equal(levels, repeats))));
    }
    cases.push(unpaired(equal(3, 3)));
    cases.push(unpaired(case(3, 3, Truth::Sparse(1, 1.2), "one + 20 %")));
    writeln!(
        out,
        "| levels | repeats | scatter | pairs | truth | error | found | without evidence: error | found | Holm: error | found | Holm, pooled t: error | found |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|---|---|---|---|---|")?;
    for case in &cases {
        let scatter = match case.spread {
            0.0 => "equal".to_owned(),
            spread => format!("× e^±{spread}"),
        };
        let paired = if case.paired { "yes" } else { "no" };
        let ways = case.simulate(count);
        let ways: Vec<String> =
            ways.iter().map(|(error, found)| format!("{error:.1} % | {found:.1} %")).collect();
        writeln!(
            out,
            "| {} | {} | {scatter} | {paired} | {} | {} |",
            case.levels,
            case.repeats,
            case.name,
            ways.join(" | ")
        )?;
    }
    Ok(())
}
