//! How often a single level could be found among many with few repeats, by the best test of all.

use crate::bound::{Limit, Problem, bound};
use crate::simulated::Random;
use crate::sparse;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::io::Write;

/// Of a ratio of two trials.
const SCATTER: f64 = 0.05 * std::f64::consts::SQRT_2;
const REPEATS: usize = 3;
const ALLOWED: f64 = 0.055;
/// Standard deviations of the logarithm of the scatter from level to level.
const SPREADS: [f64; 3] = [0.0, 0.3, 0.6];
/// What one level differs by, and what all do.
const ONE: f64 = 1.2;
const ALL: f64 = 1.1;
/// Points and weights for a normal value (C. F. Gauss and C. Hermite), which are symmetric.
const NORMAL: [(f64, f64); 5] = [
    (0.0, 0.406_349_206_349_206),
    (1.023_255_663_789_13, 0.244_097_502_894_94),
    (2.076_847_978_677_83, 0.049_916_406_765_217_9),
    (3.205_429_002_856_47, 0.002_789_141_321_231_76),
    (4.512_745_863_399_78, 0.000_022_345_844_007_746_6),
];
/// Scales that are summed over, as logarithms of standard deviations.
const SCALES: usize = 28;
/// Nothing is less likely, so that logarithms are finite.
const LEAST: f64 = 1e-300;
const FIRST_SCALE: f64 = -1.7;
const LAST_SCALE: f64 = 1.7;

/// The mean of a level and its sum of squares, in standard deviations of a ratio.
type Level = (f64, f64);

/// How likely a level is by that mean, scale and spread.
fn likely((mean, squares): Level, effect: f64, scale: f64, spread: f64) -> f64 {
    let sum = squares + REPEATS as f64 * (mean - effect * scale).powi(2);
    let at = |deviation: f64| {
        deviation.powi(-(REPEATS as i32)) * (-sum / (2.0 * deviation * deviation)).exp()
    };
    if spread == 0.0 {
        return at(scale);
    }
    let both = |(place, weight): (f64, f64)| {
        let far = (spread * place).exp();
        let sum = at(scale * far) + at(scale / far);
        if place == 0.0 { weight * sum / 2.0 } else { weight * sum }
    };
    NORMAL.into_iter().map(both).sum()
}

/// How likely one case is if …
struct Case {
    /// … all levels are equal, by spread;
    none: [f64; SPREADS.len()],
    /// … this level alone differs;
    one: Vec<f64>,
    /// … all differ;
    all: f64,
    /// … all but this level do, by spread.
    others: [Vec<f64>; SPREADS.len()],
}

fn case(levels: &[Level], one: f64, all: f64) -> Case {
    let count = levels.len();
    let zero = || vec![0.0; count];
    let mut case = Case {
        none: [0.0; SPREADS.len()],
        one: zero(),
        all: 0.0,
        others: std::array::from_fn(|_| zero()),
    };
    for step in 0..SCALES {
        let scale = FIRST_SCALE + (LAST_SCALE - FIRST_SCALE) * step as f64 / (SCALES - 1) as f64;
        let scale = scale.exp();
        for (place, &spread) in SPREADS.iter().enumerate() {
            let of = |effect: f64| -> Vec<f64> {
                levels
                    .iter()
                    .map(|level| likely(*level, effect, scale, spread).max(LEAST).ln())
                    .collect()
            };
            let (none, with_all) = (of(0.0), of(all));
            let (of_none, of_all) = (none.iter().sum::<f64>(), with_all.iter().sum::<f64>());
            case.none[place] += of_none.exp();
            for (sum, (none, all)) in case.others[place].iter_mut().zip(none.iter().zip(&with_all))
            {
                *sum += (of_all - all + none).exp();
            }
            if spread == 0.0 {
                case.all += of_all.exp();
                for (sum, (one, none)) in case.one.iter_mut().zip(of(one).iter().zip(&none)) {
                    *sum += (of_none - none + one).exp();
                }
            }
        }
    }
    case
}

/// The levels that are to be called different in each case.
struct Cases {
    cases: Vec<Case>,
    /// Errors of families where all are equal by spread, of equal levels among others that differ by
    /// spread, and beside one that differs; and what is to be found where all differ.
    limits: Vec<Limit>,
}

const OTHERS: usize = SPREADS.len();
const BESIDE: usize = 2 * SPREADS.len();
const DENSE: usize = BESIDE + 1;

impl Cases {
    /// Half of the cases have one level that differs, in the other half all do.
    fn draw(levels: usize, dense: Option<f64>, count: u32) -> Self {
        let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(1));
        let [one, all] = [ONE, ALL].map(|better| better.ln() / SCATTER);
        let mut draw = || {
            let which = (random.uniform() * levels as f64) as usize;
            let dense = random.uniform() < 0.5;
            let mut level = |level: usize| -> Level {
                let effect = match (dense, level == which) {
                    (true, _) => all,
                    (false, true) => one,
                    (false, false) => 0.0,
                };
                let values: Vec<f64> = (0..REPEATS).map(|_| effect + random.normal()).collect();
                let mean = values.iter().sum::<f64>() / REPEATS as f64;
                (mean, values.iter().map(|value| (value - mean).powi(2)).sum())
            };
            let drawn: Vec<Level> = (0..levels).map(&mut level).collect();
            case(&drawn, one, all)
        };
        let cases = (0..count).map(|_| draw()).collect();
        let mut limits = vec![Limit::AtMost(ALLOWED); DENSE];
        limits.extend(dense.map(Limit::AtLeast));
        Self { cases, limits }
    }
}

impl Problem for Cases {
    fn cases(&self) -> usize {
        self.cases.len()
    }

    fn limits(&self) -> &[Limit] {
        &self.limits
    }

    fn decide(&self, case: usize, prices: &[f64], takes: &mut [f64]) -> f64 {
        let case = &self.cases[case];
        let count = case.one.len() as f64;
        let any_one = case.one.iter().sum::<f64>() / count;
        let drawn = f64::midpoint(any_one, case.all);
        let dense = prices.get(DENSE).copied().unwrap_or(0.0);
        let worth = |level: usize| {
            let others = (0..OTHERS).map(|at| prices[OTHERS + at] * case.others[at][level]);
            (case.one[level] + dense * case.all - others.sum::<f64>()) / count
        };
        let mut order: Vec<(f64, usize)> =
            (0..case.one.len()).map(|level| (worth(level), level)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let family: f64 = prices.iter().zip(&case.none).map(|(price, none)| price * none).sum();
        let single = |&(worth, level): &(f64, usize)| {
            worth - family - prices[BESIDE] * (any_one - case.one[level] / count)
        };
        let best = order.iter().max_by(|a, b| single(a).total_cmp(&single(b))).expect("levels");
        let several = order.iter().skip(2).take_while(|(worth, _)| *worth > 0.0).count() + 2;
        let several = &order[..several.min(order.len())];
        let of_several =
            several.iter().map(|(worth, _)| worth).sum::<f64>() - family - prices[BESIDE] * any_one;
        let called: &[(f64, usize)] = match (single(best), of_several) {
            (one, more) if one <= 0.0 && (more <= 0.0 || several.len() < 2) => &[],
            (one, more) if one >= more || several.len() < 2 => std::slice::from_ref(best),
            _ => several,
        };
        let sum = |of: &dyn Fn(usize) -> f64| {
            called.iter().map(|(_, level)| of(*level)).sum::<f64>() / count / drawn
        };
        let any = f64::from(u8::from(!called.is_empty()));
        for (take, none) in takes.iter_mut().zip(&case.none) {
            *take = any * none / drawn;
        }
        for (take, others) in takes[OTHERS..].iter_mut().zip(&case.others) {
            *take = sum(&|level| others[level]);
        }
        takes[BESIDE] = match called {
            [] => 0.0,
            [(_, level)] => (any_one - case.one[*level] / count) / drawn,
            _ => any_one / drawn,
        };
        if let Some(take) = takes.get_mut(DENSE) {
            *take = called.len() as f64 * case.all / count / drawn;
        }
        sum(&|level| case.one[level])
    }
}

pub fn table(out: &mut impl Write, count: u32) -> std::io::Result<()> {
    writeln!(
        out,
        "| levels | repeats | here: one + 20 % | all + 10 % | Holm, pooled t: one + 20 % | best test | best test that also finds all + 10 % as often, less 3 |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|")?;
    for levels in [3, 6, 12, 24] {
        let [one, holm] = sparse::found_of_one(levels, REPEATS, ONE, count);
        let [all, _] = sparse::found_of_all(levels, REPEATS, ALL, count);
        let best = [None, Some((all - 3.0) / 100.0)]
            .map(|dense| bound(&Cases::draw(levels, dense, 10 * count)))
            .map(|found| format!("{found:.1} %"));
        writeln!(
            out,
            "| {levels} | {REPEATS} | {one:.1} % | {all:.1} % | {holm:.1} % | {} |",
            best.join(" | ")
        )?;
    }
    Ok(())
}
