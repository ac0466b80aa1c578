//! Repeats that go on until all is resolved: what each look decides, and what is left open.

use crate::cell::Cells;
use crate::compare::{family, overall};
use crate::plan::budget::{Spending, Wish};
use crate::{Analysis, Basis, Comparison, OverallComparison, Strength, TestAnalysis, compare};
use findings::{Finding, LevelRepeats, RepeatsEnd, RepeatsEnded, Subject, Verdict};
use model::{Dataset, Level, ReadBudget, Study, Test, TrialKey};
use stats::Looks;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The looks of studies with that least and that most number of repeats.
type StudyLooks = ((u32, u32), Arc<Looks>);

/// When a study looks at its results, where that is more than once.
pub(crate) fn looks(study: &Study) -> Option<Arc<Looks>> {
    // Found by integrating some million times, and asked for after each block: the last ones are kept.
    static LAST: Mutex<Option<StudyLooks>> = Mutex::new(None);
    let wanted = (study.until?.min, study.repeats);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    match &*last {
        Some((of, looks)) if *of == wanted => Some(Arc::clone(looks)),
        _ => {
            let looks = Arc::new(Looks::new(wanted.0, wanted.1)?);
            *last = Some((wanted, Arc::clone(&looks)));
            Some(looks)
        }
    }
}

/// All comparisons of a test, level by level and over all levels, or some where the budget is overdrawn. What a look decides stays as that
/// look found it.
pub(crate) fn held(
    dataset: &Dataset,
    test: &Test,
    basis: Basis,
    cells: &Cells,
    budget: &ReadBudget,
) -> (Vec<Comparison>, Vec<OverallComparison>) {
    let study = &dataset.study;
    let at = |cells: &Cells| {
        let comparisons = compare::comparisons(study, test, basis, cells, budget);
        let overall = overall::overall(test, basis, cells, &comparisons, budget);
        let comparisons = family::adjust_for_multiplicity(study, comparisons);
        let overall = family::adjust_overall(study, &comparisons, overall);
        (comparisons, overall)
    };
    let Some(until) = study.until else { return at(cells) };
    let mut found: (Vec<Comparison>, Vec<OverallComparison>) = Default::default();
    for look in until.min..=dataset.plan.repeats().max(until.min) {
        let is_last = look >= dataset.plan.repeats();
        // What was added before the next block was planned was seen at this look.
        let mut blocks = dataset.plan.blocks.iter();
        let next = blocks.find(|block| block.number > look).map_or(0, |block| block.extension);
        let (levels, overall) =
            if is_last { at(cells) } else { at(&cells.up_to(test, look, next)) };
        let levels = keep(found.0, levels);
        let mut kept = keep(found.1, overall.clone());
        family::follow_looks(study, &levels, &mut kept, overall);
        found = (levels, kept);
    }
    found
}

/// The later comparisons, but the earlier ones of what was decided.
fn keep<C: Decided>(earlier: Vec<C>, later: Vec<C>) -> Vec<C> {
    let mut decided: Vec<C> = earlier.into_iter().filter(C::is_decided).collect();
    let kept = |new: C| match decided.iter().position(|old| old.is_same(&new)) {
        Some(place) => decided.swap_remove(place).beside(&new),
        None => new,
    };
    later.into_iter().map(kept).collect()
}

trait Decided {
    fn is_decided(&self) -> bool;
    /// Whether both compare the same.
    fn is_same(&self, other: &Self) -> bool;
    /// The same beside the baseline's figure as all repeats have it, which the table of cells shows. The
    /// figures that the ratio is of are those of its look.
    #[must_use]
    fn beside(self, later: &Self) -> Self;
}

impl Decided for Comparison {
    fn is_decided(&self) -> bool {
        self.verdict != Verdict::Unresolved
    }

    fn is_same(&self, other: &Self) -> bool {
        (self.level, self.metric) == (other.level, other.metric)
            && (&self.baseline, &self.candidate) == (&other.baseline, &other.candidate)
    }

    fn beside(self, later: &Self) -> Self {
        Self { base: later.base, ..self }
    }
}

impl Decided for OverallComparison {
    fn is_decided(&self) -> bool {
        self.verdict != Verdict::Unresolved
    }

    fn is_same(&self, other: &Self) -> bool {
        self.metric == other.metric
            && (&self.baseline, &self.candidate) == (&other.baseline, &other.candidate)
    }

    fn beside(self, later: &Self) -> Self {
        Self { base: later.base, ..self }
    }
}

/// Whether further repeats could resolve what is not.
fn is_open(verdict: Verdict, strength: &Strength) -> bool {
    verdict == Verdict::Unresolved && strength.chance.is_none_or(|chance| chance >= Looks::HOPELESS)
}

/// Two targets at a level that are not resolved, by the metric that decides.
struct Unresolved<'a> {
    pair: [&'a str; 2],
    level: Level,
    is_open: bool,
    /// That the last look resolves it, and how many more repeats that takes, where they are known.
    chance: Option<f64>,
    further: Option<u32>,
}

fn unresolved<'a>(test: &'a TestAnalysis) -> impl Iterator<Item = Unresolved<'a>> {
    let metric = test.basis.map(Basis::at_each_level);
    let by_level = test.comparisons.iter().filter(move |one| Some(one.metric) == metric);
    let by_level = by_level.filter(|one| one.verdict == Verdict::Unresolved);
    let by_level = by_level.map(|one| Unresolved {
        pair: [&one.baseline, &one.candidate],
        level: one.level,
        is_open: is_open(one.verdict, &one.strength),
        chance: one.strength.chance,
        further: one.strength.further_repeats,
    });
    // A search has one level, and its ratio moves in steps: nothing says that it cannot be resolved.
    let searched = test.search.iter().flat_map(|search| &search.comparisons);
    let searched = searched.filter(|one| one.verdict == Verdict::Unresolved);
    let level = test.cells.first().map(|cell| cell.level);
    let searched = searched.filter_map(move |one| {
        Some(Unresolved {
            pair: [&one.baseline, &one.candidate],
            level: level?,
            is_open: true,
            chance: None,
            further: None,
        })
    });
    by_level.chain(searched)
}

/// What the next block of a run holds whose plan is done: at each level the targets of comparisons
/// that are not resolved and could be. Empty where all is decided, and where the study has no repeats
/// left. A cell that was left out once stays out, so that the targets of a comparison stay pairs.
/// Under a budget only what fits into it, what decides most first.
///
/// It depends on what is recorded alone, so that a run that was interrupted goes on as it would have.
pub fn open_trials(analysis: &Analysis<'_>) -> BTreeSet<TrialKey> {
    next(analysis.dataset, &analysis.tests)
}

fn next(dataset: &Dataset, tests: &[TestAnalysis]) -> BTreeSet<TrialKey> {
    let Dataset { study, plan, .. } = dataset;
    let block = plan.repeats();
    if study.until.is_none() || block >= study.repeats {
        return BTreeSet::new();
    }
    let last: BTreeSet<&TrialKey> =
        plan.trials().map(|trial| &trial.key).filter(|key| key.repeat == block).collect();
    let key = |target: &str, test: &str, level: Level, repeat: u32| TrialKey {
        target: target.to_owned(),
        test: test.to_owned(),
        level,
        repeat,
    };
    let control = study.aa_control.as_ref().zip(study.targets.first());
    let left = study.repeats - block;
    let mut wishes = Vec::new();
    for test in tests {
        for open in unresolved(test).filter(|one| one.is_open) {
            let was = |target: &&str| last.contains(&key(target, &test.test, open.level, block));
            if !open.pair.iter().all(&was) {
                continue;
            }
            // What is held against the noise floor needs it as narrow.
            let again = control.filter(|(_, first)| open.pair.contains(&first.name.as_str()));
            let again = again.map(|(control, _)| control.name.as_str());
            let targets = open.pair.into_iter().chain(again).filter(was);
            wishes.push(Wish {
                trials: targets
                    .map(|target| key(target, &test.test, open.level, block + 1))
                    .collect(),
                chance: open.chance.unwrap_or(1.0),
                repeats: open.further.unwrap_or(left).min(left),
            });
        }
    }
    match Spending::for_dataset(dataset) {
        Some(spending) => spending.choose(wishes),
        None => wishes.into_iter().flat_map(|wish| wish.trials).collect(),
    }
}

/// How often each level of each test was measured and why, of a study whose repeats end when all is
/// resolved.
pub(crate) fn findings(dataset: &Dataset, tests: &[TestAnalysis]) -> Vec<Finding> {
    if dataset.study.until.is_none() {
        return Vec::new();
    }
    let missing: BTreeSet<&TrialKey> = dataset.missing().collect();
    // While trials of the plan are missing, it is not known what the next block holds.
    let next = missing.is_empty().then(|| next(dataset, tests));
    tests.iter().filter_map(|test| finding(dataset, test, &missing, next.as_ref())).collect()
}

/// Whether there is anything at a level to resolve: two targets with a figure each.
fn is_compared(test: &TestAnalysis, level: Level) -> bool {
    let metric = test.basis.map(Basis::at_each_level);
    let mut by_level = test.comparisons.iter().filter(|one| Some(one.metric) == metric);
    let searched = test.search.as_ref().is_some_and(|search| !search.comparisons.is_empty());
    searched || by_level.any(|one| one.level == level)
}

fn finding(
    dataset: &Dataset,
    test: &TestAnalysis,
    missing: &BTreeSet<&TrialKey>,
    next: Option<&BTreeSet<TrialKey>>,
) -> Option<Finding> {
    let Dataset { study, plan, .. } = dataset;
    let levels = study.test(&test.test)?.levels();
    let of_level = |level: Level| {
        let is_own = |key: &TrialKey| key.test == test.test && key.level == level;
        let own = plan.trials().map(|trial| &trial.key).filter(|key| is_own(key));
        let repeats = own.map(|key| key.repeat).max().unwrap_or(0);
        let left: Vec<Unresolved> = unresolved(test).filter(|one| one.level == level).collect();
        let is_open = left.iter().any(|one| one.is_open);
        let is_compared = is_compared(test, level);
        let follows = match next {
            Some(next) => next.iter().any(is_own),
            None => missing.iter().any(|key| is_own(key)) || is_open && repeats == plan.repeats(),
        };
        let ended = match () {
            () if left.is_empty() && is_compared => RepeatsEnd::Resolved,
            () if !is_compared && !follows => RepeatsEnd::NotCompared,
            () if repeats >= study.repeats => RepeatsEnd::Most,
            () if follows => RepeatsEnd::Open,
            () if is_open && study.budget.is_some() => RepeatsEnd::Budget,
            () => RepeatsEnd::CannotBeResolved,
        };
        LevelRepeats { level, repeats, ended }
    };
    let levels = levels.iter().map(|&level| of_level(level)).collect();
    let ended = RepeatsEnded { levels, most: study.repeats };
    Some(Finding::new(Subject::test(&test.test), ended))
}
