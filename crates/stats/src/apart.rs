//! What lasts in the figures of two targets that share no blocks, or of one in two runs.
//!
//! Nothing cancels out between them, so that the figures of each say all there is to know.

use crate::course::{Course, Form, LONGEST};
use crate::lasting::{
    Blocks, Kind, MUCH, NEGLIGIBLE, OF_CELLS, SHARED, form_of_shared, odds, own_variances,
    share_that_counts, together,
};

/// How likely it is, before anything was seen, that noise of single cells lasts, and that what all levels
/// of a block share does: what the machine goes through moves the figures of each (docs/statistics.md).
const CELLS_LAST: f64 = 0.37;
const SHARES_LAST: f64 = 0.2;
/// The latter of means over all levels, in which nothing else is left.
const SHARES_LAST_IN_MEANS: f64 = 0.35;
/// Of either, that it is so with both and not with one of them: mostly the machine does it.
const OF_BOTH: f64 = 0.7;
/// How far what levels share may last; what lasts not at all still makes levels alike.
const OF_SHARED: [f64; 4] = [0.0, 0.5, 0.8, 0.95];

/// What the figures of one target say, at all its levels, of how far their noise lasts.
#[derive(Clone, Debug, PartialEq)]
pub struct Persistence {
    levels: usize,
    /// Levels of three repeats and more, and the usual number of these.
    long: usize,
    repeats: usize,
    /// Logarithms of how likely the figures are, to that they are independent: if cells last as in
    /// [`OF_CELLS`], and if levels share as in [`ways`].
    cells: [f64; OF_CELLS.len()],
    shares: Vec<f64>,
    /// Whether it is asked of means over the levels, and not of each.
    of_means: bool,
}

/// How much larger what levels share may be than what they do not, and how far it may last.
fn ways() -> impl Iterator<Item = (f64, f64)> {
    SHARED.iter().flat_map(|larger| OF_SHARED.map(|kept| (*larger, kept)))
}

impl Persistence {
    /// Of logarithms in order of the blocks, level by level, outliers moved in.
    pub fn from_levels(levels: &[Vec<f64>]) -> Self {
        let long: Vec<&[f64]> = levels
            .iter()
            .filter(|values| values.len() > 2)
            .map(|values| &values[..values.len().min(LONGEST)])
            .filter(|values| values.iter().any(|value| value != &values[0]))
            .collect();
        let repeats = long.iter().map(|values| values.len()).sum::<usize>() / long.len().max(1);
        let likely = |kind: Kind| -> f64 {
            long.iter().map(|values| kind.forms(values.len())[0].log_likelihood(values)).sum()
        };
        let independent = likely(Kind::Independent);
        let cells = std::array::from_fn(|place| likely(Kind::Both(place)) - independent);
        Self {
            levels: levels.len(),
            long: long.len(),
            repeats,
            cells,
            shares: shares(&long),
            of_means: false,
        }
    }

    /// The same of the mean over all levels in each block.
    #[must_use]
    pub fn of_means(&self) -> Self {
        Self { of_means: true, ..self.clone() }
    }

    /// Where levels share something that is so many times their own, and so far kept.
    fn course(&self, larger: f64, kept: f64) -> Course {
        let larger = if self.of_means { larger * self.levels as f64 } else { larger };
        Course::of_share(larger / (1.0 + larger), kept)
    }
}

/// Of levels that have the most blocks.
fn shares(long: &[&[f64]]) -> Vec<f64> {
    let blocks = long.iter().map(|values| values.len()).max().unwrap_or(0);
    let whole: Vec<&[f64]> = long.iter().copied().filter(|one| one.len() == blocks).collect();
    if whole.len() < 2 {
        return Vec::new();
    }
    let plain = Form::from_matrix(&Course::INDEPENDENT.matrix(blocks));
    let scales = own_variances(&whole, &plain).into_iter().map(f64::sqrt);
    let seen = Blocks::from_levels(whole.iter().copied().zip(scales.collect::<Vec<f64>>()));
    let none = seen.log(&plain);
    let way = |(larger, kept)| seen.log(&form_of_shared(whole.len(), blocks, larger, kept)) - none;
    ways().map(way).collect()
}

/// What may last in the ratio of two such targets.
#[derive(Clone, Debug, PartialEq)]
pub struct LastingApart {
    possible: Vec<Possible>,
    levels: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Possible {
    /// All weights together are 1.
    weight: f64,
    courses: [Course; 2],
    /// What share of a ratio's variance all levels of a block have in common.
    shared: f64,
}

/// What it does to the difference of two means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EffectApart {
    pub(crate) weight: f64,
    /// For each: by what factor its error is larger than its scatter seems to say, and what share of its
    /// degrees of freedom is left.
    pub(crate) of: [(f64, f64); 2],
}

impl EffectApart {
    pub(crate) const NONE: Self = Self { weight: 1.0, of: [(1.0, 1.0); 2] };
}

impl LastingApart {
    pub fn between(first: &Persistence, second: &Persistence) -> Self {
        let all = |one: &Persistence| (one.long * one.repeats) as f64;
        let usual = first.repeats.min(second.repeats);
        let few = share_that_counts(usual, f64::midpoint(all(first), all(second)));
        let share = if first.of_means { SHARES_LAST_IN_MEANS } else { SHARES_LAST };
        let none = (1.0 - few * (CELLS_LAST + share)).ln();
        let of_one = ((1.0 - OF_BOTH) / 2.0).ln();
        let of_either =
            |logs: [f64; 2]| [of_one + logs[0], of_one + logs[1], OF_BOTH.ln() + logs[0] + logs[1]];
        let cells = OF_CELLS.iter().enumerate().flat_map(|(place, kept)| {
            let course = Course::of_share(1.0, *kept);
            let courses = either(course, course);
            let logs = of_either([first.cells[place], second.cells[place]]);
            let prior = (few * CELLS_LAST / OF_CELLS.len() as f64).ln();
            let possible = courses.map(|courses| Possible { weight: 0.0, courses, shared: 0.0 });
            logs.map(|log| prior + log).into_iter().zip(possible).collect::<Vec<_>>()
        });
        let shares = first.shares.iter().zip(&second.shares).zip(ways());
        let prior = (few * share / (SHARED.len() * OF_SHARED.len()) as f64).ln();
        let shares = shares.flat_map(|((of_first, of_second), (larger, kept))| {
            let courses = either(first.course(larger, kept), second.course(larger, kept));
            let (one, both) = (larger / (2.0 + larger), larger / (1.0 + larger));
            let possible = courses.into_iter().zip([one, one, both]);
            let possible =
                possible.map(|(courses, shared)| Possible { weight: 0.0, courses, shared });
            let logs = of_either([*of_first, *of_second]).map(|log| prior + log);
            logs.into_iter().zip(possible).collect::<Vec<_>>()
        });
        let independent = Possible { weight: 1.0, courses: [Course::INDEPENDENT; 2], shared: 0.0 };
        let mut possible = vec![independent];
        for way in [cells.collect::<Vec<_>>(), shares.collect()] {
            let logs: Vec<f64> = way.iter().map(|(log, _)| *log).collect();
            let one = |(weight, (_, one)): (f64, (f64, Possible))| Possible { weight, ..one };
            possible.extend(odds(none, &logs).into_iter().zip(way).map(one));
        }
        let all: f64 = possible.iter().map(|one| one.weight).sum();
        possible.iter_mut().for_each(|one| one.weight /= all);
        let levels = if first.of_means { 1 } else { first.levels.min(second.levels) };
        Self { possible, levels }
    }

    /// How likely noise lasts from a block to the next.
    pub fn likely(&self) -> f64 {
        self.lasting().map(|(weight, _)| weight).sum()
    }

    /// How figures of one block and the next correlate if noise lasts; 0 where it can't.
    pub fn coefficient(&self) -> f64 {
        let sum: f64 = self.lasting().map(|(weight, next)| weight * next).sum();
        if sum > 0.0 { sum / self.likely() } else { 0.0 }
    }

    /// By what factor the error of the ratio of two means of that many is larger than they seem to say, if
    /// both scatter alike: root mean square of what is possible.
    pub fn widening(&self, repeats: [usize; 2]) -> f64 {
        let squared = |one: &EffectApart| {
            let [first, second] = one.of.map(|(widening, _)| widening.powi(2));
            one.weight * f64::midpoint(first, second)
        };
        self.effects(repeats).iter().map(squared).sum::<f64>().sqrt()
    }

    /// The weights of what lasts, each with how far: the further one of both.
    fn lasting(&self) -> impl Iterator<Item = (f64, f64)> {
        let each = self.possible.iter().map(|one| (one.weight, one.next()));
        each.filter(|(_, next)| *next > 0.0)
    }

    /// What it does to means of that many; all weights together are 1. Nothing, little and much are told
    /// apart: every interval asks each of them.
    pub(crate) fn effects(&self, repeats: [usize; 2]) -> Vec<EffectApart> {
        let mut parts = [Vec::new(), Vec::new(), Vec::new()];
        for one in self.possible.iter().filter(|one| one.weight > 0.0) {
            let together = together(one.shared, self.levels);
            let of = [0, 1].map(|side| {
                let (widening, freedom) = one.courses[side].effect(repeats[side]);
                (widening * together, freedom)
            });
            let part = match one.next() {
                next if next <= 0.0 && together <= 1.0 => 0,
                next if next < MUCH => 1,
                _ => 2,
            };
            parts[part].push(EffectApart { weight: one.weight, of });
        }
        let mut effects: Vec<EffectApart> = parts.iter().filter_map(|part| mean(part)).collect();
        let sum: f64 = effects.iter().map(|one| one.weight).sum();
        effects.iter_mut().for_each(|one| one.weight /= sum);
        effects
    }
}

impl Possible {
    fn next(&self) -> f64 {
        self.courses[0].at(1).max(self.courses[1].at(1))
    }
}

/// That the first lasts, the second, and both.
fn either(first: Course, second: Course) -> [[Course; 2]; 3] {
    [[first, Course::INDEPENDENT], [Course::INDEPENDENT, second], [first, second]]
}

fn mean(part: &[EffectApart]) -> Option<EffectApart> {
    let weight: f64 = part.iter().map(|one| one.weight).sum();
    let of = [0, 1].map(|side| {
        let mean = |of: fn((f64, f64)) -> f64| {
            part.iter().map(|one| one.weight * of(one.of[side])).sum::<f64>() / weight
        };
        (mean(|(widening, _)| widening.powi(2)).sqrt(), mean(|(_, freedom)| freedom))
    });
    (weight >= NEGLIGIBLE).then_some(EffectApart { weight, of })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::Normal;

    const LEVELS: usize = 6;
    const BLOCKS: usize = 10;

    fn target(kept: f64, normal: &mut Normal) -> Persistence {
        let own = (1.0 - kept * kept).sqrt();
        let mut level = || -> Vec<f64> {
            let mut last = normal.draw();
            let mut next = |_| {
                last = kept * last + own * normal.draw();
                last
            };
            (0..BLOCKS).map(&mut next).collect()
        };
        Persistence::from_levels(&(0..LEVELS).map(|_| level()).collect::<Vec<Vec<f64>>>())
    }

    fn likely(kept: [f64; 2]) -> usize {
        let lasts = |seed: u64| {
            let mut normal = Normal::new(seed);
            let [first, second] = kept.map(|kept| target(kept, &mut normal));
            LastingApart::between(&first, &second).likely() > 0.5
        };
        (0..50).filter(|&seed| lasts(seed)).count()
    }

    #[test]
    fn noise_that_lasts_in_either_of_two_or_in_both_is_told_from_independent_noise() {
        assert!(likely([0.0, 0.0]) <= 6, "{}", likely([0.0, 0.0]));
        assert!(likely([0.8, 0.0]) >= 45, "{}", likely([0.8, 0.0]));
        assert!(likely([0.8, 0.8]) >= 48, "{}", likely([0.8, 0.8]));
    }

    #[test]
    fn what_all_levels_of_a_run_share_makes_their_mean_less_certain_than_each() {
        let mut normal = Normal::new(2);
        let blocks: Vec<f64> = (0..BLOCKS).map(|block| block as f64 / 2.0).collect();
        let level = |_| blocks.iter().map(|block| block + normal.draw()).collect();
        let levels: Vec<Vec<f64>> = (0..LEVELS).map(level).collect();
        let run = Persistence::from_levels(&levels);
        let each = LastingApart::between(&run, &run).widening([BLOCKS; 2]);
        let means = LastingApart::between(&run.of_means(), &run.of_means()).widening([BLOCKS; 2]);
        assert!(each > 1.5 && means > 1.5, "{each} {means}");
    }

    #[test]
    fn too_few_values_say_nothing() {
        for levels in [vec![], vec![vec![1.0, 2.0]], vec![vec![1.0; 5]; 3], vec![vec![f64::NAN; 5]]]
        {
            let run = Persistence::from_levels(&levels);
            let lasting = LastingApart::between(&run, &run);
            assert!(lasting.likely() < 0.2 && lasting.coefficient().is_finite(), "{lasting:?}");
            assert!(lasting.widening([5, 2]).is_finite(), "{lasting:?}");
        }
    }
}
