//! The highest load under a bound on latency: the answers of a target's searches are a sample.

use crate::Metric;
use crate::answer::rank::PairwiseOrder;
use crate::cell::CellData;
use crate::cell::means::Means;
use crate::cell::series::Series;
use crate::compare::family::judge;
use crate::study::each_pair;
use findings::{Finding, HighestLoad, HighestLoadsCompared, SearchOutcome, Subject, Verdict};
use model::{Bound, SearchAnswer, SearchOver, SearchStep, StepVerdict, Study, Test};
use serde::Serialize;
use stats::{Chance, Estimate, Looks, Ratio, closed_groups};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the searches of a test found.
#[derive(Clone, Debug, Serialize)]
pub struct SearchAnalysis {
    /// What the load must meet.
    #[serde(flatten)]
    pub bound: Bound,
    /// What was searched for: transactions per second, or clients.
    pub over: SearchOver,
    /// One for each target, in the order of the study.
    pub targets: Vec<TargetSearch>,
    /// Every pair of targets both of which have an estimate.
    pub comparisons: Vec<SearchComparison>,
    /// The targets with an estimate, best tier first, as in [`crate::Ranking`].
    pub tiers: Vec<Vec<PlacedSearch>>,
}

/// A target's place by its highest load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlacedSearch {
    pub target: String,
    /// Its place, from 1, as in [`crate::Ranking`].
    pub place: usize,
    /// How many targets have a clearly higher load, and how many a clearly lower one.
    pub better: usize,
    pub worse: usize,
}

/// What the searches on one target found.
#[derive(Clone, Debug, Serialize)]
pub struct TargetSearch {
    pub target: String,
    /// All searches together.
    pub outcome: SearchOutcome,
    /// The searches of the trials that are not void, in order of repeat.
    pub searches: Vec<SearchedTrial>,
}

/// One search.
#[derive(Clone, Debug, Serialize)]
pub struct SearchedTrial {
    pub repeat: u32,
    /// What ran in one block is paired.
    #[serde(skip)]
    block: u32,
    /// Between which loads the answer lies.
    pub answer: SearchAnswer,
    /// What was tried, in order.
    pub steps: Vec<SearchStep>,
}

/// Two targets.
#[derive(Clone, Debug, Serialize)]
pub struct SearchComparison {
    /// The target in the denominator; always the earlier one in the study.
    pub baseline: String,
    /// The target in the numerator.
    pub candidate: String,
    /// The baseline's highest load.
    pub base: Estimate,
    /// The figures that the ratio is of.
    pub means: Means,
    /// candidate ÷ baseline, paired by repeat where there are two pairs.
    pub ratio: Estimate,
    pub verdict: Verdict,
}

/// A target with the answers of its searches.
struct Answers {
    target: String,
    series: Series,
    estimate: Estimate,
}

/// What was found; `None` for a test that does not search.
pub(crate) fn analysis(
    study: &Study,
    test: &Test,
    cells: &[CellData],
    looks: Option<&Arc<Looks>>,
) -> Option<SearchAnalysis> {
    let bound = test.bound()?;
    let over = test.levels().iter().find_map(|level| level.search)?;
    let mut answers: Vec<Answers> = Vec::new();
    let mut targets = Vec::new();
    for cell in cells {
        let searches = searches(cell);
        let mut series = series(&searches, over);
        series.looked_at(looks);
        let outcome = outcome(&searches, &bound, over, series.estimate(study.confidence));
        if let SearchOutcome::Found { load, .. } = outcome {
            answers.push(Answers { target: cell.target.to_owned(), series, estimate: load });
        }
        targets.push(TargetSearch { target: cell.target.to_owned(), outcome, searches });
    }
    let comparisons = comparisons(study, &answers);
    let mut ordered: Vec<&Answers> = answers.iter().collect();
    // Stable: of equal ones the earlier in the study comes first.
    ordered.sort_by(|a, b| b.estimate.point.total_cmp(&a.estimate.point));
    let order =
        PairwiseOrder::from_order(&ordered, |upper, lower| is_above(&comparisons, upper, lower));
    // A target that never missed the bound has no estimate and is above others all the same.
    let placed = |number: usize| {
        let own = SearchOutcome::Found { load: ordered[number].estimate, at_capacity: false };
        let others = || targets.iter().map(|target: &TargetSearch| target.outcome);
        let above = others().filter(|other| other.exceeds(&own)).count();
        PlacedSearch {
            target: ordered[number].target.clone(),
            place: order.place(number) + above,
            better: order.better_than(number) + above,
            worse: order.worse_than(number) + others().filter(|other| own.exceeds(other)).count(),
        }
    };
    let tiers = order.tiers().into_iter();
    let tiers = tiers.map(|tier| tier.into_iter().map(placed).collect()).collect();
    Some(SearchAnalysis { bound, over, targets, comparisons, tiers })
}

fn searches(cell: &CellData) -> Vec<SearchedTrial> {
    let searches = cell.usable_in_blocks().filter_map(|(record, block)| {
        let search = record.search.as_ref().filter(|_| record.outcome().is_some())?;
        let (repeat, steps) = (record.key.repeat, search.steps.clone());
        Some(SearchedTrial { repeat, block, answer: search.answer, steps })
    });
    searches.collect()
}

/// The answers of a cell's searches; none where a search found only a bound.
pub(crate) fn answers(cell: &CellData, over: Option<SearchOver>) -> Series {
    let Some(over) = over else { return Series::unknown() };
    let searches = searches(cell);
    let is_found = |search: &SearchedTrial| search.answer.middle(over).is_some();
    if disturbed(&searches).is_some() {
        return Series::unknown();
    }
    if searches.iter().all(is_found) { series(&searches, over) } else { Series::unknown() }
}

/// The middles of the answers; how far off the least exact may be goes into every interval.
fn series(searches: &[SearchedTrial], over: SearchOver) -> Series {
    let middles = searches.iter().filter_map(|s| Some((s.block, s.answer.middle(over)?)));
    let middles: BTreeMap<u32, (f64, f64)> = middles.collect();
    let rounding = middles.values().map(|(_, off)| *off).fold(0.0, f64::max);
    let values = middles.into_iter().map(|(block, (middle, _))| (block, middle)).collect();
    Series::from_values(values, rounding)
}

/// A search without an upper or lower end is no value of the sample; leaving it out would make the
/// target look worse or better than it is, so one such search leaves only a bound.
fn outcome(
    searches: &[SearchedTrial],
    bound: &Bound,
    over: SearchOver,
    estimate: Option<Estimate>,
) -> SearchOutcome {
    if let Some(disturbed) = disturbed(searches) {
        return disturbed;
    }
    let all_met: Option<Vec<f64>> = searches.iter().map(|search| search.answer.met).collect();
    let all_missed: Option<Vec<f64>> = searches.iter().map(|search| search.answer.missed).collect();
    let lowest = |loads: Vec<f64>| loads.into_iter().min_by(f64::total_cmp);
    let highest = |loads: Vec<f64>| loads.into_iter().max_by(f64::total_cmp);
    match (all_met.and_then(lowest), all_missed.and_then(highest), estimate) {
        (Some(_), Some(_), Some(load)) => {
            let fell_behind = |search: &SearchedTrial| {
                search.answer.step_above(&search.steps).is_some_and(|step| {
                    step.verdict == StepVerdict::FellBehind && step.is_within(bound)
                })
            };
            // Clients are never too many to be achieved.
            let at_capacity = over == SearchOver::Rate && searches.iter().all(fell_behind);
            SearchOutcome::Found { load, at_capacity }
        }
        (Some(load), None, _) => SearchOutcome::AtLeast { load },
        (None, Some(load), _) => SearchOutcome::Below { load },
        _ => SearchOutcome::Unknown,
    }
}

/// What is known where others had the processors at the lowest load that is no answer.
fn disturbed(searches: &[SearchedTrial]) -> Option<SearchOutcome> {
    let ends = searches.iter().filter_map(|search| search.answer.step_above(&search.steps));
    let by_others = ends.filter(|step| step.verdict == StepVerdict::Disturbed);
    let lowest = by_others.min_by(|a, b| a.load.total_cmp(&b.load))?;
    Some(SearchOutcome::Disturbed {
        load: lowest.load,
        others: lowest.cpu_others.unwrap_or_default(),
    })
}

/// Every pair, held to the family of all of them.
fn comparisons(study: &Study, answers: &[Answers]) -> Vec<SearchComparison> {
    let of = |target: &str| answers.iter().find(|one| one.target == target);
    let pairs: Vec<(&Answers, &Answers, Ratio)> = each_pair(study)
        .filter_map(|(baseline, candidate)| {
            let (base, other) = of(baseline).zip(of(candidate))?;
            Some((base, other, other.series.ratio(&base.series)?))
        })
        .collect();
    let of_single = |ratio: &Ratio| ratio.chance().into_iter().collect();
    let chances: Vec<Vec<Chance>> = pairs.iter().map(|(.., ratio)| of_single(ratio)).collect();
    let adjusted = closed_groups(&chances);
    let judged = pairs.into_iter().zip(adjusted).map(|((base, other, ratio), adjusted)| {
        // More load under the bound is better, as more throughput is.
        let metric = Metric::Throughput;
        let (ratio, verdict) = match adjusted.first() {
            Some(&adjusted) => {
                let judged = judge(study, metric, &ratio, adjusted, None);
                (judged.shown, judged.verdict)
            }
            None => (ratio.bare(), Verdict::Unresolved),
        };
        SearchComparison {
            baseline: base.target.clone(),
            candidate: other.target.clone(),
            base: base.estimate,
            means: other.series.means(&base.series, ratio.point),
            ratio,
            verdict,
        }
    });
    judged.collect()
}

/// Whether a comparison says that the first has the clearly higher load.
fn is_above(comparisons: &[SearchComparison], upper: &Answers, lower: &Answers) -> bool {
    comparisons.iter().any(|compared| match compared.verdict {
        Verdict::CandidateBetter => {
            (&compared.candidate, &compared.baseline) == (&upper.target, &lower.target)
        }
        Verdict::BaselineBetter => {
            (&compared.baseline, &compared.candidate) == (&upper.target, &lower.target)
        }
        Verdict::Equivalent | Verdict::Unresolved => false,
    })
}

impl SearchAnalysis {
    /// Whose highest load no other's clearly exceeds, of the targets of which something is known; nobody
    /// where none met the bound. Who never missed it is exceeded by nobody.
    pub fn leaders(&self) -> Vec<&str> {
        let is_met = |target: &TargetSearch| {
            matches!(target.outcome, SearchOutcome::Found { .. } | SearchOutcome::AtLeast { .. })
        };
        if !self.targets.iter().any(is_met) {
            return Vec::new();
        }
        let leads = |target: &&TargetSearch| match target.outcome {
            SearchOutcome::Disturbed { .. } | SearchOutcome::Unknown => false,
            SearchOutcome::AtLeast { .. } => true,
            SearchOutcome::Found { .. } => {
                let mut placed = self.tiers.iter().flatten();
                placed.any(|placed| placed.target == target.target && placed.better == 0)
            }
            below @ SearchOutcome::Below { .. } => {
                !self.targets.iter().any(|other| other.outcome.exceeds(&below))
            }
        };
        self.targets.iter().filter(leads).map(|target| target.target.as_str()).collect()
    }

    /// What was found of each target, and how they compare.
    pub(crate) fn findings(&self, study: &Study, test: &str) -> Vec<Finding> {
        let (bound, over) = (self.bound, self.over);
        let highest = self.targets.iter().map(|found| {
            let highest = HighestLoad { bound, over, outcome: found.outcome };
            Finding::new(Subject::test(test).on(&found.target), highest)
        });
        let compared = self.comparisons.iter().map(|comparison| {
            let compared = HighestLoadsCompared {
                bound,
                over,
                baseline: comparison.baseline.clone(),
                candidate: comparison.candidate.clone(),
                ratio: comparison.ratio,
                verdict: comparison.verdict,
                margin: study.margin,
            };
            Finding::new(Subject::test(test), compared)
        });
        highest.chain(compared).collect()
    }
}
