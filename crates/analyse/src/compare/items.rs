//! Transactions and statements by name, target against target: which of them decides.

use crate::cell::items::{Item, ItemKind, ItemMetric, Items};
use crate::cell::means::Means;
use crate::compare::family::{Compared, adjust_for_multiplicity, pairwise_comparison};
use crate::study::each_pair;
use crate::{Comparison, Metric, Strength};
use findings::{Decides, Finding, ItemName, Subject, Verdict};
use model::{LatencyFigure, Level, Study, Test};
use serde::Serialize;
use stats::Estimate;

/// Two targets at one level in the latency of one transaction or statement.
#[derive(Clone, Debug, Serialize)]
pub struct ItemComparison {
    pub of: ItemKind,
    pub name: String,
    /// The target in the denominator; always the earlier one in the study.
    pub baseline: String,
    /// The target in the numerator.
    pub candidate: String,
    pub level: Level,
    pub metric: Metric,
    /// The baseline's figure.
    pub base: Estimate,
    /// The figures that the ratio is of.
    pub means: Means,
    /// candidate ÷ baseline, as of [`Comparison::ratio`].
    pub ratio: Estimate,
    /// What follows, given all names of the test by this metric.
    pub verdict: Verdict,
    #[serde(flatten)]
    pub strength: Strength,
}

pairwise_comparison!(ItemComparison: baseline, candidate);

/// By what names are compared.
const COMPARED: [(Metric, LatencyFigure); 2] =
    [(Metric::LatencyMean, LatencyFigure::Mean), (Metric::LatencyP95, LatencyFigure::P95)];

/// Share of a difference from which on a statement is said to decide it.
const DECIDES: f64 = 0.25;

/// Every pair of targets at every level, name by name. All of a test by one metric are one family.
pub(crate) fn comparisons(study: &Study, test: &Test, all: &[Items]) -> Vec<ItemComparison> {
    let mut compared = Vec::new();
    for (baseline, candidate) in each_pair(study) {
        for &level in test.levels() {
            let Some((base, other)) = pair(all, baseline, candidate, level) else { continue };
            for item in &base.all {
                let Some(partner) = other.get(item.kind, &item.name) else { continue };
                for by in COMPARED {
                    compared.extend(compare(study, (base, item), (other, partner), by));
                }
            }
        }
    }
    adjust_for_multiplicity(study, compared)
}

fn pair<'a>(
    all: &'a [Items],
    baseline: &str,
    candidate: &str,
    level: Level,
) -> Option<(&'a Items, &'a Items)> {
    let of = |target: &str| all.iter().find(|one| one.target == target && one.level == level);
    of(baseline).zip(of(candidate))
}

fn compare(
    study: &Study,
    (base_cell, base): (&Items, &Item),
    (other_cell, other): (&Items, &Item),
    (metric, figure): (Metric, LatencyFigure),
) -> Option<Compared<ItemComparison>> {
    let figure = ItemMetric::Latency(figure);
    let (base_series, series) = base.series(figure).zip(other.series(figure))?;
    let ratio = series.ratio(base_series)?;
    let of = ItemComparison {
        of: base.kind,
        name: base.name.clone(),
        baseline: base_cell.target.clone(),
        candidate: other_cell.target.clone(),
        level: base_cell.level,
        metric,
        base: base_series.estimate(study.confidence)?,
        means: series.means(base_series, ratio.point),
        ratio: ratio.bare(),
        verdict: Verdict::Unresolved,
        strength: Strength::default(),
    };
    Some(Compared { of, ratio })
}

/// For each pair of targets that differ at a level, which name decides that.
pub(crate) fn findings(
    test: &Test,
    all: &[Items],
    items: &[ItemComparison],
    comparisons: &[Comparison],
) -> Vec<Finding> {
    let metric = test.deciding_metric();
    let differ = comparisons.iter().filter(|one| {
        Some(one.metric) == metric
            && matches!(one.verdict, Verdict::CandidateBetter | Verdict::BaselineBetter)
    });
    let finding = |comparison: &Comparison| {
        let decides = decides(all, items, comparison)?;
        let subject = Subject::test(&test.name).at(comparison.level);
        Some(Finding::new(subject, decides))
    };
    differ.filter_map(finding).collect()
}

fn decides(all: &[Items], items: &[ItemComparison], comparison: &Comparison) -> Option<Decides> {
    let Comparison { baseline, candidate, level, .. } = comparison;
    let (base, other) = pair(all, baseline, candidate, *level)?;
    let candidate_wins = comparison.verdict == Verdict::CandidateBetter;
    let (winner, loser) = if candidate_wins { (other, base) } else { (base, other) };
    // With one statement there is nothing to tell apart; transactions say it of several scripts.
    let kind = match kind_count(base, ItemKind::Statement) {
        0 | 1 => ItemKind::Transaction,
        _ => ItemKind::Statement,
    };
    if kind_count(base, kind) < 2 {
        return None;
    }
    let time = |items: &Items, name: &str| {
        let series = items.get(kind, name)?.series(ItemMetric::Time)?;
        let values: Vec<f64> = series.values().collect();
        Some(values.iter().sum::<f64>() / values.len() as f64)
    };
    let names = base.all.iter().filter(|item| item.kind == kind).map(|item| item.name.as_str());
    let gains: Vec<(&str, f64)> =
        names.filter_map(|name| Some((name, time(loser, name)? - time(winner, name)?))).collect();
    let whole: f64 = gains.iter().map(|(_, gain)| gain).sum();
    let judged = |name: &str| {
        items.iter().find(|item| {
            item.of == kind
                && item.name == name
                && item.metric == Metric::LatencyMean
                && item.level == *level
                && item.baseline == *baseline
                && item.candidate == *candidate
        })
    };
    let (most, gain) = gains.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let share = gain / whole;
    let own = judged(most)?;
    if whole <= 0.0 || share < DECIDES || own.verdict != comparison.verdict {
        return None;
    }
    let against = match comparison.verdict {
        Verdict::CandidateBetter => Verdict::BaselineBetter,
        _ => Verdict::CandidateBetter,
    };
    let slower =
        gains.iter().filter(|(name, _)| judged(name).is_some_and(|j| j.verdict == against));
    let ratio = if candidate_wins { comparison.ratio } else { comparison.ratio.reciprocal() };
    let item = if candidate_wins { own.ratio.reciprocal() } else { own.ratio };
    Some(Decides {
        winner: winner.target.clone(),
        loser: loser.target.clone(),
        ratio,
        item: match kind {
            ItemKind::Transaction => ItemName::Transaction((*most).to_owned()),
            ItemKind::Statement => ItemName::Statement((*most).to_owned()),
        },
        share: share.min(1.0),
        item_ratio: item,
        slower: slower.map(|(name, _)| (*name).to_owned()).collect(),
    })
}

fn kind_count(items: &Items, kind: ItemKind) -> usize {
    items.all.iter().filter(|item| item.kind == kind).count()
}
