//! Studies whose repeats go on until they resolve, against the same with all repeats.

use crate::judging::{self, Trials};
use crate::simulated::{Random, Shape, Truth, trials};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::{Chance, Expected, Looks, Part, Ratio, Relation, closed_groups};
use std::io::Write;
use std::sync::Arc;

const CONFIDENCE: f64 = 0.95;
const MARGIN: f64 = 0.03;

/// The judging of `analyse`, over the ratios of made-up trials.
struct Study {
    trials: Trials,
    pairs: Vec<(usize, usize)>,
    levels: usize,
    looks: Option<Arc<Looks>>,
}

struct Judged {
    relation: Relation,
    /// Whether more repeats could tell.
    open: bool,
}

/// What came of a study.
#[derive(Default)]
struct Sums {
    studies: u32,
    errors: u32,
    trials: f64,
    comparisons: u32,
    agree: u32,
    lost: u32,
    gained: u32,
    /// Verdicts of the full plan that another one, on other trials, agrees with.
    repeated: u32,
    /// True differences, and how many of them are found: by the looks, by a plan of as many
    /// trials as the looks took, and by the full plan.
    differences: u32,
    found: [u32; 3],
    /// Comparisons of equal targets, and how many are told to be equivalent, likewise.
    equals: u32,
    equivalent: [u32; 3],
}

impl Study {
    /// Each pair at each level, with so many repeats of each.
    fn judge(&self, repeats: &[Vec<usize>]) -> Vec<Judged> {
        let so_far = |(of_target, repeats): (&Vec<Vec<f64>>, &Vec<usize>)| {
            let levels = of_target.iter().zip(repeats);
            levels.map(|(cell, &repeats)| cell[..repeats].to_vec()).collect()
        };
        let so_far: Trials = self.trials.iter().zip(repeats).map(so_far).collect();
        let parts = judging::parts(&so_far, &self.pairs).concat();
        let looked = |part: Part| part.ratio.looked_at(self.looks.as_ref());
        let ratios: Vec<Ratio> = parts.into_iter().map(looked).collect();
        let own = |ratio: &Ratio| ratio.p_value().unwrap_or(1.0);
        let chance = |ratio: &Ratio| ratio.chance().unwrap_or(Chance::from(1.0));
        let groups: Vec<Vec<Chance>> =
            ratios.chunks(self.levels).map(|pair| pair.iter().map(chance).collect()).collect();
        let adjusted = closed_groups(&groups).into_iter().flatten();
        let expected = ratios
            .chunks(self.levels)
            .flat_map(|pair| Expected::by_others(&pair.iter().collect::<Vec<&Ratio>>()));
        let judge = |((ratio, adjusted), expected): ((&Ratio, f64), Option<Expected>)| {
            let one_sided = ratio.equivalence(CONFIDENCE).relation(MARGIN);
            let relation = match one_sided {
                Relation::Equivalent => one_sided,
                _ => ratio.held(adjusted, CONFIDENCE).relation(MARGIN),
            };
            let own = own(ratio);
            let family = if own > 0.0 { adjusted / own } else { 1.0 };
            let chance = ratio.chance_to_resolve(MARGIN, CONFIDENCE, family, expected);
            let chance = chance.unwrap_or(1.0);
            Judged { relation, open: relation == Relation::Unresolved && chance >= Looks::HOPELESS }
        };
        ratios.iter().zip(adjusted).zip(expected).map(judge).collect()
    }
}

fn simulate(shape: &Shape, truth: Truth, (targets, levels): (usize, usize), count: u32) -> Sums {
    let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(1));
    let (first, most) = (3, shape.repeats);
    let looks = Looks::new(first as u32, most as u32).map(Arc::new);
    let mut sums = Sums { studies: count, ..Sums::default() };
    for _ in 0..count {
        let pairs = (0..targets).flat_map(|a| (a + 1..targets).map(move |b| (a, b))).collect();
        let twice = Shape { repeats: 2 * most, ..*shape };
        let mut trials = trials(&mut random, &twice, truth, targets, levels);
        let second = |cell: &mut Vec<f64>| cell.split_off(most);
        let second = trials.iter_mut().map(|target| target.iter_mut().map(second).collect());
        let second = second.collect();
        let mut study = Study { trials, pairs, levels, looks: None };
        let full = vec![vec![most; levels]; targets];
        let fixed = study.judge(&full);
        let again = Study { trials: second, pairs: study.pairs.clone(), levels, looks: None };
        let again = again.judge(&full);
        let agree = fixed.iter().zip(&again).filter(|(one, other)| one.relation == other.relation);
        sums.repeated += u32::try_from(agree.count()).expect("few comparisons");
        study.looks = looks.clone();
        let mut repeats = vec![vec![first; levels]; targets];
        let mut found = vec![Relation::Unresolved; fixed.len()];
        for block in first..=most {
            let judged = study.judge(&repeats);
            let mut again = vec![vec![false; levels]; targets];
            for (i, (found, judged)) in found.iter_mut().zip(&judged).enumerate() {
                if *found == Relation::Unresolved {
                    *found = judged.relation;
                }
                let ((a, b), level) = (study.pairs[i / levels], i % levels);
                let measured = repeats[a][level] == block && repeats[b][level] == block;
                if judged.open && measured && *found == Relation::Unresolved {
                    (again[a][level], again[b][level]) = (true, true);
                }
            }
            for (repeats, again) in repeats.iter_mut().flatten().zip(again.iter().flatten()) {
                *repeats += usize::from(*again && block < most);
            }
        }
        let measured: usize = repeats.iter().flatten().sum();
        // As many for every cell as the looks took on average, rounded to the nearest.
        let each = (measured + levels * targets / 2) / (levels * targets);
        study.looks = None;
        let same_trials = study.judge(&vec![vec![each; levels]; targets]);
        sums.trials += measured as f64 / (most * levels * targets) as f64;
        let mut error = false;
        for (i, (found, fixed)) in found.iter().zip(&fixed).enumerate() {
            let (pair, level) = (study.pairs[i / levels], i % levels);
            let differs = pair.1 + 1 == targets && truth.effect(level, levels) != 0.0;
            error |= !differs && said(*found);
            let by = [*found, same_trials[i].relation, fixed.relation];
            let (of, of_each, is) = match differs {
                true => (&mut sums.differences, &mut sums.found, said as fn(Relation) -> bool),
                false => (&mut sums.equals, &mut sums.equivalent, same as fn(Relation) -> bool),
            };
            *of += 1;
            for (sum, by) in of_each.iter_mut().zip(by) {
                *sum += u32::from(is(by));
            }
            sums.comparisons += 1;
            sums.agree += u32::from(*found == fixed.relation);
            sums.lost += u32::from(said(fixed.relation) && *found != fixed.relation);
            sums.gained += u32::from(said(*found) && *found != fixed.relation);
        }
        sums.errors += u32::from(error);
    }
    sums
}

fn said(relation: Relation) -> bool {
    matches!(relation, Relation::Larger | Relation::Smaller)
}

fn same(relation: Relation) -> bool {
    relation == Relation::Equivalent
}

impl Sums {
    fn add(&mut self, other: &Self) {
        self.studies += other.studies;
        self.errors += other.errors;
        self.trials += other.trials;
        self.comparisons += other.comparisons;
        self.agree += other.agree;
        self.lost += other.lost;
        self.gained += other.gained;
        self.repeated += other.repeated;
        self.differences += other.differences;
        self.equals += other.equals;
        for place in 0..3 {
            self.found[place] += other.found[place];
            self.equivalent[place] += other.equivalent[place];
        }
    }

    fn row(&self, out: &mut impl Write, name: &str) -> std::io::Result<()> {
        let share = |part: f64, of: u32| 100.0 * part / f64::from(of);
        let of_comparisons = |part: u32| share(f64::from(part), self.comparisons);
        writeln!(
            out,
            "| {name} | {:.1} % | {:.0} % | {:.1} % | {:.1} % | {:.1} % | {:.1} % |",
            share(f64::from(self.errors), self.studies),
            share(self.trials, self.studies),
            of_comparisons(self.agree),
            of_comparisons(self.repeated),
            of_comparisons(self.lost),
            of_comparisons(self.gained),
        )
    }
}

/// Of three times so many studies in each row: one for each way of scattering.
pub fn table(out: &mut impl Write, count: u32) -> std::io::Result<()> {
    let plain = Shape {
        name: "equal scatter",
        repeats: 20,
        scatter: 0.05,
        spread: 0.0,
        heavy: false,
        bad: 0.0,
    };
    let shapes =
        [plain, Shape { spread: 0.3, ..plain }, Shape { spread: 0.3, scatter: 0.02, ..plain }];
    let truths = [
        (Truth::Equal, "all equal"),
        (Truth::Half, "half far apart"),
        (Truth::Better(1.1), "10 % apart"),
        (Truth::Better(1.05), "5 % apart"),
        (Truth::Mixed, "mixed"),
    ];
    writeln!(
        out,
        "| targets | levels | truth | error | trials | same verdict | of a second full plan | difference lost | difference won |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|---|")?;
    let mut all = Sums::default();
    for sizes in [(2, 3), (2, 6), (2, 12), (4, 3), (4, 6)] {
        for (truth, name) in truths {
            let mut sums = Sums::default();
            for shape in &shapes {
                sums.add(&simulate(shape, truth, sizes, count));
            }
            sums.row(out, &format!("{} | {} | {name}", sizes.0, sizes.1))?;
            all.add(&sums);
        }
    }
    all.row(out, "all | | ")
}

/// Few differences, equal scatter: what is found by the looks, by a plan of as many trials and by
/// the full one.
pub fn sparse_table(out: &mut impl Write, count: u32) -> std::io::Result<()> {
    let shape = Shape {
        name: "equal scatter",
        repeats: 20,
        scatter: 0.05,
        spread: 0.0,
        heavy: false,
        bad: 0.0,
    };
    let truths = [
        (6, Truth::Sparse(1, 1.15), "last + 15 %"),
        (12, Truth::Sparse(1, 1.1), "last + 10 %"),
        (12, Truth::Sparse(2, 1.15), "last two + 15 %"),
        (24, Truth::Sparse(1, 1.2), "last + 20 %"),
        (6, Truth::Better(1.1), "all + 10 %"),
        (12, Truth::Better(1.1), "all + 10 %"),
        (6, Truth::Equal, "all equal"),
        (12, Truth::Equal, "all equal"),
    ];
    writeln!(
        out,
        "| levels | truth | error | trials | found | plan of as many trials | full plan | equal ones told the same | plan of as many trials | full plan |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|---|---|")?;
    for (levels, truth, name) in truths {
        let sums = simulate(&shape, truth, (2, levels), count);
        let share = |part: u32, of: u32| 100.0 * f64::from(part) / f64::from(of.max(1));
        writeln!(
            out,
            "| {levels} | {name} | {:.1} % | {:.0} % | {} | {} |",
            share(sums.errors, sums.studies),
            100.0 * sums.trials / f64::from(sums.studies),
            sums.found.map(|n| format!("{:.1} %", share(n, sums.differences))).join(" | "),
            sums.equivalent.map(|n| format!("{:.1} %", share(n, sums.equals))).join(" | "),
        )?;
    }
    Ok(())
}
