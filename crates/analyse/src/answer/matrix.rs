//! Every target in every test, against the best of each: what the first screen of several tests shows.

use crate::{RankedTarget, SearchAnalysis, TargetCost, TestAnalysis};
use findings::{Amount, SearchOutcome, Verdict};
use model::{Better, Failure, Level, Metric, Study};
use serde::Serialize;
use stats::{Estimate, Relation};

/// A test of the matrix.
#[derive(Clone, Debug, Serialize)]
pub struct MatrixTest {
    pub test: String,
    pub metric: Metric,
    /// Where the study asks what transactions cost, and prices say it: figures are the costs of a million
    /// of them, and `metric` says at which peaks.
    pub by_cost: bool,
    /// One for each target, in the order of the study.
    pub cells: Vec<MatrixCell>,
}

/// How a target does in a test.
#[derive(Clone, Debug, Serialize)]
pub struct MatrixCell {
    pub target: String,
    /// At which level it stands.
    pub level: Option<Level>,
    /// What it achieves, in the unit of the metric, or what a million transactions cost.
    pub figure: Option<Amount>,
    /// That of the cost.
    pub currency: Option<String>,
    /// How many times as good the best is: 1 or more for all but what chance puts before the best.
    pub behind: Option<Amount>,
    pub place: MatrixPlace,
}

/// What that says, or why nothing does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum MatrixPlace {
    /// The best figure. `clear`: every other target is clearly behind.
    Best { clear: bool },
    /// Within the margin of the best.
    Same,
    /// It cannot be told apart from the best.
    Unresolved,
    /// Clearly behind the best.
    Behind,
    /// The order of figures that were measured once each, from 1.
    MeasuredOnce { place: usize },
    /// Of a search: it never missed the bound, so that more is possible than the figure says.
    AtLeast,
    /// Of a search: it met the bound at no load, the least of which is the figure.
    Below,
    /// All trials failed, with the first reason.
    Failed { failure: Failure },
    /// The target does not offer what the test asks for.
    NotOffered { failure: Failure },
    /// Trials count, and none has the figure that decides.
    NoFigure,
    /// No trial counts.
    NoTrial,
    /// What it costs is not known, or there is no price.
    NoCost,
}

/// How a target that is ranked relates to the one with the best figure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AgainstBest {
    /// Its figure ÷ the best one; `None` of the best itself.
    pub(crate) ratio: Option<Estimate>,
    pub(crate) relation: Relation,
}

/// One for each test that is judged.
pub(crate) fn matrix(study: &Study, tests: &[TestAnalysis]) -> Vec<MatrixTest> {
    let of_test = |test: &TestAnalysis| {
        let metric = test.basis?.metric;
        let costs = || test.money.costs.iter();
        let by_cost = study.asks_for_cost() && costs().any(|cost| cost.per_million().is_some());
        if by_cost {
            let cells = study.targets.iter().map(|target| of_cost(test, metric, &target.name));
            let (test, cells) = (test.test.clone(), cells.collect());
            return Some(MatrixTest { test, metric, by_cost, cells });
        }
        let cells = study.targets.iter().filter_map(|target| match &test.search {
            Some(found) => of_search(test, found, &target.name),
            None => Some(of_ranking(test, metric, &target.name)),
        });
        Some(MatrixTest { test: test.test.clone(), metric, by_cost, cells: cells.collect() })
    };
    tests.iter().filter_map(of_test).collect()
}

fn of_ranking(test: &TestAnalysis, metric: Metric, target: &str) -> MatrixCell {
    let ranking = &test.ranking;
    let ranked = || ranking.tiers.iter().flatten();
    let Some(own) = ranked().find(|place| place.target == target) else {
        return MatrixCell {
            target: target.to_owned(),
            level: None,
            figure: None,
            currency: None,
            behind: None,
            place: unranked(test, target),
        };
    };
    let ratio = own.against_best.and_then(|found| found.ratio);
    let once = ranking.measured_once.iter().find(|place| place.target == target);
    MatrixCell {
        target: target.to_owned(),
        level: Some(own.level),
        figure: Some(Amount::from_estimate(&own.figure)),
        currency: None,
        behind: Some(ratio.map_or(Amount::exact(1.0), |ratio| {
            Amount::from_estimate(&match metric.better() {
                Better::More => ratio.reciprocal(),
                Better::Less | Better::Neither => ratio,
            })
        })),
        place: match (once, own.against_best) {
            (Some(once), _) => MatrixPlace::MeasuredOnce { place: once.place },
            (None, Some(found)) if found.ratio.is_some() => against_best(metric, found.relation),
            _ => MatrixPlace::Best { clear: is_clear(own, ranked().count()) },
        },
    }
}

/// What a million transactions cost at the peak of a target, against the cheapest.
fn of_cost(test: &TestAnalysis, metric: Metric, target: &str) -> MatrixCell {
    let costs = || test.money.costs.iter();
    let own = costs().find(|cost| cost.target == target);
    let Some((own, found)) = own.and_then(|own| Some((own, own.against_cheapest?))) else {
        let ranked = of_ranking(test, metric, target);
        let place = if ranked.figure.is_some() { MatrixPlace::NoCost } else { ranked.place };
        return MatrixCell { figure: None, behind: None, place, ..ranked };
    };
    let rivals = || costs().filter(|one| one.currency == own.currency && one.target != target);
    let is_dearer =
        |one: &TargetCost| one.against_cheapest.is_some_and(|a| a.relation == Relation::Larger);
    MatrixCell {
        target: target.to_owned(),
        level: Some(own.level),
        figure: own.per_million(),
        currency: Some(own.currency.clone()),
        behind: Some(found.ratio.unwrap_or(Amount::exact(1.0))),
        place: match (found.ratio, found.relation) {
            _ if own.throughput.n == 1 => {
                let cheaper = |one: &&TargetCost| {
                    one.per_million().zip(own.per_million()).is_some_and(|(a, b)| a.point < b.point)
                };
                MatrixPlace::MeasuredOnce { place: rivals().filter(cheaper).count() + 1 }
            }
            (None, _) => {
                MatrixPlace::Best { clear: rivals().next().is_some() && rivals().all(is_dearer) }
            }
            (_, Relation::Larger) => MatrixPlace::Behind,
            (_, Relation::Equivalent) => MatrixPlace::Same,
            _ => MatrixPlace::Unresolved,
        },
    }
}

fn is_clear(best: &RankedTarget, ranked: usize) -> bool {
    best.worse + 1 == ranked
}

fn against_best(metric: Metric, relation: Relation) -> MatrixPlace {
    match (relation, metric.better()) {
        (Relation::Equivalent, _) => MatrixPlace::Same,
        (Relation::Smaller, Better::More) | (Relation::Larger, Better::Less) => MatrixPlace::Behind,
        _ => MatrixPlace::Unresolved,
    }
}

fn unranked(test: &TestAnalysis, target: &str) -> MatrixPlace {
    let failed = test.ranking.failed.iter().find(|failed| failed.target == target);
    match failed.map(|failed| failed.failure.clone()) {
        Some(failure) if failure.is_not_offered() => MatrixPlace::NotOffered { failure },
        Some(failure) => MatrixPlace::Failed { failure },
        None if has_trial_that_counts(test, target) => MatrixPlace::NoFigure,
        None => MatrixPlace::NoTrial,
    }
}

fn has_trial_that_counts(test: &TestAnalysis, target: &str) -> bool {
    let mut own = test.cells.iter().filter(|cell| cell.target == target);
    own.any(|cell| !cell.estimates.is_empty())
}

/// `None` of a target that was not put to the test.
fn of_search(test: &TestAnalysis, found: &SearchAnalysis, target: &str) -> Option<MatrixCell> {
    let own = found.targets.iter().find(|one| one.target == target)?;
    let best = found.tiers.iter().flatten().next().map(|best| best.target.as_str());
    let ratio = best.filter(|best| *best != target).and_then(|best| {
        let pair = |a: &str, b: &str| {
            let mut all = found.comparisons.iter();
            all.find(|one| one.baseline == a && one.candidate == b)
        };
        let as_candidate = pair(best, target).map(|one| (one.ratio.reciprocal(), one.verdict));
        as_candidate.or_else(|| pair(target, best).map(|one| (one.ratio, one.verdict)))
    });
    let level = test.cells.iter().find(|cell| cell.target == target).map(|cell| cell.level);
    let (figure, place) = match own.outcome {
        SearchOutcome::Found { load, .. } => {
            let place = match ratio {
                None if best == Some(target) => MatrixPlace::Best {
                    clear: found.leaders() == [target] && found.targets.len() > 1,
                },
                Some((_, Verdict::Equivalent)) => MatrixPlace::Same,
                Some((_, Verdict::BaselineBetter | Verdict::CandidateBetter)) => {
                    MatrixPlace::Behind
                }
                Some((_, Verdict::Unresolved)) | None => MatrixPlace::Unresolved,
            };
            (Some(Amount::from_estimate(&load)), place)
        }
        SearchOutcome::AtLeast { load } => (Some(Amount::exact(load)), MatrixPlace::AtLeast),
        SearchOutcome::Below { load } => (Some(Amount::exact(load)), MatrixPlace::Below),
        SearchOutcome::Disturbed { .. } | SearchOutcome::Unknown => (None, unranked(test, target)),
    };
    let behind = match (&place, ratio) {
        (MatrixPlace::Best { .. }, _) => Some(Amount::exact(1.0)),
        (_, Some((ratio, _))) => Some(Amount::from_estimate(&ratio)),
        _ => None,
    };
    Some(MatrixCell { target: target.to_owned(), level, figure, currency: None, behind, place })
}
