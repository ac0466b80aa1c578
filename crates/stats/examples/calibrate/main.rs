//! How often comparisons err, and how much they find, over studies whose truth is known: prints the
//! tables of docs/calibration.md. `make calibrate` runs it; the number of studies is its argument, and
//! `main`, `until`, `looks`, `sparse`, `unlike`, `outliers`, `lasting` or `bounds` a second one that leaves the
//! other tables out.

mod bound;
mod bound_lasting;
mod bound_sparse;
mod judging;
mod lasting;
mod outliers;
mod simulated;
mod sparse;
mod unlike;
mod until;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use simulated::{Random, Shape, Truth, trials};
use stats::{Chance, Part, Ratio, closed_groups, holm};
use std::io::Write;

const ALPHA: f64 = 0.05;

/// What a study found: whether it called anything equal different, and the share of the true
/// differences that it called.
#[derive(Clone, Copy, Default)]
struct Found {
    error: f64,
    power: f64,
}

/// The same by the method in use, and by Student's t of each ratio alone with Holm's procedure over
/// all of them.
struct Both {
    here: Found,
    alone: Found,
}

fn study(random: &mut Random, shape: &Shape, truth: Truth, targets: usize, levels: usize) -> Both {
    let trials = trials(random, shape, truth, targets, levels);
    let pairs: Vec<(usize, usize)> =
        (0..targets).flat_map(|a| (a + 1..targets).map(move |b| (a, b))).collect();
    let here: Vec<Vec<Chance>> =
        judging::parts(&trials, &pairs).iter().map(|levels| chances(levels)).collect();
    let here = closed_groups(&here);
    let alone = |(a, b): (usize, usize), level: usize| {
        let both = trials[a][level].iter().zip(&trials[b][level]);
        let both: Vec<(f64, f64)> = both.map(|(a, b)| (1.0, (b - a).exp())).collect();
        let ratio = Ratio::paired(&both, 0.0, None).expect("numbers");
        ratio.p_value().expect("there are repeats")
    };
    let each = pairs.iter().flat_map(|&pair| (0..levels).map(move |level| (pair, level)));
    let alone = holm(&each.map(|(pair, level)| alone(pair, level)).collect::<Vec<f64>>());
    let count = |adjusted: &[f64]| {
        let (mut error, mut called, mut differences) = (false, 0_u32, 0_u32);
        for (index, p) in adjusted.iter().enumerate() {
            let (pair, level) = (pairs[index / levels], index % levels);
            let differs = pair.1 + 1 == targets && truth.effect(level, levels) != 0.0;
            differences += u32::from(differs);
            called += u32::from(differs && *p <= ALPHA);
            error |= !differs && *p <= ALPHA;
        }
        Found {
            error: f64::from(u8::from(error)),
            power: f64::from(called) / f64::from(differences.max(1)),
        }
    };
    Both { here: count(&here.concat()), alone: count(&alone) }
}

/// Of the ratios of a pair.
fn chances(levels: &[Part]) -> Vec<Chance> {
    let chance = |part: &Part| part.ratio.chance().unwrap_or(Chance::from(1.0));
    levels.iter().map(chance).collect()
}

/// Means in percent over so many studies.
fn studies(count: u32, shape: &Shape, truth: Truth, targets: usize, levels: usize) -> Both {
    let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(1));
    let mut sums = Both { here: Found::default(), alone: Found::default() };
    for _ in 0..count {
        let Both { here, alone } = study(&mut random, shape, truth, targets, levels);
        for (sum, one) in [(&mut sums.here, here), (&mut sums.alone, alone)] {
            sum.error += 100.0 * one.error / f64::from(count);
            sum.power += 100.0 * one.power / f64::from(count);
        }
    }
    sums
}

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let count: u32 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(10_000);
    match std::env::args().nth(2).as_deref() {
        Some("until") => return until::table(&mut out, count),
        Some("looks") => return until::sparse_table(&mut out, count),
        Some("outliers") => return outliers::table(&mut out, count),
        Some("lasting") => return lasting::table(&mut out, count),
        Some("unlike") => return unlike::table(&mut out, count),
        Some("sparse") => return sparse::table(&mut out, count),
        Some("main") => return table(&mut out, count),
        Some("bounds") => return bounds(&mut out, count),
        _ => {}
    }
    table(&mut out, count)?;
    writeln!(out)?;
    sparse::table(&mut out, count)?;
    writeln!(out)?;
    unlike::table(&mut out, count / 5)?;
    writeln!(out)?;
    lasting::table(&mut out, count / 5)?;
    writeln!(out)?;
    outliers::table(&mut out, count / 10)?;
    writeln!(out)?;
    until::table(&mut out, count / 10)?;
    writeln!(out)?;
    until::sparse_table(&mut out, count / 10)?;
    writeln!(out)?;
    bounds(&mut out, count / 5)
}

/// What no test can pass.
fn bounds(out: &mut impl Write, count: u32) -> std::io::Result<()> {
    bound_lasting::table(out, count)?;
    writeln!(out)?;
    bound_sparse::table(out, count)
}

/// Where all levels differ, or half of them.
fn table(out: &mut impl Write, count: u32) -> std::io::Result<()> {
    let plain = Shape {
        name: "equal scatter",
        repeats: 3,
        scatter: 0.05,
        spread: 0.0,
        heavy: false,
        bad: 0.0,
    };
    let uneven = Shape { name: "× e^±0.3", spread: 0.3, ..plain };
    let shapes = [
        Shape { name: "× e^±0.3", repeats: 2, ..uneven },
        plain,
        uneven,
        Shape { name: "× e^±0.6", spread: 0.6, ..plain },
        Shape { name: "× e^±0.3, heavy tails", heavy: true, ..uneven },
        Shape { name: "× e^±0.3, one bad trial in twenty", bad: 0.05, ..uneven },
        Shape { repeats: 5, ..plain },
        Shape { name: "× e^±0.3, one bad trial in twenty", repeats: 5, bad: 0.05, ..uneven },
        Shape { name: "× e^±0.3, one bad trial in twenty", repeats: 10, bad: 0.05, ..uneven },
    ];
    writeln!(
        out,
        "| targets | levels | repeats | scatter | alone: error | found | borrowed: error | error, half equal | found | found, crossing |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|---|---|")?;
    for (targets, levels) in [(2, 6), (2, 3), (2, 12), (2, 24), (4, 6)] {
        for shape in &shapes {
            let of = |truth: Truth| studies(count, shape, truth, targets, levels);
            let (equal, better) = (of(Truth::Equal), of(Truth::Better(1.1)));
            writeln!(
                out,
                "| {targets} | {levels} | {} | {} | {:.1} % | {:.0} % | {:.1} % | {:.1} % | {:.0} % | {:.0} % |",
                shape.repeats,
                shape.name,
                equal.alone.error,
                better.alone.power,
                equal.here.error,
                of(Truth::Half).here.error,
                better.here.power,
                of(Truth::Crossing).here.power,
            )?;
        }
    }
    Ok(())
}
