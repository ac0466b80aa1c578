//! Check 7: whether another tool measured the same.

use crate::Metric;
use crate::cell::CellData;
use crate::trial::figures::{HISTOGRAM_ROUNDING, percentile_ms};
use findings::{CrossCheck, CrossCheckFailed, Finding};
use model::{
    CrossCheckEnd, CrossCheckFigures, Direction, Failure, Latencies, LoadResult, Study, TrialRecord,
};
use stats::{Estimate, Relation, Sample, paired_ratio};
use std::collections::BTreeSet;

/// How far from 1 an interval that holds 1 may reach and still be an agreement. Wider than a margin:
/// percentiles are rounded by both tools, and a tool that measures something else is off by more.
const TOLERANCE: f64 = 0.1;

/// How the cross-checks of a cell compare, metric by metric, and their own failures.
pub(crate) fn findings(study: &Study, cell: &CellData<'_>) -> Vec<Finding> {
    let subject = || cell.of_test().on(cell.target).at(cell.level);
    let compared = compared(cell).into_iter();
    let checks = compared.filter_map(|compared| compare(study, cell, compared));
    let mut findings: Vec<Finding> = checks.map(|check| Finding::new(subject(), check)).collect();
    findings.extend(failed(cell).map(|failed| Finding::new(subject(), failed)));
    findings
}

/// Whether the other tool measured something else. One of the two is wrong then, and nothing tells
/// which: the trials of the cell are suspect.
pub(crate) fn disagrees(finding: &Finding) -> bool {
    finding.evidence.get::<CrossCheck>().is_some_and(|check| check.agrees == Some(false))
}

/// A figure that is compared: of everything, or of the reads or the writes of a load on storage.
#[derive(Clone, Copy)]
struct Compared {
    part: Option<Direction>,
    metric: Metric,
}

/// What is compared: of reads and writes each what storage engineers ask for (IOPS, mean, p99), of
/// everything else throughput and p95.
fn compared(cell: &CellData<'_>) -> Vec<Compared> {
    let figures = cell.usable_records().filter_map(|(record, _)| cross_check_of(record));
    let parts = figures.flat_map(|figures| &figures.parts).map(|part| part.direction);
    let parts: BTreeSet<Direction> = parts.collect();
    if parts.is_empty() {
        let whole = |metric| Compared { part: None, metric };
        return [Metric::Throughput, Metric::LatencyP95].map(whole).into();
    }
    let metrics = [Metric::Throughput, Metric::LatencyMean, Metric::LatencyP99];
    let of = |part| metrics.map(|metric| Compared { part: Some(part), metric });
    parts.into_iter().flat_map(of).collect()
}

fn cross_check_of(record: &TrialRecord) -> Option<&CrossCheckFigures> {
    record.cross_check.as_ref()?.figures()
}

/// Weighin's figure against the other tool's, paired by repeat, over the trials that conclusions
/// may rest on. An interval of their ratio that holds 1 because it is wide says nothing.
fn compare(study: &Study, cell: &CellData<'_>, compared: Compared) -> Option<CrossCheck> {
    let mut tool = None;
    let mut rounding: f64 = 0.0;
    let mut pairs = Vec::new();
    for (record, figures) in cell.usable_records() {
        let Some(cross_check) = &record.cross_check else { continue };
        let theirs = cross_check.figures().and_then(|figures| theirs(figures, compared));
        let ours = match compared.part {
            None => {
                let metric = compared.metric;
                figures.value(metric).map(|value| (value, figures.rounding(metric)))
            }
            Some(part) => {
                let load = record.load();
                load.and_then(|load| ours(load, part, compared.metric, study.confidence))
            }
        };
        let Some(((ours, our_off), (theirs, off))) = ours.zip(theirs) else { continue };
        tool.get_or_insert(&cross_check.tool);
        rounding = rounding.max(off + our_off);
        pairs.push((theirs, ours));
    }
    let ratio = paired_ratio(&pairs, rounding, study.confidence).ok()?;
    let median =
        |values: Vec<f64>| Some(Estimate::of_median(&Sample::new(values).ok()?, study.confidence));
    let (theirs, ours) = pairs.into_iter().unzip();
    let agrees = ratio.interval.and_then(|interval| {
        let holds_one = interval.low <= 1.0 && 1.0 <= interval.high;
        match ratio.relation(study.margin) {
            Relation::Equivalent => Some(true),
            _ if holds_one && ratio.relation(TOLERANCE) == Relation::Equivalent => Some(true),
            _ if holds_one => None,
            _ => Some(false),
        }
    });
    Some(CrossCheck {
        tool: tool?.clone(),
        part: compared.part,
        metric: compared.metric,
        weighin: median(ours)?,
        other: median(theirs)?,
        ratio,
        agrees,
        crowded: crowded(study, cell, compared),
    })
}

/// Threads that fio has, one for each of every virtual machine, and the processors that it has for
/// them, where these are fewer: a thread that waits for a processor notices its replies late.
/// Weighin's own are no more than the processors.
fn crowded(study: &Study, cell: &CellData<'_>, compared: Compared) -> Option<(u32, u32)> {
    let name = cell.of_test().test?;
    let test = study.test(&name)?;
    let storage = test.storage()?;
    let threads = storage.vms.saturating_mul(storage.threads);
    let mut loads = cell.usable_records().filter_map(|(record, _)| record.load());
    let processors = loads.next()?.client.cpus_allowed;
    (compared.metric != Metric::Throughput && threads > processors).then_some((threads, processors))
}

/// The other tool's figure, and how much it may be off for rounding.
fn theirs(figures: &CrossCheckFigures, compared: Compared) -> Option<(f64, f64)> {
    let (rate, percentile) = (figures.rate_rounding, figures.percentile_rounding);
    let part = match compared.part {
        None => None,
        Some(direction) => Some(figures.parts.iter().find(|part| part.direction == direction)?),
    };
    let (value, rounding) = match (part, compared.metric) {
        (None, Metric::Throughput) => (figures.transactions_per_second, rate),
        (None, Metric::LatencyP95) => (figures.latency_p95_ms?, percentile),
        (Some(part), Metric::Throughput) => (part.per_second, rate),
        (Some(part), Metric::LatencyMean) => (part.latency_mean_ms, 0.0),
        (Some(part), Metric::LatencyP99) => (part.latency_p99_ms?, percentile),
        _ => return None,
    };
    (value.is_finite() && value > 0.0).then_some((value, rounding))
}

/// Weighin's own figure of reads or writes, and how much it may be off for rounding.
fn ours(load: &LoadResult, part: Direction, metric: Metric, confidence: f64) -> Option<(f64, f64)> {
    let mut latencies = Latencies::new();
    for volume in &load.fleet.as_ref()?.volumes {
        latencies.merge(match part {
            Direction::Read => &volume.reads.latencies,
            Direction::Write => &volume.writes.latencies,
        });
    }
    let seconds = load.measure.elapsed.as_secs_f64();
    let count = latencies.count() as f64;
    let (value, rounding) = match metric {
        Metric::Throughput => (count / seconds, 1.0 / count),
        Metric::LatencyMean => (latencies.mean_ms()?, HISTOGRAM_ROUNDING),
        Metric::LatencyP99 => (percentile_ms(&latencies, 99.0, confidence)?, HISTOGRAM_ROUNDING),
        _ => return None,
    };
    (value.is_finite() && value > 0.0).then_some((value, rounding))
}

/// The first failure of the other tool in this cell, and how many there were.
fn failed(cell: &CellData<'_>) -> Option<CrossCheckFailed> {
    let cross_checks = cell.records().filter_map(|record| record.cross_check.as_ref());
    let failures: Vec<(&String, &Failure)> = cross_checks
        .filter_map(|cross_check| match &cross_check.end {
            CrossCheckEnd::Failed(failure) => Some((&cross_check.tool, failure)),
            CrossCheckEnd::Measured(_) => None,
        })
        .collect();
    let &(tool, failure) = failures.first()?;
    Some(CrossCheckFailed { tool: tool.clone(), failure: failure.clone(), times: failures.len() })
}
