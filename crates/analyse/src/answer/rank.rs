//! Which target is best: at its own peak of throughput, or by a time that all have at one level.

use crate::answer::money::TestMoney;
use crate::cell::series::Series;
use crate::cell::{CellData, Cells};
use crate::compare::peer::{Contender, PeerComparison};
use crate::curve::CurveData;
use crate::{Basis, Comparison, Metric};
use findings::NoiseFloor;
use model::{Better, Failure, Level, Study, Test};
use serde::Serialize;
use stats::{Estimate, Relation};
use std::collections::HashSet;

/// Targets in tiers; those in one tier could not all be told apart.
///
/// Being told apart is not transitive (A may equal B and B equal C although A is above C), so a
/// tier ends only where *every* target above is clearly better than *every* target below: each
/// boundary between tiers is a claim that the data supports for all pairs across it, and a tie
/// claims nothing. Within a tier targets stand by how many are clearly better, then in order of their
/// figures.
///
/// Those that equally many are clearly better than share a place; a place is one more than the number
/// of targets at the places before it (1, 2, 2, 4).
///
/// By throughput, each target stands at its peak. By a time, all stand at one level: the load that the study
/// asks about where it was measured, else the one at which the most targets have data, of several the highest.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Ranking {
    /// Best tier first. Targets without an estimate are not in it.
    pub tiers: Vec<Vec<RankedTarget>>,
    /// Whether those in the first place are the same when all tests of the study are held together,
    /// so that first places may be added up.
    pub first_holds_over_tests: bool,
    /// Targets that could not be ranked because all their trials failed, are void or are missing.
    pub unranked: Vec<String>,
    /// Those of them whose trials all failed, with the first reason: they come last.
    pub failed: Vec<FailedTarget>,
    /// Where nothing was repeated, here or by others, nothing is told apart, and this is the order of
    /// the figures. Empty otherwise.
    pub measured_once: Vec<OncePlace>,
    /// Whether the first of that order is also first at every other of several levels.
    pub first_at_every_level: bool,
}

/// A target's place in a ranking.
#[derive(Clone, Debug, Serialize)]
pub struct RankedTarget {
    pub target: String,
    /// Where its throughput is highest, or the level at which all are ranked.
    pub level: Level,
    /// The figure that it is ranked by, in the unit of the test's metric.
    pub figure: Estimate,
    /// The same where the test is judged by throughput.
    pub throughput: Option<Estimate>,
    /// Cost of a million transactions at that throughput, and its currency, where it is known; with
    /// its interval in [`TestMoney`].
    pub cost_per_million: Option<(f64, String)>,
    /// Its place, from 1; see [`Ranking`].
    pub place: usize,
    /// How many of the ranked targets are clearly better, and clearly worse. So its true place is from
    /// `better + 1` to the number of targets less `worse`.
    pub better: usize,
    pub worse: usize,
    /// How it relates to the one with the best figure; see [`crate::MatrixCell`].
    #[serde(skip)]
    pub(crate) against_best: Option<AgainstBest>,
}

/// How a target that is ranked relates to the one with the best figure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AgainstBest {
    /// Its figure ÷ the best one; `None` of the best itself.
    pub(crate) ratio: Option<Estimate>,
    pub(crate) relation: Relation,
}

/// A target without an outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedTarget {
    pub target: String,
    /// Why its first trial failed, or that the server does not offer what the test asks for.
    pub failure: Failure,
}

/// A target's place in the order of figures that were measured once each, which is no claim that it is
/// better.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OncePlace {
    /// From 1; equal figures share a place.
    pub place: usize,
    pub target: String,
}

/// A target with what it is ranked by.
struct RankCandidate<'a> {
    target: &'a str,
    level: Level,
    series: Series,
    /// How many levels it may be the luckiest of.
    choices: usize,
    figure: Estimate,
}

/// Sorts targets into tiers; see [`Ranking`] for where a tier ends.
///
/// Who is ahead says [`PeerComparison`]: peaks at the same level are not judged a second time. Every target's
/// peak is the luckiest of its levels. That works against whoever is below; whoever is above must
/// have been the better with all the luck that it may have had (Bonferroni). Thus equal targets are
/// separated no more often than stated also where one scatters far more than the other.
pub(crate) fn ranking(
    study: &Study,
    test: &Test,
    (basis, money, floors): (Option<Basis>, &TestMoney, &[NoiseFloor]),
    comparisons: &[Comparison],
    peaks: &[CurveData],
    cells: &Cells,
) -> Ranking {
    let mut ranking = Ranking::default();
    if let Some(Basis { metric, .. }) = basis {
        let candidates = match metric {
            Metric::Throughput => peaks.iter().map(RankCandidate::at_peak).collect(),
            _ => at_one_level(study, test, metric, cells),
        };
        let ordered = in_order(metric, candidates);
        let race = PeerComparison::new(study, metric, comparisons, floors, ordered.len());
        let told_apart = |together: usize| {
            PairwiseOrder::from_order(&ordered, |upper, lower| {
                race.is_ahead(&upper.contender(), &lower.contender(), together)
            })
        };
        let (alone, tests) = (told_apart(1), study.tests.len());
        ranking.first_holds_over_tests = tests == 1 || alone.first() == told_apart(tests).first();
        let own = |number: usize| ordered[number].contender();
        let place = |number: usize| RankedTarget {
            place: alone.place(number),
            better: alone.better_than(number),
            worse: alone.worse_than(number),
            against_best: Some(AgainstBest {
                ratio: (number > 0).then(|| race.ratio(&own(number), &own(0))).flatten(),
                relation: race.relation(&own(number), &own(0), 1),
            }),
            ..place(money, metric, &ordered[number])
        };
        let tiers = alone.tiers().into_iter();
        ranking.tiers = tiers.map(|tier| tier.into_iter().map(place).collect()).collect();
        ranking.measured_once = measured_once(&ordered);
        ranking.first_at_every_level = !ranking.measured_once.is_empty()
            && first_at_every_level(test, metric, ordered[0].target, cells);
        let ranked: HashSet<&str> = ordered.iter().map(|candidate| candidate.target).collect();
        let unranked = study.targets.iter().filter(|target| !ranked.contains(target.name.as_str()));
        ranking.unranked = unranked.map(|target| target.name.clone()).collect();
    }
    // A target that has no cell was not put to this test, and is no candidate of it.
    ranking.unranked.retain(|name| !cells.for_target(name).is_empty());
    ranking.failed =
        ranking.unranked.iter().filter_map(|name| failed(name, cells.for_target(name))).collect();
    ranking
}

/// Which of several targets, from the best to the worst, are clearly better than which.
pub(crate) struct PairwiseOrder {
    targets: usize,
    /// Of each target, the worse ones, in order of the first.
    better: Vec<bool>,
}

impl PairwiseOrder {
    pub(crate) fn from_order<T>(ordered: &[T], is_better: impl Fn(&T, &T) -> bool) -> Self {
        let targets = ordered.len();
        let pairs = (0..targets).flat_map(|upper| (0..targets).map(move |lower| (upper, lower)));
        let better = pairs
            .map(|(upper, lower)| upper < lower && is_better(&ordered[upper], &ordered[lower]));
        Self { targets, better: better.collect() }
    }

    fn is_better(&self, upper: usize, lower: usize) -> bool {
        self.better[upper * self.targets + lower]
    }

    pub(crate) fn better_than(&self, number: usize) -> usize {
        (0..self.targets).filter(|&upper| self.is_better(upper, number)).count()
    }

    pub(crate) fn worse_than(&self, number: usize) -> usize {
        (0..self.targets).filter(|&lower| self.is_better(number, lower)).count()
    }

    /// The place of a target, from 1; see [`Ranking`].
    pub(crate) fn place(&self, number: usize) -> usize {
        let own = self.better_than(number);
        1 + (0..self.targets).filter(|&other| self.better_than(other) < own).count()
    }

    /// Those that none is clearly better than.
    fn first(&self) -> Vec<usize> {
        (0..self.targets).filter(|&number| self.better_than(number) == 0).collect()
    }

    /// Cut into tiers: a tier ends where every one above is clearly better than every one below.
    /// Within a tier those come first that fewest are clearly better than.
    pub(crate) fn tiers(&self) -> Vec<Vec<usize>> {
        let mut tiers: Vec<Vec<usize>> = Vec::new();
        // The place of the last one that anybody so far is not clearly better than.
        let mut tied_until = 0;
        for one in 0..self.targets {
            match tiers.last_mut() {
                Some(tier) if one <= tied_until => tier.push(one),
                _ => tiers.push(vec![one]),
            }
            let mut beyond = one.max(tied_until) + 1..self.targets;
            tied_until = beyond.rfind(|&lower| !self.is_better(one, lower)).unwrap_or(tied_until);
        }
        for tier in &mut tiers {
            tier.sort_by_key(|&number| self.better_than(number));
        }
        tiers
    }
}

impl<'a> RankCandidate<'a> {
    fn contender(&self) -> Contender<'_> {
        let Self { target, level, series, choices, .. } = self;
        Contender { target, level: *level, series, choices: *choices }
    }

    fn at_peak(peak: &'a CurveData) -> Self {
        Self {
            target: &peak.curve.target,
            level: peak.curve.peak,
            series: peak.series().clone(),
            choices: peak.curve.level_with_peak.len(),
            figure: peak.curve.peak_throughput,
        }
    }
}

/// All targets at the load that the study asks about, where it was measured; else at the level at which the
/// most of them have this figure, of several such levels the highest: times at different levels cannot be set against each other, and every target
/// looks best where there is least to do.
fn at_one_level<'a>(
    study: &Study,
    test: &Test,
    metric: Metric,
    cells: &[CellData<'a>],
) -> Vec<RankCandidate<'a>> {
    let at = |&level: &Level| -> Vec<RankCandidate<'a>> {
        let cells = cells.iter().filter(|cell| cell.level == level);
        cells
            .filter_map(|cell| {
                let series = cell.series(metric);
                let figure = series.estimate(study.confidence)?;
                let series = series.clone();
                Some(RankCandidate { target: cell.target, level, series, choices: 1, figure })
            })
            .collect()
    };
    let asked = study
        .answer_at
        .and_then(|asked| test.levels().iter().find(|level| asked.load.is_at(**level)).map(at));
    if let Some(asked) = asked.filter(|candidates| !candidates.is_empty()) {
        return asked;
    }
    // Levels ascend, and of equal maxima `max_by_key` takes the last.
    test.levels().iter().map(at).max_by_key(Vec::len).unwrap_or_default()
}

/// Best figure first; of equal ones the earlier in the study.
fn in_order(metric: Metric, mut candidates: Vec<RankCandidate>) -> Vec<RankCandidate> {
    candidates.sort_by(|a, b| {
        let ascending = a.figure.point.total_cmp(&b.figure.point);
        if metric.better() == Better::More { ascending.reverse() } else { ascending }
    });
    candidates
}

fn place(money: &TestMoney, metric: Metric, candidate: &RankCandidate) -> RankedTarget {
    let cost = money.costs.iter().find(|cost| cost.target == candidate.target);
    RankedTarget {
        target: candidate.target.to_owned(),
        level: candidate.level,
        figure: candidate.figure,
        throughput: (metric == Metric::Throughput).then_some(candidate.figure),
        cost_per_million: cost
            .and_then(|cost| Some((cost.per_million()?.point, cost.currency.clone()))),
        place: 0,
        better: 0,
        worse: 0,
        against_best: None,
    }
}

/// The order of the figures, where there are several and none has been repeated.
fn measured_once(ordered: &[RankCandidate]) -> Vec<OncePlace> {
    if ordered.len() < 2 || ordered.iter().any(|candidate| candidate.figure.n > 1) {
        return Vec::new();
    }
    let place = |figure: f64| ordered.iter().take_while(|c| c.figure.point != figure).count() + 1;
    ordered
        .iter()
        .map(|candidate| OncePlace {
            place: place(candidate.figure.point),
            target: candidate.target.to_owned(),
        })
        .collect()
}

/// Whether the figures of a target are better than those of every other at each of at least two
/// levels.
fn first_at_every_level(test: &Test, metric: Metric, first: &str, cells: &[CellData]) -> bool {
    let at = |level: Level, wanted: &dyn Fn(&str) -> bool| -> Vec<f64> {
        let cells = cells.iter().filter(|cell| cell.level == level && wanted(cell.target));
        cells.filter_map(|cell| cell.series(metric).at(1)).collect()
    };
    let leads = |&level: &Level| {
        let others = at(level, &|name| name != first);
        let better = |own: f64| {
            others.iter().all(|&other| match metric.better() {
                Better::More => own > other,
                Better::Less => own < other,
                Better::Neither => false,
            })
        };
        !others.is_empty()
            && at(level, &|name| name == first).into_iter().next().is_some_and(better)
    };
    test.levels().len() > 1 && test.levels().iter().all(leads)
}

fn failed(target: &str, own: &[CellData]) -> Option<FailedTarget> {
    let records = || own.iter().flat_map(CellData::records);
    let all = records().all(|record| record.failure().is_some());
    let failure = records().find_map(|record| record.failure()).filter(|_| all)?.clone();
    Some(FailedTarget { target: target.to_owned(), failure })
}
