//! Targets against each other, level by level.

use crate::cell::CellData;
use crate::{Comparison, Evidence, Finding, Metric, Severity, Subject, Verdict};
use model::{Level, Study, Test};
use stats::{Estimate, Relation};

/// Every pair of targets, at every level where both have data, in the order of the study.
pub(crate) fn comparisons(study: &Study, test: &Test, cells: &[CellData]) -> Vec<Comparison> {
    let cell = |target: &str, level| {
        cells.iter().find(|cell| cell.target == target && cell.level == level)
    };
    let mut comparisons = Vec::new();
    for (baseline, candidate) in pairs(study) {
        for &level in &test.levels {
            let Some(both) = cell(baseline, level).zip(cell(candidate, level)) else { continue };
            for metric in [Metric::Throughput, Metric::LatencyP95] {
                comparisons.extend(compare(study, both, metric));
            }
        }
    }
    comparisons
}

fn compare(
    study: &Study,
    (baseline, candidate): (&CellData, &CellData),
    metric: Metric,
) -> Option<Comparison> {
    let base = baseline.series(metric.into());
    let ratio = candidate.series(metric.into()).ratio_to(&base, study.confidence)?;
    Some(Comparison {
        baseline: baseline.target.to_owned(),
        candidate: candidate.target.to_owned(),
        level: baseline.level,
        metric,
        base: base.estimate(study.confidence)?,
        ratio,
        verdict: verdict(metric, &ratio, study.margin),
    })
}

fn verdict(metric: Metric, ratio: &Estimate, margin: f64) -> Verdict {
    match (metric, ratio.relation(margin)) {
        (_, Relation::Equivalent) => Verdict::Equivalent,
        (_, Relation::Unresolved) => Verdict::Unresolved,
        (Metric::Throughput, Relation::Larger) | (Metric::LatencyP95, Relation::Smaller) => {
            Verdict::CandidateBetter
        }
        (Metric::Throughput, Relation::Smaller) | (Metric::LatencyP95, Relation::Larger) => {
            Verdict::BaselineBetter
        }
    }
}

/// Pairs of names of targets, the earlier one in the study first.
fn pairs(study: &Study) -> impl Iterator<Item = (&str, &str)> {
    study.targets.iter().enumerate().flat_map(|(i, baseline)| {
        study.targets[i + 1..]
            .iter()
            .map(|candidate| (baseline.name.as_str(), candidate.name.as_str()))
    })
}

/// Verdicts on throughput, one finding for each stretch of neighbouring levels with the same
/// verdict. A level without data ends a stretch.
pub(crate) fn findings(study: &Study, test: &Test, comparisons: &[Comparison]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (baseline, candidate) in pairs(study) {
        let at = |level: &Level| {
            comparisons.iter().find(|comparison| {
                comparison.baseline == baseline
                    && comparison.candidate == candidate
                    && comparison.level == *level
                    && comparison.metric == Metric::Throughput
            })
        };
        let by_level: Vec<Option<&Comparison>> = test.levels.iter().map(at).collect();
        let same = |a: &Option<&Comparison>, b: &Option<&Comparison>| {
            a.map(|comparison| comparison.verdict) == b.map(|comparison| comparison.verdict)
        };
        for stretch in by_level.chunk_by(same) {
            let stretch: Vec<&Comparison> = stretch.iter().copied().flatten().collect();
            if let Some(evidence) = evidence(&stretch, study.margin) {
                let subject = Subject { test: Some(test.name.clone()), ..Subject::default() };
                findings.push(Finding { severity: Severity::Notice, subject, evidence });
            }
        }
    }
    findings
}

/// What comparisons of one pair with one verdict say together; `None` for no comparisons.
fn evidence(stretch: &[&Comparison], margin: f64) -> Option<Evidence> {
    let (first, last) = (stretch.first()?, stretch.last()?);
    let (from, to) = (first.level, last.level);
    let (baseline, candidate) = (first.baseline.clone(), first.candidate.clone());
    Some(match first.verdict {
        Verdict::Unresolved => Evidence::Unresolved { a: baseline, b: candidate, from, to },
        Verdict::Equivalent => Evidence::Equivalent { a: baseline, b: candidate, from, to, margin },
        Verdict::CandidateBetter => Evidence::Better {
            ratios: extremes(stretch.iter().map(|comparison| comparison.ratio))?,
            winner: candidate,
            loser: baseline,
            from,
            to,
        },
        Verdict::BaselineBetter => Evidence::Better {
            ratios: extremes(stretch.iter().map(|comparison| comparison.ratio.reciprocal()))?,
            winner: baseline,
            loser: candidate,
            from,
            to,
        },
    })
}

/// The estimates with the smallest and the largest point.
fn extremes(ratios: impl Iterator<Item = Estimate> + Clone) -> Option<(Estimate, Estimate)> {
    let by_point = |a: &Estimate, b: &Estimate| a.point.total_cmp(&b.point);
    Some((ratios.clone().min_by(by_point)?, ratios.max_by(by_point)?))
}
