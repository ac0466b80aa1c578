//! Check 7: whether another tool measured the same.

use crate::cell::CellData;
use crate::{Evidence, Finding, Metric, Severity, Subject};
use model::{Failure, OpinionEnd, OpinionFigures, Study};
use stats::{Estimate, Relation, Sample, paired_ratio};

/// What a second opinion on the trials of a cell says, metric by metric; and its own failures.
pub(crate) fn findings(study: &Study, cell: &CellData<'_>) -> Vec<Finding> {
    let finding = |severity, evidence| Finding {
        severity,
        subject: Subject {
            level: Some(cell.level),
            target: Some(cell.target.to_owned()),
            ..cell.of_test()
        },
        evidence,
    };
    let mut findings: Vec<Finding> = [Metric::Throughput, Metric::LatencyP95]
        .into_iter()
        .filter_map(|metric| compare(study, cell, metric))
        .map(|evidence| finding(severity(&evidence), evidence))
        .collect();
    findings.extend(failed(cell).map(|evidence| finding(Severity::Warning, evidence)));
    findings
}

fn severity(evidence: &Evidence) -> Severity {
    match evidence {
        Evidence::SecondOpinion { agrees: Some(true), .. } => Severity::Passed,
        Evidence::SecondOpinion { agrees: Some(false), .. } => Severity::Warning,
        _ => Severity::Notice,
    }
}

/// Whether a finding says that the other tool measured something else. One of the two is wrong
/// then, and nothing tells which: the trials of the cell are suspect.
pub(crate) fn disagrees(finding: &Finding) -> bool {
    matches!(finding.evidence, Evidence::SecondOpinion { agrees: Some(false), .. })
}

/// Weighin's figure against the other tool's, paired by repeat, over the trials that conclusions
/// may rest on. The two agree where the interval of their ratio holds 1 or lies within the margin.
fn compare(study: &Study, cell: &CellData<'_>, metric: Metric) -> Option<Evidence> {
    let mut tool = None;
    let mut rounding: f64 = 0.0;
    let mut pairs = Vec::new();
    for (record, figures) in cell.usable_records() {
        let Some(opinion) = &record.second_opinion else { continue };
        let theirs = opinion.figures().and_then(|figures| reading(figures, metric));
        let Some((ours, (theirs, off))) = figures.value(metric).zip(theirs) else { continue };
        tool.get_or_insert(&opinion.tool);
        rounding = rounding.max(off + figures.rounding(metric));
        pairs.push((theirs, ours));
    }
    let ratio = paired_ratio(&pairs, rounding, study.confidence).ok()?;
    let median =
        |values: Vec<f64>| Some(Estimate::of_median(&Sample::new(values).ok()?, study.confidence));
    let (theirs, ours) = pairs.into_iter().unzip();
    let agrees = ratio.interval.map(|interval| {
        let holds_one = interval.low <= 1.0 && 1.0 <= interval.high;
        holds_one || ratio.relation(study.margin) == Relation::Equivalent
    });
    Some(Evidence::SecondOpinion {
        tool: tool?.clone(),
        metric,
        weighin: median(ours)?,
        other: median(theirs)?,
        ratio,
        agrees,
    })
}

/// The other tool's figure, and how much it may be off for rounding.
fn reading(figures: &OpinionFigures, metric: Metric) -> Option<(f64, f64)> {
    let (value, rounding) = match metric {
        Metric::Throughput => (figures.transactions_per_second, figures.rate_rounding),
        Metric::LatencyP95 => (figures.latency_p95_ms?, figures.percentile_rounding),
        _ => return None,
    };
    (value.is_finite() && value > 0.0).then_some((value, rounding))
}

/// The first failure of the other tool in this cell, and how many there were.
fn failed(cell: &CellData<'_>) -> Option<Evidence> {
    let opinions = cell.records().filter_map(|record| record.second_opinion.as_ref());
    let failures: Vec<(&String, &Failure)> = opinions
        .filter_map(|opinion| match &opinion.end {
            OpinionEnd::Failed(failure) => Some((&opinion.tool, failure)),
            OpinionEnd::Measured(_) => None,
        })
        .collect();
    let &(tool, failure) = failures.first()?;
    Some(Evidence::SecondOpinionFailed {
        tool: tool.clone(),
        failure: failure.clone(),
        times: failures.len(),
    })
}
