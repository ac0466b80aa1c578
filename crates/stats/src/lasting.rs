//! What lasts from block to block in one target and not in the other, and what that does to their ratios.
//!
//! A server's own background work, or what only one of two machines goes through, makes ratios of blocks in
//! a row alike. Then they scatter less than the truth, and an interval that takes them for independent is
//! too narrow. A handful of blocks cannot tell how far: so no autocorrelation is taken for known, and every
//! one counts by how likely it is, given the figures of both targets at all levels.

use crate::course::{Course, Form, LONGEST, forms};
use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How likely it is, before anything was seen, that noise of single cells lasts, and that what all levels
/// of a block share does: blocks have random orders and servers that were started anew, which mostly keeps
/// them independent. Higher ones hold more where noise lasts and find less where it doesn't
/// (docs/statistics.md).
const CELLS_LAST: f64 = 0.37;
const SHARES_LAST: f64 = 0.11;
/// Of that, that the noise of both targets does and not that of one of them.
const CELLS_OF_BOTH: f64 = 0.7;
const SHARES_OF_BOTH: f64 = 0.6;
/// That blocks have anything in common which cancels out in ratios, so that a target's own figures say
/// nothing of them.
const IN_COMMON: f64 = 0.2;
/// The odds of either are raised to this power: what is unlikely to last then costs nearly nothing.
const SHARPENED: f64 = 3.0;
/// Three and four blocks tell next to nothing of what lasts, and would pay for it in every study: by the
/// number of blocks, what share of the above counts.
const FEW_BLOCKS: [f64; 5] = [0.0, 0.0, 0.0, 0.2, 0.5];
/// So do fewer repeats of all levels together than these, by the root of their number.
const REPEATS_THAT_TELL: f64 = 30.0;
/// Autocorrelations that noise of cells may have from a block to the next.
pub(crate) const OF_CELLS: [f64; 3] = [0.5, 0.75, 0.95];
/// How many times as large as the variance of its own the one may be that a level has in common with
/// the others of its block, and how far that may last.
pub(crate) const SHARED: [f64; 4] = [0.4, 1.0, 2.5, 10.0];
const OF_SHARED: [f64; 3] = [0.5, 0.8, 0.95];
/// What share of a ratio's variance is that of the target that lasts, as far as that is told apart.
const OWN: [f64; 3] = [0.25, 0.5, 0.75];
/// What blocks may have in common, in variances of sums that they had without, and how far that may last.
const COMMON: [f64; 4] = [1.5, 3.0, 10.0, 100.0];
const OF_COMMON: [f64; 3] = [0.0, 0.5, 0.85];
/// The logarithm of odds beyond which nothing is doubtful.
const HIGHEST_ODDS: f64 = 300.0;
/// From this autocorrelation on it lasts much.
pub(crate) const MUCH: f64 = 0.6;
/// What has less weight than this is left out of intervals.
pub(crate) const NEGLIGIBLE: f64 = 0.002;

/// What may last in the ratios of a pair of targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Lasting {
    possible: Vec<Possible>,
    levels: usize,
    /// Of the number of ratios that was asked for first: mostly all levels have as many.
    effects: OnceLock<(usize, Vec<Effect>)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Possible {
    /// All weights together are 1.
    weight: f64,
    course: Course,
    /// What share of the variance all levels of a block have in common.
    shared: f64,
}

/// What it does to the mean of some ratios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Effect {
    pub(crate) weight: f64,
    /// By what factor the error of the mean is larger than their scatter seems to say.
    pub(crate) widening: f64,
    /// What share of the degrees of freedom of their variance is left.
    pub(crate) freedom: f64,
}

/// The logarithms of both targets at one level.
struct AtLevel {
    first: Vec<f64>,
    second: Vec<f64>,
    ratios: Vec<f64>,
    sums: Vec<f64>,
}

impl AtLevel {
    fn from_pairs(pairs: &[(f64, f64)]) -> Self {
        let pairs = &pairs[..pairs.len().min(LONGEST)];
        let each = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).collect::<Vec<f64>>();
        Self {
            first: each(|pair| pair.0),
            second: each(|pair| pair.1),
            ratios: each(|pair| pair.1 - pair.0),
            sums: each(|pair| pair.0 + pair.1),
        }
    }
}

impl Lasting {
    /// Of the logarithms of two targets, `(first, second)`, in order of the blocks; level by level, outliers
    /// moved in.
    ///
    /// The likelihoods are those of first-order autoregressions, from which means and variances are
    /// integrated out (D. A. Harville, *Biometrika* 61, 1974). The figures of a target say as much as its
    /// ratios, unless blocks have something in common that lasts; both are possible.
    pub fn from_levels(levels: &[Vec<(f64, f64)>]) -> Self {
        let long = levels.iter().filter(|pairs| pairs.len() > 2);
        let long: Vec<AtLevel> = long.map(|pairs| AtLevel::from_pairs(pairs)).collect();
        let blocks = long.iter().map(|level| level.ratios.len()).max().unwrap_or(0);
        // Where trials are missing, most levels have fewer.
        let usual = long.iter().map(|level| level.ratios.len()).sum::<usize>() / long.len().max(1);
        let few = share_that_counts(usual, (long.len() * usual) as f64);
        let none = (1.0 - few * (CELLS_LAST + SHARES_LAST)).ln();
        let reference = of_cells(&long, None, None);
        let independent = reference.log(None);
        let cells = courses().map(|(first, second, prior)| {
            let found = of_cells(&long, first, second);
            let log = (few * CELLS_LAST * prior).ln() + found.log(Some(&reference)) - independent;
            (log, Possible { weight: 0.0, course: found.kind.course(), shared: 0.0 })
        });
        let shared = of_shared(&long, blocks, few * SHARES_LAST);
        let possible = weighted(none, [cells.collect(), shared]);
        Self { possible, levels: levels.len(), effects: OnceLock::new() }
    }

    /// Whether so many repeats of each of so many levels tell noise that lasts from noise that does not well
    /// enough for verdicts to rest on it (docs/statistics.md).
    pub fn shows(levels: usize, repeats: usize) -> bool {
        repeats >= Self::repeats_that_show(levels)
    }

    /// How many repeats of each of so many levels do.
    pub fn repeats_that_show(levels: usize) -> usize {
        FEW_BLOCKS.len().max((REPEATS_THAT_TELL / levels.max(1) as f64).ceil() as usize)
    }

    /// How likely noise lasts from a block to the next.
    pub fn likely(&self) -> f64 {
        1.0 - self.possible[0].weight
    }

    /// How ratios of one block and the next correlate if noise lasts; 0 where it can't.
    pub fn coefficient(&self) -> f64 {
        let lasting = &self.possible[1..];
        let sum: f64 = lasting.iter().map(|one| one.weight * one.course.at(1)).sum();
        if sum > 0.0 { sum / self.likely() } else { 0.0 }
    }

    /// By what factor the error of the mean of `n` ratios is larger than they seem to say: root mean square
    /// of what is possible.
    pub fn widening(&self, n: usize) -> f64 {
        let effects = self.effects(n);
        effects.iter().map(|one| one.weight * one.widening.powi(2)).sum::<f64>().sqrt()
    }

    /// What it does to the mean of `n` ratios; all weights together are 1. Nothing, little and much are
    /// told apart, whatever `n` is: every interval asks each of them.
    pub(crate) fn effects(&self, n: usize) -> Cow<'_, [Effect]> {
        let (known, effects) = self.effects.get_or_init(|| (n, self.effects_on(n)));
        if *known == n { Cow::Borrowed(effects) } else { Cow::Owned(self.effects_on(n)) }
    }

    fn effects_on(&self, n: usize) -> Vec<Effect> {
        let mut parts = [Vec::new(), Vec::new(), Vec::new()];
        for one in self.possible.iter().filter(|one| one.weight > 0.0) {
            let (widening, freedom) = one.course.effect(n);
            let widening = widening * together(one.shared, self.levels);
            let part = match one.course.at(1) {
                next if next <= 0.0 => 0,
                next if next < MUCH => 1,
                _ => 2,
            };
            parts[part].push(Effect { weight: one.weight, widening, freedom });
        }
        let mut effects: Vec<Effect> = parts.iter().filter_map(|part| condensed(part)).collect();
        let sum: f64 = effects.iter().map(|one| one.weight).sum();
        effects.iter_mut().for_each(|one| one.weight /= sum);
        effects
    }
}

fn condensed(part: &[Effect]) -> Option<Effect> {
    let weight: f64 = part.iter().map(|one| one.weight).sum();
    let mean =
        |of: fn(&Effect) -> f64| part.iter().map(|one| one.weight * of(one)).sum::<f64>() / weight;
    let widening = mean(|one| one.widening.powi(2)).sqrt();
    let effect = Effect { weight, widening, freedom: mean(|one| one.freedom) };
    (weight >= NEGLIGIBLE).then_some(effect)
}

/// What share of the likelihoods that were there before anything was seen counts, by the usual number of
/// repeats of a level and that of all levels together.
pub(crate) fn share_that_counts(usual: usize, all: f64) -> f64 {
    let of_blocks = FEW_BLOCKS.get(usual).copied().unwrap_or(1.0);
    of_blocks * (all / REPEATS_THAT_TELL).sqrt().min(1.0)
}

/// How the cells of a pair may last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Independent,
    /// Those of both targets, by the place in [`OF_CELLS`].
    Both(usize),
    /// Those of one, and the place of its share of the ratio in [`OWN`].
    One(usize, usize),
}

/// How many forms a kind has: its own, and with what blocks may have in common.
const SHAPES: usize = 1 + COMMON.len() * OF_COMMON.len();

impl Kind {
    fn course(self) -> Course {
        match self {
            Self::Independent => Course::INDEPENDENT,
            Self::Both(place) => Course::of_share(1.0, OF_CELLS[place]),
            Self::One(place, own) => Course::of_share(OWN[own], OF_CELLS[place]),
        }
    }

    fn all() -> impl Iterator<Item = Self> {
        let both = (0..OF_CELLS.len()).map(Self::Both);
        let own = |place| (0..OWN.len()).map(move |own| Self::One(place, own));
        std::iter::once(Self::Independent).chain(both).chain((0..OF_CELLS.len()).flat_map(own))
    }

    fn place(self) -> usize {
        match self {
            Self::Independent => 0,
            Self::Both(place) => 1 + place,
            Self::One(place, own) => 1 + OF_CELLS.len() + place * OWN.len() + own,
        }
    }

    /// For series of that length: its own first, then in the order of [`common`].
    pub(crate) fn forms(self, n: usize) -> &'static [Form] {
        let of = |n: usize| Self::all().flat_map(|kind| kind.shapes(n)).collect();
        &forms(n, of)[self.place() * SHAPES..][..SHAPES]
    }

    fn shapes(self, n: usize) -> impl Iterator<Item = Form> {
        let own = Form::from_matrix(&self.course().matrix(n));
        let shape = move |(larger, kept): (f64, f64)| {
            Form::from_matrix(&self.course().and(1.0 - larger.recip(), kept).matrix(n))
        };
        std::iter::once(own).chain(common().map(shape))
    }
}

/// What blocks may have in common: by how much the variance of sums is larger for it, and how far it lasts.
fn common() -> impl Iterator<Item = (f64, f64)> {
    OF_COMMON.iter().flat_map(|kept| COMMON.map(|larger| (larger, *kept)))
}

/// Whose cells may last, by places in [`OF_CELLS`], with the weight of each before anything was seen.
fn courses() -> impl Iterator<Item = (Option<usize>, Option<usize>, f64)> {
    let weight = (OF_CELLS.len() as f64).recip();
    let of_one = (1.0 - CELLS_OF_BOTH) / 2.0 * weight;
    (0..OF_CELLS.len()).map(Some).flat_map(move |kept| {
        [(kept, None, of_one), (None, kept, of_one), (kept, kept, CELLS_OF_BOTH * weight)]
    })
}

fn single(place: Option<usize>) -> Kind {
    place.map_or(Kind::Independent, Kind::Both)
}

/// What share of a ratio's variance is that of the one target whose noise lasts: what lasts shows less
/// of itself.
fn own_share(levels: &[AtLevel], place: usize, is_first: bool) -> usize {
    let course = Course::of_share(1.0, OF_CELLS[place]);
    let (mut lasts, mut other) = (0.0, 0.0);
    for at in levels {
        let n = at.first.len();
        let squares = |values: &[f64]| Kind::Independent.forms(n)[0].squares(values);
        let (first, second) = (squares(&at.first), squares(&at.second));
        let (own, its) = if is_first { (first, second) } else { (second, first) };
        lasts += own / course.seen(n);
        other += its;
    }
    let share = lasts / (lasts + other);
    let off = |place: &usize| (OWN[*place] - share).abs();
    (0..OWN.len()).min_by(|one, two| off(one).total_cmp(&off(two))).unwrap_or(0)
}

/// Logarithms of how likely the figures are.
struct OfCells {
    kind: Kind,
    /// If blocks have nothing in common.
    own: f64,
    /// If they have nothing in common and both targets scatter alike.
    alike: f64,
    /// If they have something in common.
    common: f64,
}

impl OfCells {
    /// In proportion to that of others.
    fn log(&self, reference: Option<&Self>) -> f64 {
        let to = reference.unwrap_or(self);
        let own = (1.0 - IN_COMMON).ln() + self.own - to.own;
        log_sum([own, IN_COMMON.ln() + self.common - to.alike])
    }
}

fn of_cells(levels: &[AtLevel], first: Option<usize>, second: Option<usize>) -> OfCells {
    let kind = match (first, second) {
        (None, None) => Kind::Independent,
        (Some(place), Some(_)) => Kind::Both(place),
        (Some(place), None) => Kind::One(place, own_share(levels, place, true)),
        (None, Some(place)) => Kind::One(place, own_share(levels, place, false)),
    };
    let (mut own, mut alike) = (0.0, 0.0);
    let mut logs = [0.0; SHAPES - 1];
    for at in levels {
        let n = at.ratios.len();
        let alone = |values: &[f64], place| single(place).forms(n)[0].log_likelihood(values);
        let of_both = alone(&at.first, first) + alone(&at.second, second);
        if !of_both.is_finite() {
            continue;
        }
        own += of_both;
        let forms = kind.forms(n);
        let freedom = n as f64 - 1.0;
        let squares = forms[0].squares(&at.ratios);
        // Ratios and sums have one variance, which is integrated out.
        let of = |form: &Form, larger: f64| {
            let both = squares + form.squares(&at.sums) / larger;
            forms[0].constant + form.constant - freedom / 2.0 * larger.ln() - freedom * both.ln()
        };
        alike += of(&forms[0], 1.0);
        for ((log, form), (larger, _)) in logs.iter_mut().zip(&forms[1..]).zip(common()) {
            *log += of(form, larger);
        }
    }
    let common = log_sum(logs.iter().copied()) - (logs.len() as f64).ln();
    OfCells { kind, own, alike, common }
}

/// What all levels of a block have in common in figures of one kind, in deviations of a level: other levels
/// show it better than other blocks do.
pub(crate) struct Blocks {
    /// By block, ÷ the root of the number of levels.
    sums: Vec<f64>,
    /// The sum of squares of what they do not have in common.
    within: f64,
    /// Half of the degrees of freedom of both together.
    half: f64,
}

impl Blocks {
    /// Of levels with one value in each block, and how widely each level scatters.
    pub(crate) fn from_levels<'a>(levels: impl Iterator<Item = (&'a [f64], f64)> + Clone) -> Self {
        let size = levels.clone().count() as f64;
        let count = levels.clone().map(|(values, _)| values.len()).max().unwrap_or(0);
        let (mut sums, mut all) = (vec![0.0; count], 0.0);
        for (values, scale) in levels {
            let mean = values.iter().sum::<f64>() / count as f64;
            for (sum, value) in sums.iter_mut().zip(values) {
                let off = (value - mean) / scale;
                *sum += off / size.sqrt();
                all += off.powi(2);
            }
        }
        let within = all - sums.iter().map(|sum| sum.powi(2)).sum::<f64>();
        Self { sums, within, half: size * (count as f64 - 1.0) / 2.0 }
    }

    /// The sum of squares if what a block has in common is of that form.
    fn squares(&self, form: &Form) -> f64 {
        self.within + form.squares(&self.sums)
    }

    /// The logarithm of how likely that is; the variance is integrated out.
    pub(crate) fn log(&self, form: &Form) -> f64 {
        form.constant - self.half * self.squares(form).ln()
    }

    /// The share of the sum of squares that levels do not have in common.
    fn own(&self) -> f64 {
        self.within / (self.within + self.sums.iter().map(|sum| sum.powi(2)).sum::<f64>())
    }
}

/// Of sums over so many levels that have so many times their own variance in common.
pub(crate) fn form_of_shared(size: usize, blocks: usize, larger: f64, kept: f64) -> Form {
    let shared = size as f64 * larger;
    let mut matrix = Course::of_share(shared / (1.0 + shared), kept).matrix(blocks);
    matrix.iter_mut().flatten().for_each(|value| *value *= 1.0 + shared);
    Form::from_matrix(&matrix)
}

/// How much larger what levels share may be than what they do not, and how far it may last.
fn shared() -> impl Iterator<Item = (f64, f64)> {
    SHARED.iter().flat_map(|larger| OF_SHARED.map(|kept| (*larger, kept)))
}

/// Forms of what so many levels may share over so many blocks.
struct SharedForms {
    plain: Form,
    /// Of what cancels out in ratios, in the order of [`common`].
    cancelling: Vec<Form>,
    /// In the order of [`shared`].
    shared: Vec<Form>,
}

/// Those of so many levels and blocks.
type KeptForms = ((usize, usize), Arc<SharedForms>);

impl SharedForms {
    /// The last ones are kept: all pairs of a study ask for the same.
    fn for_size(levels: usize, blocks: usize) -> Arc<Self> {
        static LAST: Mutex<Option<KeptForms>> = Mutex::new(None);
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, forms)) = last.as_ref().filter(|(known, _)| *known == (levels, blocks)) {
            return Arc::clone(forms);
        }
        let form = |(larger, kept)| form_of_shared(levels, blocks, larger, kept);
        let forms = Arc::new(Self {
            plain: Form::from_matrix(&Course::INDEPENDENT.matrix(blocks)),
            cancelling: common().map(|(larger, kept)| form((larger - 1.0, kept))).collect(),
            shared: shared().map(form).collect(),
        });
        *last = Some(((levels, blocks), Arc::clone(&forms)));
        forms
    }
}

/// That all levels of a block have something in common in the figures of one target or of both, which may
/// last. Logarithms of how likely that is, to that nothing but what cancels out in ratios is shared.
fn of_shared(levels: &[AtLevel], blocks: usize, prior: f64) -> Vec<(f64, Possible)> {
    let whole: Vec<&AtLevel> = levels.iter().filter(|at| at.ratios.len() == blocks).collect();
    if whole.len() < 2 {
        return Vec::new();
    }
    let size = whole.len();
    let forms = SharedForms::for_size(size, blocks);
    let plain = &forms.plain;
    let targets: [fn(&AtLevel) -> &Vec<f64>; 2] = [|at| &at.first, |at| &at.second];
    let figures = targets.map(|of| whole.iter().map(|at| of(at).as_slice()).collect::<Vec<_>>());
    let variances = figures.each_ref().map(|of| mean_squares(of, plain));
    let own = figures.each_ref().map(|of| own_variances(of, plain));
    let of_target = |target: usize| {
        let scales = own[target].iter().map(|own| own.sqrt());
        Blocks::from_levels(figures[target].iter().copied().zip(scales))
    };
    let [first, second] = [of_target(0), of_target(1)];
    let scales = || own[0].iter().zip(&own[1]).map(|(first, second)| (first + second).sqrt());
    let ratios = Blocks::from_levels(whole.iter().map(|at| at.ratios.as_slice()).zip(scales()));
    let sums = Blocks::from_levels(whole.iter().map(|at| at.sums.as_slice()).zip(scales()));
    let cancelling: Vec<(&Form, f64)> =
        forms.cancelling.iter().map(|form| (form, sums.squares(form))).collect();
    let both = |form: &Form, other: &Form, squares: f64| {
        form.constant + other.constant - (ratios.half + sums.half) * squares.ln()
    };
    let neither = both(plain, plain, ratios.squares(plain) + sums.squares(plain));
    let beside_common = |form: &Form| {
        let own = ratios.squares(form);
        let log = |(other, squares): &(&Form, f64)| both(form, other, own + squares) - neither;
        log_sum(cancelling.iter().map(log)) - (cancelling.len() as f64).ln()
    };
    let (apart, in_common) = ((1.0 - IN_COMMON).ln(), IN_COMMON.ln());
    let none = log_sum([apart, in_common + beside_common(plain)]);
    let [of_first, of_second] = [variances[0] * first.own(), variances[1] * second.own()]
        .map(|own| move |larger| larger * own);
    let either = of_first(1.0) + of_second(1.0);
    let ways = |((larger, kept), form): ((f64, f64), &Form)| {
        let [one, two] = [&first, &second].map(|blocks| blocks.log(form) - blocks.log(plain));
        let of_one = apart + ((1.0 - SHARES_OF_BOTH) / 2.0).ln();
        let shares = [of_first(larger), of_second(larger)].map(|own| own / (own + either));
        let both = larger / (1.0 + larger);
        [
            (of_one + one, shares[0], kept),
            (of_one + two, shares[1], kept),
            (apart + SHARES_OF_BOTH.ln() + one + two, both, kept),
            (in_common + beside_common(form), both, kept),
        ]
    };
    let each = shared().zip(&forms.shared).flat_map(ways);
    let prior = (prior / (SHARED.len() * OF_SHARED.len()) as f64).ln() - none;
    each.map(|(log, shared, kept)| {
        let course = Course::of_share(shared, kept);
        (prior + log, Possible { weight: 0.0, course, shared })
    })
    .collect()
}

/// The mean sum of squares of levels by that form.
fn mean_squares(levels: &[&[f64]], form: &Form) -> f64 {
    levels.iter().map(|values| form.squares(values)).sum::<f64>() / levels.len() as f64
}

/// Of each level, in units of a variance between its own and that of all.
pub(crate) fn own_variances(levels: &[&[f64]], plain: &Form) -> Vec<f64> {
    let all = mean_squares(levels, plain);
    levels.iter().map(|values| f64::midpoint(plain.squares(values), all)).collect()
}

/// By what factor scores of levels that share something have to be smaller, for the sum of their squares
/// to be no larger than that of independent ones, 39 times in 40 (F. E. Satterthwaite's χ²; its quantile
/// by E. B. Wilson and M. M. Hilferty, *Proceedings of the National Academy of Sciences* 17, 1931).
pub(crate) fn together(shared: f64, levels: usize) -> f64 {
    let levels = levels as f64;
    let apart = 1.0 + (levels - 1.0) * shared.powi(2);
    let quantile = |freedom: f64| {
        let part = 2.0 / (9.0 * freedom);
        freedom * (1.0 - part + 1.96 * part.sqrt()).powi(3)
    };
    (apart * quantile(levels / apart) / quantile(levels)).sqrt().max(1.0)
}

/// What is possible by its weight, that nothing lasts in the first place. The logarithm of how likely that
/// is, and those of the ways in which cells last and in which what levels share does.
fn weighted(none: f64, ways: [Vec<(f64, Possible)>; 2]) -> Vec<Possible> {
    let independent = Possible { weight: 1.0, course: Course::INDEPENDENT, shared: 0.0 };
    let mut possible = vec![independent];
    for way in ways {
        let logs: Vec<f64> = way.iter().map(|(log, _)| *log).collect();
        let one = |(weight, (_, one)): (f64, (f64, Possible))| Possible { weight, ..one };
        possible.extend(odds(none, &logs).into_iter().zip(way).map(one));
    }
    let all: f64 = possible.iter().map(|one| one.weight).sum();
    possible.iter_mut().for_each(|one| one.weight /= all);
    possible
}

/// What each of several possibilities weighs to one of weight 1, by the logarithms of how likely they are.
pub(crate) fn odds(one: f64, logs: &[f64]) -> Vec<f64> {
    let finite = || logs.iter().copied().filter(|log| log.is_finite());
    if finite().next().is_none() {
        return vec![0.0; logs.len()];
    }
    let sum = log_sum(finite());
    let odds = (SHARPENED * (sum - one)).min(HIGHEST_ODDS).exp();
    let weight = |log: &f64| if log.is_finite() { odds * (log - sum).exp() } else { 0.0 };
    logs.iter().map(weight).collect()
}

/// The logarithm of the sum of what these are logarithms of.
fn log_sum(logs: impl IntoIterator<Item = f64>) -> f64 {
    let logs: Vec<f64> = logs.into_iter().collect();
    let most = logs.iter().copied().fold(f64::MIN, f64::max);
    most + logs.iter().map(|log| (log - most).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::Normal;

    const LEVELS: usize = 6;

    /// Two targets, the second of which lasts; all of it on top of what blocks have in common.
    fn pairs(kept: f64, blocks: &[f64], seed: u64) -> Vec<Vec<(f64, f64)>> {
        let mut normal = Normal::new(seed);
        let own = (1.0 - kept * kept).sqrt();
        let mut level = || -> Vec<(f64, f64)> {
            let mut last = normal.draw();
            let mut pair = |block: &f64| {
                last = kept * last + own * normal.draw();
                (block + normal.draw(), block + last)
            };
            blocks.iter().map(&mut pair).collect()
        };
        (0..LEVELS).map(|_| level()).collect()
    }

    fn likely(kept: f64, blocks: &[f64]) -> usize {
        (0..50)
            .filter(|&seed| Lasting::from_levels(&pairs(kept, blocks, seed)).likely() > 0.5)
            .count()
    }

    #[test]
    fn noise_of_one_target_that_lasts_is_told_from_what_blocks_have_in_common() {
        let (none, steep) = ([0.0; 10], [-9.0, -7.0, -5.0, -3.0, -1.0, 1.0, 3.0, 5.0, 7.0, 9.0]);
        assert!(likely(0.0, &none) <= 2 && likely(0.0, &steep) <= 2);
        assert!(likely(0.8, &none) >= 45, "{}", likely(0.8, &none));
        assert!(likely(0.8, &steep) >= 8, "{}", likely(0.8, &steep));
    }

    #[test]
    fn what_all_levels_of_a_block_share_may_last() {
        let mut normal = Normal::new(1);
        let blocks: Vec<f64> = (0..6).map(|_| normal.draw()).collect();
        let level = |_| blocks.iter().map(|block| (normal.draw() / 5.0, *block)).collect();
        let lasting =
            Lasting::from_levels(&(0..LEVELS).map(level).collect::<Vec<Vec<(f64, f64)>>>());
        assert!(lasting.likely() > 0.99 && lasting.widening(6) > 1.5, "{lasting:?}");
    }

    #[test]
    fn too_few_blocks_say_nothing() {
        for levels in [vec![], vec![vec![(1.0, 2.0), (2.0, 4.0)]], vec![vec![(1.0, 1.0); 5]]] {
            let lasting = Lasting::from_levels(&levels);
            assert!(lasting.likely() < 0.05, "{lasting:?}");
            assert!(lasting.widening(2) < 1.2 && lasting.coefficient().is_finite());
        }
    }
}
