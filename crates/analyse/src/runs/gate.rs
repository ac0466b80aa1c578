//! Whether a run is worse than a baseline by more than is allowed.

use super::{
    EarlierRuns, Matched, Pair, Side, TargetRuns, Unmatched, deciding, figure, most_earlier, pairs,
};
use crate::compare::floor;
use crate::{Basis, Metric};
use findings::NoiseFloor;
use model::{Better, Dataset, Level};
use serde::Serialize;
use stats::{Estimate, Interval, Ratio, holm};

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GateQuestion {
    /// How much worse a figure may become, relative to what it was: 0.05 allows throughput to fall,
    /// and times to grow, by 5 %. In (0, 1).
    pub max_regression: f64,
    /// The metric to hold; the one that decides each test where absent.
    pub metric: Option<Metric>,
    /// Hold each level by itself. Otherwise all levels of a target are held together, and a single one
    /// counts only where it is surely worse: what others make up for is a loss where it happens.
    pub each_level: bool,
}

/// What became of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GateOutcome {
    /// The interval excludes a loss beyond the limit.
    NotWorse,
    /// The interval allows a loss beyond the limit, and allows that there is none; or there is a
    /// [`GateReason`].
    NotKnown,
    /// The newer run has no result to compare.
    NoResult,
    /// The whole interval lies beyond the limit.
    Worse,
}

/// Why there is no ratio that decides: further repeats would not tell more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GateReason {
    /// No trial of the newer run counts there, or none has the figure.
    NoTrialCounts,
    /// The newer run lacks the test, or judges it by another figure.
    NoSuchTest,
    /// The test did something else then.
    TestDiffers,
    /// The trials that count are not worse, and more others failed or are void than in the baseline.
    TrialsLost,
    /// A figure is zero, of which no ratio can be taken.
    Zero,
    /// The loss is beyond the limit, and no larger than what one target and its A/A control differ by
    /// in one of the runs.
    NoiseFloor,
}

/// One figure that is held.
#[derive(Clone, Debug, Serialize)]
pub struct GateItem {
    pub test: String,
    pub target: String,
    /// Absent for the geometric mean over levels that both runs have.
    pub level: Option<Level>,
    /// As that of a [`RunResult`](super::RunResult). Those that are not among them are held by
    /// themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub some_levels: Option<Vec<Level>>,
    pub metric: Metric,
    pub old: Option<Estimate>,
    pub new: Option<Estimate>,
    /// new ÷ old, with the interval that decides.
    pub ratio: Option<Estimate>,
    pub outcome: GateOutcome,
    pub reason: Option<GateReason>,
}

impl GateItem {
    /// A figure of which nothing can be said.
    fn without_figures(
        test: String,
        target: String,
        level: Option<Level>,
        metric: Metric,
        outcome: GateOutcome,
        reason: GateReason,
    ) -> Self {
        let (old, new, ratio) = (None, None, None);
        let (some_levels, reason) = (None, Some(reason));
        Self { test, target, level, some_levels, metric, old, new, ratio, outcome, reason }
    }
}

/// The answer.
#[derive(Clone, Debug, Serialize)]
pub struct Gate {
    pub question: GateQuestion,
    pub confidence: f64,
    pub items: Vec<GateItem>,
    /// As that of a [`RunComparison`](super::RunComparison).
    pub earlier_runs: usize,
}

impl Gate {
    /// Of all figures: worse where any is, not worse where all are.
    pub fn outcome(&self) -> GateOutcome {
        self.items.iter().map(|item| item.outcome).max().unwrap_or(GateOutcome::NotKnown)
    }
}

/// Holds the figures of a run to those of a baseline.
///
/// *Worse* is claimed at the confidence of the newer study for all figures together (Holm), each by
/// a test against the limit itself: of all figures that lost no more than is allowed, none is
/// called worse. *Not worse* needs the one-sided interval of each figure at that confidence to
/// exclude a loss beyond the limit; that all figures hold is claimed only where each does, which
/// needs no correction (R. L. Berger, *Technometrics* 24, 1982).
///
/// Where earlier runs tell how much runs of the same differ, a loss has to be more than that.
pub fn gate(old: &Dataset, new: &Dataset, question: GateQuestion, earlier: &EarlierRuns) -> Gate {
    let (old_side, new_side) = (Side::for_dataset(old), Side::for_dataset(new));
    let confidence = new.study.confidence;
    let mut held: Vec<TestedFigure> = Vec::new();
    let mut items: Vec<GateItem> = Vec::new();
    let mut earlier_runs = 0;
    items.extend(without_basis(&old_side, &new_side, question.metric));
    for pair in pairs(&old_side, &new_side, earlier) {
        let Some(basis) = pair.basis else { continue };
        let metric = question.metric.unwrap_or_else(|| deciding(pair.new, basis));
        if metric.better() == Better::Neither {
            continue;
        }
        items.extend(pair.lost(metric));
        if !pair.is_same() {
            items.extend(pair.results(metric).iter().filter_map(changed));
            continue;
        }
        let floor = floor::of_metric(&pair.floors, metric).cloned();
        let results = pair.results(metric);
        earlier_runs = earlier_runs.max(most_earlier(&results));
        for runs in results {
            let over = if question.each_level { None } else { runs.over_levels() };
            let among = over.as_ref().map(|over| over.some_levels.clone());
            // What the mean does not speak for has to hold by itself.
            let only_a_loss = |one: &Matched| match &among {
                None => false,
                Some(None) => true,
                Some(Some(some)) => one.level.is_some_and(|level| some.contains(&level)),
            };
            let levels = runs.levels.into_iter().map(|one| {
                let only_a_loss = only_a_loss(&one);
                (one, only_a_loss)
            });
            for (one, only_a_loss) in over.map(|over| (over, false)).into_iter().chain(levels) {
                match TestedFigure::from_matched(one, question.max_regression, only_a_loss) {
                    Ok(one) => held.push(TestedFigure { floor: floor.clone(), ..one }),
                    Err(one) => items.extend(without_ratio(*one, confidence, only_a_loss)),
                }
            }
        }
    }
    let p_values: Vec<f64> = held.iter().map(|held| held.beyond.p_value().unwrap_or(1.0)).collect();
    let judged = held.into_iter().zip(holm(&p_values));
    items.extend(judged.filter_map(|(held, adjusted)| held.judge(adjusted, confidence)));
    if !question.each_level {
        // Where all levels together are worse, single ones say nothing more.
        let lost: Vec<(String, String)> = items
            .iter()
            .filter(|item| item.level.is_none() && item.outcome == GateOutcome::Worse)
            .map(|item| (item.test.clone(), item.target.clone()))
            .collect();
        let said = |item: &GateItem| {
            let mut lost = lost.iter();
            lost.any(|(test, target)| (test, target) == (&item.test, &item.target))
        };
        items.retain(|item| {
            item.outcome != GateOutcome::Worse || item.level.is_none() || !said(item)
        });
    }
    // Stable: within a test by target, in the order of the baseline.
    let test = |name: &str| old.study.tests.iter().position(|test| test.name == name);
    let target = |name: &str| old.study.targets.iter().position(|target| target.name == name);
    items.sort_by_key(|item| (test(&item.test), target(&item.target)));
    Gate { question, confidence, items, earlier_runs }
}

/// Targets of the baseline with results of a test that the newer run lacks, or judges by another
/// figure. Left out, they would pass as soon as any other test does.
fn without_basis(old: &Side<'_>, new: &Side<'_>, asked: Option<Metric>) -> Vec<GateItem> {
    let none = EarlierRuns::default();
    let has_basis = |name: &str| {
        pairs(old, new, &none).any(|pair| pair.old.name == name && pair.basis.is_some())
    };
    let mut items: Vec<GateItem> = Vec::new();
    for test in old.run.dataset.study.tests.iter().filter(|test| !has_basis(&test.name)) {
        let Some(basis) = Basis::for_test(None, test, old.run.records(&test.name)) else {
            continue;
        };
        let metric = asked.unwrap_or_else(|| deciding(test, basis));
        let cells = old.cells(test, Some(&basis));
        let mut targets: Vec<&str> = cells
            .iter()
            .filter(|cell| !figure(test, cell, metric).is_empty())
            .map(|cell| cell.target)
            .collect();
        targets.dedup();
        items.extend(targets.into_iter().map(|target| {
            let (name, target) = (test.name.clone(), target.to_owned());
            let (outcome, reason) = (GateOutcome::NoResult, GateReason::NoSuchTest);
            GateItem::without_figures(name, target, None, metric, outcome, reason)
        }));
    }
    items
}

/// Of figures that both runs have and that no ratio is of, as where one is zero. What came down to
/// zero is worse than any limit allows; of anything else nothing can be said.
fn without_ratio(matched: Matched, confidence: f64, only_a_loss: bool) -> Option<GateItem> {
    let old = matched.old.estimate(confidence)?;
    let new = matched.new.estimate(confidence)?;
    let outcome = match matched.metric.better() {
        Better::More if new.point == 0.0 && old.point > 0.0 => GateOutcome::Worse,
        Better::More | Better::Less => GateOutcome::NotKnown,
        Better::Neither => return None,
    };
    (outcome == GateOutcome::Worse || !only_a_loss).then_some(GateItem {
        test: matched.test,
        target: matched.target,
        level: matched.level,
        some_levels: matched.some_levels,
        metric: matched.metric,
        old: Some(old),
        new: Some(new),
        ratio: None,
        outcome,
        reason: Some(GateReason::Zero),
    })
}

/// Of a test that did something else: nothing can be said.
fn changed(runs: &TargetRuns) -> Option<GateItem> {
    let first = runs.levels.first()?;
    let (test, target) = (first.test.clone(), first.target.clone());
    let (outcome, reason) = (GateOutcome::NotKnown, GateReason::TestDiffers);
    Some(GateItem::without_figures(test, target, None, first.metric, outcome, reason))
}

impl Pair<'_> {
    /// The cells of the baseline of which the newer run has no result.
    fn lost(&self, metric: Metric) -> Vec<GateItem> {
        let lost = self.unmatched(Some(metric)).into_iter().filter(|cell| !cell.is_new);
        let of = |cell: Unmatched| {
            let Unmatched { test, target, level, .. } = cell;
            let (outcome, reason) = (GateOutcome::NoResult, GateReason::NoTrialCounts);
            GateItem::without_figures(test, target, Some(level), metric, outcome, reason)
        };
        lost.map(of).collect()
    }
}

/// A figure with the tests that it is held by.
struct TestedFigure {
    matched: Matched,
    ratio: Ratio,
    /// The ratio at which the limit is.
    limit: f64,
    /// The newer run against the baseline's figure at the limit.
    beyond: Ratio,
    /// A level of which all together are held: it says something only where it is worse.
    only_a_loss: bool,
    /// What a loss has to clear as well.
    floor: Option<NoiseFloor>,
}

impl TestedFigure {
    /// Gives back figures that no ratio is of.
    fn from_matched(
        matched: Matched,
        max_regression: f64,
        only_a_loss: bool,
    ) -> Result<Self, Box<Matched>> {
        let limit = match matched.metric.better() {
            Better::More => 1.0 - max_regression,
            Better::Less => 1.0 + max_regression,
            Better::Neither => return Err(Box::new(matched)),
        };
        let ratio = matched.new.ratio(&matched.old);
        let beyond = matched.new.ratio(&matched.old.times(limit));
        let Some((ratio, beyond)) = ratio.zip(beyond) else { return Err(Box::new(matched)) };
        let between = matched.between.as_ref();
        let (ratio, beyond) = (ratio.between_runs(between), beyond.between_runs(between));
        Ok(Self { matched, ratio, limit, beyond, only_a_loss, floor: None })
    }

    fn judge(self, adjusted_p: f64, confidence: f64) -> Option<GateItem> {
        let Self { matched, ratio, limit, beyond, only_a_loss, floor } = self;
        let more = matched.metric.better() == Better::More;
        let within =
            |interval: &Interval| if more { interval.low > limit } else { interval.high < limit };
        let beyond_limit =
            |interval: &Interval| if more { interval.high < limit } else { interval.low > limit };
        let one_sided = ratio.equivalence(confidence);
        // As the family has it, around the limit and back.
        let at_limit = beyond.held(adjusted_p, confidence);
        let back = |interval: Interval| Interval {
            low: interval.low * limit,
            high: interval.high * limit,
            ..interval
        };
        let wide = Estimate { interval: at_limit.interval.map(back), ..ratio.bare() };
        let figures = matched.figures(ratio.point, confidence);
        let (ratio, outcome) = match (one_sided.interval, wide.interval) {
            (_, Some(interval)) if beyond_limit(&interval) => (wide, GateOutcome::Worse),
            (Some(interval), _) if within(&interval) => (one_sided, GateOutcome::NotWorse),
            _ => (wide, GateOutcome::NotKnown),
        };
        let is_hidden = outcome == GateOutcome::Worse
            && floor.is_some_and(|floor| !floor.is_cleared_by(&ratio));
        let (outcome, reason) = match outcome {
            _ if is_hidden => (GateOutcome::NotKnown, Some(GateReason::NoiseFloor)),
            GateOutcome::NotWorse if matched.loses_more => {
                (GateOutcome::NotKnown, Some(GateReason::TrialsLost))
            }
            outcome => (outcome, None),
        };
        (outcome == GateOutcome::Worse || !only_a_loss).then(|| GateItem {
            old: figures.map(|(old, _)| old),
            new: figures.map(|(_, new)| new),
            test: matched.test,
            target: matched.target,
            level: matched.level,
            some_levels: matched.some_levels,
            metric: matched.metric,
            ratio: Some(ratio),
            outcome,
            reason,
        })
    }
}
