//! Two runs against each other: the same targets under the same tests at two times.
//!
//! Blocks of different runs have nothing in common, so nothing is paired. How far trials scatter is
//! learned from the cells of both runs.

use crate::cell::repeats::LIKELY;
use crate::cell::series::{Kin, Series, persistence};
use crate::cell::{CellData, Cells, collect};
use crate::compare::family;
use crate::compare::family::Compared;
use crate::compare::floor;
use crate::compare::overall::pool;
use crate::trial::checked_run::CheckedRun;
use crate::trial::extended;
use crate::{Basis, Metric, Strength, search};
use earlier::Figure;
use findings::{IndependenceAssumed, NoiseFloor, Verdict};
use model::{Dataset, Level, ReadLimit, TargetFacts, Test};
use serde::Serialize;
use stats::{BetweenRuns, Estimate, Lasting};
use std::sync::Arc;

pub use earlier::EarlierRuns;
pub use gate::{Gate, GateItem, GateOutcome, GateQuestion, GateReason, gate};
pub use history::{CellHistory, History, HistoryRun, LevelChange, RunPoints, history};

mod earlier;
mod gate;
mod history;

/// Fewest levels that are more than a single comparison.
const MIN_LEVELS: usize = 2;

/// What changed from one run to another, in what it ran on and in what was measured.
#[derive(Clone, Debug, Serialize)]
pub struct RunComparison {
    /// Of the machine that made the load, and of weighin.
    pub conditions: Vec<findings::ConditionChange>,
    /// Of the targets' servers, in the order of the study.
    pub servers: Vec<ServerChange>,
    /// Tests that both have, in the order of the older study.
    pub tests: Vec<TestRuns>,
    /// Cells that only one of the runs has results of.
    pub unmatched: Vec<Unmatched>,
    /// How many earlier runs told how much runs of the same differ; 0 where nothing is known of that, and
    /// what is said is said of these two runs.
    pub earlier_runs: usize,
}

/// A fact of a target's server that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ServerChange {
    pub target: String,
    /// `version`, `program`, or the name of a variable.
    pub what: String,
    pub old: String,
    pub new: String,
}

/// A cell without its like.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unmatched {
    pub test: String,
    pub target: String,
    pub level: Level,
    /// Whether it is the newer run that has it.
    pub is_new: bool,
}

/// One test in both runs.
#[derive(Clone, Debug, Serialize)]
pub struct TestRuns {
    pub test: String,
    pub basis: Basis,
    /// Whether both runs did the same: task, data, warm-up, duration and state of the caches.
    pub is_same: bool,
    /// By metric, the higher one of both runs: what is no larger is no difference between them either.
    pub floors: Vec<NoiseFloor>,
    /// Targets whose figures resemble each other from block to block, by the metric that decides: their
    /// ratios were held to more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lasting: Vec<LastingTarget>,
    /// Where repeats are too few to tell whether it lasts, and nothing says that it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub independence_assumed: Option<IndependenceAssumed>,
    /// Target by target, by level; then over all levels where there are several.
    pub results: Vec<RunResult>,
}

/// A target whose noise lasts from block to block in one run or in both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LastingTarget {
    pub target: String,
    /// How likely it lasts, from 0 to 1.
    pub likely: f64,
    /// How figures of one block and the next correlate then.
    pub autocorrelation: f64,
    /// By what factor the interval of new ÷ old at a level is wider for it.
    pub widening: f64,
}

/// One figure of a target in both runs.
#[derive(Clone, Debug, Serialize)]
pub struct RunResult {
    pub test: String,
    pub target: String,
    /// Absent for the geometric mean over levels that both have.
    pub level: Option<Level>,
    /// The levels that such a mean is over, where those are not all that both have: only levels with
    /// results in the same repeats go into it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub some_levels: Option<Vec<Level>>,
    pub metric: Metric,
    /// The figures that the ratio is of: geometric means over the repeats, with the intervals of the
    /// medians (see `Matched::figures`).
    pub old: Estimate,
    pub new: Estimate,
    /// new ÷ old, unpaired. Its interval is the one that decides.
    pub ratio: Estimate,
    /// By how much a figure like it scatters from run to run, 0.02 being 2 %, as one standard deviation;
    /// absent where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub between_runs: Option<f64>,
    /// The older run is the baseline, the newer one the candidate. Held to all results of the two
    /// runs by this metric, level by level or over all levels.
    pub verdict: Verdict,
    #[serde(flatten)]
    pub strength: Strength,
}

family::pairwise_comparison!(RunResult: test, target);

/// Holds what both runs measured against each other, target by target. Where earlier runs tell how much
/// runs of the same differ, a difference has to be more than that.
pub fn compare_runs(old: &Dataset, new: &Dataset, earlier: &EarlierRuns) -> RunComparison {
    let (old_side, new_side) = (Side::for_dataset(old), Side::for_dataset(new));
    let mut levels = Vec::new();
    let mut overall = Vec::new();
    let (mut tests, mut unmatched) = (Vec::new(), Vec::new());
    let mut earlier_runs = 0;
    for pair in pairs(&old_side, &new_side, earlier) {
        unmatched.extend(pair.unmatched(pair.metrics().first().copied()));
        let Some(basis) = pair.basis else { continue };
        let deciding = deciding(pair.new, basis);
        let (mut lasting, mut assumed) = (Vec::new(), None);
        for metric in pair.metrics() {
            let results = pair.results(metric);
            if metric == deciding {
                lasting.extend(results.iter().filter_map(TargetRuns::lasting));
                assumed = lasting.is_empty().then(|| taken_for_granted(&results)).flatten();
            }
            earlier_runs = earlier_runs.max(most_earlier(&results));
            overall.extend(results.iter().filter_map(|r| compared(r.over_levels()?, new)));
            levels.extend(
                results.into_iter().flat_map(|r| r.levels).filter_map(|m| compared(m, new)),
            );
        }
        let (test, is_same) = (pair.old.name.clone(), pair.is_same());
        tests.push(TestRuns {
            test,
            basis,
            is_same,
            floors: pair.floors,
            lasting,
            independence_assumed: assumed,
            results: Vec::new(),
        });
    }
    let mut levels = family::adjust_for_multiplicity(&new.study, levels);
    let mut overall = family::adjust_for_multiplicity(&new.study, overall);
    // Repeats make no run more like another.
    for result in levels.iter_mut().chain(&mut overall).filter(|one| one.between_runs.is_some()) {
        result.strength.further_repeats = None;
    }
    for test in &mut tests {
        let own = levels.iter().chain(&overall).filter(|result| result.test == test.test);
        test.results = own.cloned().collect();
        floor::withdraw_differences(&test.floors, &mut test.results);
        let order = |name: &str| old.study.targets.iter().position(|target| target.name == name);
        // Stable: by level, then over all of them.
        test.results.sort_by_key(|result| (order(&result.target), result.metric));
    }
    RunComparison {
        conditions: extended::changes(
            (&old.run.weighin_version, &old.run.host),
            (&new.run.weighin_version, &new.run.host),
        ),
        servers: server_changes(old, new),
        tests,
        unmatched,
        earlier_runs,
    }
}

/// The most earlier runs that a figure is known of.
fn most_earlier(results: &[TargetRuns]) -> usize {
    let levels = results.iter().flat_map(|target| &target.levels);
    levels.filter_map(|level| Some(level.between?.runs)).max().unwrap_or(0)
}

fn compared(matched: Matched, new: &Dataset) -> Option<Compared<RunResult>> {
    model::deadline::look();
    let confidence = new.study.confidence;
    let ratio = matched.new.ratio(&matched.old)?.between_runs(matched.between.as_ref());
    let (old, new) = matched.figures(ratio.point, confidence)?;
    let between_runs = matched.relative_scatter();
    let of = RunResult {
        old,
        new,
        test: matched.test,
        target: matched.target,
        level: matched.level,
        some_levels: matched.some_levels,
        metric: matched.metric,
        ratio: ratio.bare(),
        between_runs,
        verdict: Verdict::Unresolved,
        strength: Strength::default(),
    };
    Some(Compared { of, ratio })
}

/// A run with its trials checked.
struct Side<'a> {
    run: CheckedRun<'a>,
}

impl<'a> Side<'a> {
    fn for_dataset(dataset: &'a Dataset) -> Self {
        Self { run: CheckedRun::from_dataset(dataset, Metric::ALL, &ReadLimit::NONE.budget()) }
    }

    fn cells(&self, test: &'a Test, basis: Option<&Basis>) -> Cells<'_> {
        collect(&self.run, &self.run.dataset.study.targets, test, basis, None)
    }

    fn floors(&self, test: &'a Test, basis: Option<Basis>, cells: &Cells) -> Vec<NoiseFloor> {
        if test.bound().is_some() {
            return Vec::new();
        }
        let study = &self.run.dataset.study;
        let control = study.aa_control.as_slice();
        let again = collect(&self.run, control, test, basis.as_ref(), None);
        floor::floors(study, test, basis, (cells, &again))
    }
}

/// A test that both runs have.
struct Pair<'a> {
    old: &'a Test,
    new: &'a Test,
    /// Where both are judged by the same figure.
    basis: Option<Basis>,
    old_cells: Cells<'a>,
    new_cells: Cells<'a>,
    /// As [`TestRuns::floors`].
    floors: Vec<NoiseFloor>,
    study: &'a str,
    earlier: &'a EarlierRuns,
}

/// One figure of a cell, or of a target, in both runs; no block of the one is one of the other.
pub(crate) struct Matched {
    test: String,
    target: String,
    level: Option<Level>,
    /// As [`RunResult::some_levels`].
    some_levels: Option<Vec<Level>>,
    metric: Metric,
    old: Series,
    new: Series,
    /// Whether a larger share of the newer run's trials failed or are void.
    loses_more: bool,
    /// How much it differs from run to run, as far as that is known.
    between: Option<BetweenRuns>,
}

impl Matched {
    /// As [`RunResult::between_runs`].
    fn relative_scatter(&self) -> Option<f64> {
        Some(self.between?.deviation.exp_m1())
    }

    /// The figures that their ratio is of, with their intervals: these are of Student's t around the
    /// mean of logarithms, and hold it as they hold the median.
    fn figures(&self, ratio: f64, confidence: f64) -> Option<(Estimate, Estimate)> {
        let means = self.new.means(&self.old, ratio);
        let old = self.old.estimate(confidence)?.about(means.baseline);
        Some((old, self.new.estimate(confidence)?.about(means.candidate)))
    }
}

/// One figure of a target at all levels that both runs have of it.
struct TargetRuns {
    levels: Vec<Matched>,
    /// How much its mean over all of these differs from run to run.
    between: Option<BetweenRuns>,
}

/// That their repeats are independent, where those of the target with the most do not show it.
fn taken_for_granted(results: &[TargetRuns]) -> Option<IndependenceAssumed> {
    let levels = results.iter().map(|one| one.levels.len()).max()?;
    let all = results.iter().flat_map(|one| &one.levels);
    let repeats = all.map(|one| one.old.repeats().count().min(one.new.repeats().count())).max()?;
    (repeats > 1 && !Lasting::shows(levels, repeats))
        .then_some(IndependenceAssumed { levels, repeats })
}

impl TargetRuns {
    /// What lasts in its figures, where that is likely.
    fn lasting(&self) -> Option<LastingTarget> {
        let longest = self.levels.iter().max_by_key(|one| one.old.repeats().count())?;
        let noise = longest.new.lasting(&longest.old, longest.old.repeats().count())?;
        (noise.likely >= LIKELY).then(|| LastingTarget {
            target: longest.target.clone(),
            likely: noise.likely,
            autocorrelation: noise.autocorrelation,
            widening: noise.widening,
        })
    }

    /// Tells all levels how far the noise of each run lasts.
    fn learn_persistence(&mut self) {
        let old = persistence(self.levels.iter().map(|one| &one.old)).map(Arc::new);
        let new = persistence(self.levels.iter().map(|one| &one.new)).map(Arc::new);
        for one in &mut self.levels {
            one.old.lasts_as(old.as_ref());
            one.new.lasts_as(new.as_ref());
        }
    }

    /// The geometric means over these levels; `None` for fewer than two.
    fn over_levels(&self) -> Option<Matched> {
        let first = self.levels.first()?;
        let pairs: Vec<(&Series, &Series)> =
            self.levels.iter().map(|matched| (&matched.old, &matched.new)).collect();
        let mut pooled = pool(&pairs, MIN_LEVELS)?;
        let of_means = |series: fn(&Matched) -> &Series| {
            let kept = pooled.kept.iter().map(|&index| series(&self.levels[index]));
            Some(Arc::new(persistence(kept)?.of_means()))
        };
        let (old, new) = (of_means(|one| &one.old), of_means(|one| &one.new));
        pooled.base.lasts_as(old.as_ref());
        pooled.candidate.lasts_as(new.as_ref());
        let of_kept = || pooled.kept.iter().filter_map(|&index| self.levels[index].level).collect();
        let are_some = pooled.kept.len() < self.levels.len();
        Some(Matched {
            test: first.test.clone(),
            target: first.target.clone(),
            level: None,
            some_levels: are_some.then(of_kept),
            metric: first.metric,
            old: pooled.base,
            new: pooled.candidate,
            loses_more: self.levels.iter().any(|level| level.loses_more),
            // Means over fewer levels scatter more; as much as a level at most.
            between: if are_some { first.between } else { self.between },
        })
    }
}

fn pairs<'a>(
    old: &'a Side<'_>,
    new: &'a Side<'_>,
    earlier: &'a EarlierRuns,
) -> impl Iterator<Item = Pair<'a>> {
    let study = new.run.dataset.study.name.as_str();
    old.run.dataset.study.tests.iter().filter_map(move |test| {
        let other = new.run.dataset.study.test(&test.name)?;
        let bases = [
            Basis::for_test(None, test, old.run.records(&test.name)),
            Basis::for_test(None, other, new.run.records(&other.name)),
        ];
        let old_cells = old.cells(test, bases[0].as_ref());
        let new_cells = new.cells(other, bases[1].as_ref());
        let floors = floor::highest(
            old.floors(test, bases[0], &old_cells),
            new.floors(other, bases[1], &new_cells),
        );
        let basis = bases[0].zip(bases[1]).filter(|(old, new)| old.metric == new.metric);
        let basis = basis.map(|(_, new)| new);
        Some(Pair { old: test, new: other, basis, old_cells, new_cells, floors, study, earlier })
    })
}

impl Pair<'_> {
    fn is_same(&self) -> bool {
        self.old.without_levels() == self.new.without_levels()
    }

    fn metrics(&self) -> Vec<Metric> {
        self.basis.map_or(Vec::new(), |basis| compared_metrics(self.new, basis))
    }

    /// Every target with what both runs have of it.
    fn results(&self, metric: Metric) -> Vec<TargetRuns> {
        let mut all: Vec<Matched> = Vec::new();
        for cell in self.old_cells.iter() {
            let Some(other) = self.new_cells.at(cell.target, cell.level) else { continue };
            let (old, new) =
                (figure(self.old, cell, metric), figure(self.new, other, metric).apart());
            if old.is_empty() || new.is_empty() {
                continue;
            }
            let (test, target) = (self.old.name.clone(), cell.target.to_owned());
            let (level, loses_more) = (Some(cell.level), other.share_lost() > cell.share_lost());
            let (some_levels, between) = (None, None);
            all.push(Matched {
                test,
                target,
                level,
                some_levels,
                metric,
                old,
                new,
                loses_more,
                between,
            });
        }
        let single: Vec<Figure> =
            all.iter().map(|one| (one.target.as_str(), Vec::from_iter(one.level))).collect();
        let between = self.earlier.scatter(self.study, self.new, metric, &single);
        // Target by target, which follow one another.
        let mut places: Vec<usize> = Vec::with_capacity(all.len());
        for (place, one) in all.iter().enumerate() {
            let before = place.checked_sub(1).filter(|&before| all[before].target == one.target);
            places.push(before.map_or(place, |before| places[before]));
        }
        let both: Vec<(usize, &Series)> = all
            .iter()
            .zip(&places)
            .flat_map(|(one, &place)| [(place, &one.old), (place, &one.new)])
            .collect();
        let kin = Arc::new(Kin::from_series(&both, std::iter::empty(), 1.0));
        let mut targets: Vec<TargetRuns> = Vec::new();
        for (mut matched, place) in all.into_iter().zip(places) {
            matched.old.belongs_to(&kin, place);
            matched.new.belongs_to(&kin, place);
            matched.between = between;
            match targets.last_mut() {
                Some(last) if last.levels[0].target == matched.target => last.levels.push(matched),
                _ => targets.push(TargetRuns { levels: vec![matched], between: None }),
            }
        }
        let whole =
            |target: &TargetRuns| target.levels.iter().filter_map(|one| one.level).collect();
        let means: Vec<Figure> =
            targets.iter().map(|t| (t.levels[0].target.as_str(), whole(t))).collect();
        let between = self.earlier.scatter(self.study, self.new, metric, &means);
        for target in &mut targets {
            target.between = between;
            target.learn_persistence();
        }
        targets
    }

    /// The cells of which only one of the runs has that figure. A level that falls behind its rate
    /// has a throughput and no latency, so one figure does not stand for another.
    fn unmatched(&self, metric: Option<Metric>) -> Vec<Unmatched> {
        let has = |test: &Test, cell: &CellData| {
            metric.is_some_and(|metric| !figure(test, cell, metric).is_empty())
        };
        let lacking = |here: &Cells<'_>, there: &Cells<'_>, is_new| -> Vec<Unmatched> {
            let (own, others) = if is_new { (self.new, self.old) } else { (self.old, self.new) };
            let missing = |cell: &&CellData| {
                there.at(cell.target, cell.level).is_none_or(|other| !has(others, other))
            };
            let of = |cell: &CellData| Unmatched {
                test: self.old.name.clone(),
                target: cell.target.to_owned(),
                level: cell.level,
                is_new,
            };
            here.iter().filter(|cell| has(own, cell)).filter(missing).map(of).collect()
        };
        let mut all = lacking(&self.old_cells, &self.new_cells, false);
        all.extend(lacking(&self.new_cells, &self.old_cells, true));
        all
    }
}

/// What is compared: the metric that decides, p95 and what an operation takes, or the answers of searches.
fn compared_metrics(test: &Test, basis: Basis) -> Vec<Metric> {
    match test.bound() {
        Some(_) => vec![Metric::Throughput],
        None => basis.all_compared().collect(),
    }
}

/// The metric that decides a test, level by level; of a search the load that it found.
fn deciding(test: &Test, basis: Basis) -> Metric {
    match test.bound() {
        Some(_) => Metric::Throughput,
        None => basis.at_each_level(),
    }
}

/// One figure of a cell: of a search what it found, and not what its steps measured.
fn figure(test: &Test, cell: &CellData, metric: Metric) -> Series {
    match (test.bound(), test.levels().first()) {
        (Some(_), Some(level)) => search::answers(cell, level.search),
        _ => cell.series(metric).clone(),
    }
}

/// What the servers of targets that both runs have say of themselves, where it differs.
fn server_changes(old: &Dataset, new: &Dataset) -> Vec<ServerChange> {
    let mut changes = Vec::new();
    for target in &old.study.targets {
        let facts = |dataset: &'_ Dataset| -> Option<TargetFacts> {
            dataset.targets.iter().find(|facts| facts.target == target.name).cloned()
        };
        let Some((before, after)) = facts(old).zip(facts(new)) else { continue };
        let (before, after) = (before.server, after.server);
        let mut add = |what: &str, was: &str, is: &str| {
            if was != is {
                let (what, old, new) = (what.to_owned(), was.to_owned(), is.to_owned());
                changes.push(ServerChange { target: target.name.clone(), what, old, new });
            }
        };
        add("version", &before.version, &after.version);
        add(
            "program",
            before.program.as_deref().unwrap_or_default(),
            after.program.as_deref().unwrap_or_default(),
        );
        let names = before.variables.keys().chain(after.variables.keys());
        let names: std::collections::BTreeSet<&String> = names.collect();
        for name in names {
            // The version says it.
            if before.incidental.contains(name)
                || after.incidental.contains(name)
                || name.starts_with("version")
            {
                continue;
            }
            let of = |all: &std::collections::BTreeMap<String, String>| {
                all.get(name).cloned().unwrap_or_default()
            };
            add(name, &of(&before.variables), &of(&after.variables));
        }
    }
    changes
}
