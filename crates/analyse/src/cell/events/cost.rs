//! What background work costs: the seconds that it touched against quiet ones.

use super::{ServerEvent, TestEvents, TrialEvents, events, stretch, touched};
use crate::Metric;
use crate::cell::CellData;
use crate::cell::series::Series;
use crate::trial::figures::percentile_ms;
use findings::{Change, Changed, EventCost, EventKind, Finding, Subject};
use model::{Interval, Latencies, LoadResult, Phase, Study};
use stats::{Relation, holm};
use std::collections::BTreeMap;

/// What is held against quiet seconds.
const METRICS: [Metric; 3] = [Metric::Throughput, Metric::LatencyP95, Metric::LatencyP99];
/// By how much a percentile of latencies of two digits may be off, relative to itself.
const PACKED_ROUNDING: f64 = 0.01;

/// All that was seen in the trials of a test, and what it cost in each cell.
pub(crate) fn of_test(study: &Study, cells: &[CellData<'_>]) -> TestEvents {
    let mut trials = Vec::new();
    let mut costs = Vec::new();
    let mut p_values: Vec<(Metric, usize, usize, f64)> = Vec::new();
    for cell in cells {
        for (record, index) in cell.indexed_records() {
            let seen = events(record);
            if !seen.is_empty() {
                trials.push(TrialEvents {
                    target: cell.target.to_owned(),
                    level: cell.level,
                    repeat: record.key.repeat,
                    events: seen,
                    record: index,
                });
            }
        }
        for kind in EventKind::BACKGROUND {
            let Some((cost, found)) = cost(study, cell, kind) else { continue };
            let at = costs.len();
            let indexed = cost.changes.iter().enumerate().zip(found);
            p_values
                .extend(indexed.filter_map(|((i, change), p)| Some((change.metric, at, i, p?))));
            costs.push(cost);
        }
    }
    hold(study, &mut costs, &p_values);
    TestEvents { trials, costs }
}

/// One finding for each kind in each cell.
pub(crate) fn findings(test: &str, seen: &TestEvents) -> Vec<Finding> {
    let finding = |cost: &EventCost| {
        Finding::new(Subject::test(test).on(&cost.target).at(cost.level), cost.clone())
    };
    seen.costs.iter().map(finding).collect()
}

/// Among many changes that are none a few would be found by chance: they are held to all changes
/// of the same figure in the test.
fn hold(study: &Study, costs: &mut [EventCost], p_values: &[(Metric, usize, usize, f64)]) {
    for metric in METRICS {
        let family = || p_values.iter().filter(|(of, ..)| *of == metric);
        let p_values: Vec<f64> = family().map(|&(.., p)| p).collect();
        for (&(_, cost, change, _), p) in family().zip(holm(&p_values)) {
            let changed = costs.get_mut(cost).and_then(|cost| cost.changes.get_mut(change));
            let Some(change) = changed else { continue };
            let differs = matches!(change.changed, Changed::Higher | Changed::Lower);
            if differs && p > 1.0 - study.confidence {
                change.changed = Changed::Unresolved;
            }
        }
    }
}

/// What a kind cost in a cell, with the chance of each change; `None` where it was not seen in the
/// measured phase of any trial that counts.
fn cost(
    study: &Study,
    cell: &CellData<'_>,
    kind: EventKind,
) -> Option<(EventCost, Vec<Option<f64>>)> {
    let mut counted = 0;
    let mut seen: Vec<ServerEvent> = Vec::new();
    let mut trials = 0;
    let mut pairs: BTreeMap<u32, (Seconds, Seconds)> = BTreeMap::new();
    for (record, _) in cell.usable_records() {
        let Some(load) = record.load() else { continue };
        counted += 1;
        let all = events(record);
        let measured = measured(load);
        let of_kind = |event: &&ServerEvent| event.kind == kind;
        let here: Vec<ServerEvent> = all
            .iter()
            .filter(of_kind)
            .filter(|event| touched(event, &measured).contains(&true))
            .cloned()
            .collect();
        if here.is_empty() {
            continue;
        }
        trials += 1;
        pairs.extend(halves(load, &all, Some(kind)).map(|both| (record.key.repeat, both)));
        seen.extend(here);
    }
    let (shortest, longest) = lasted(&seen)?;
    let (changes, p_values) = changes(study, &pairs);
    let worst = |of: fn(&(Seconds, Seconds)) -> &Seconds| {
        pairs.values().filter_map(|both| of(both).latencies.max_ms()).reduce(f64::max)
    };
    let total = |of: fn(&(Seconds, Seconds)) -> &Seconds| -> f64 {
        pairs.values().map(|both| of(both).seconds).sum()
    };
    let cost = EventCost {
        target: cell.target.to_owned(),
        level: cell.level,
        event: kind,
        trials: (trials, counted),
        events: seen.len(),
        by_intervention: seen.iter().filter(|event| event.intervention.is_some()).count(),
        delayed: seen.iter().map(|event| event.delayed).sum(),
        fork_ms: ends(seen.iter().filter_map(|event| event.fork_ms)),
        cow_bytes: ends(seen.iter().filter_map(|event| event.cow_bytes)),
        lasted_seconds: (shortest, longest),
        seconds: (total(|both| &both.0), total(|both| &both.1)),
        longest_ms: worst(|both| &both.0).zip(worst(|both| &both.1)),
        changes,
        margin: study.margin,
    };
    Some((cost, p_values))
}

/// The smallest and the largest of some values.
fn ends<T: PartialOrd + Copy>(values: impl Iterator<Item = T>) -> Option<(T, T)> {
    values.fold(None, |ends, value| match ends {
        None => Some((value, value)),
        Some((low, high)) => {
            Some((if value < low { value } else { low }, if value > high { value } else { high }))
        }
    })
}

/// The shortest that any of these events can have taken, and the longest; `None` for none.
fn lasted(events: &[ServerEvent]) -> Option<(f64, Option<f64>)> {
    let shortest = events.iter().map(|event| (event.ended.0 - event.began.1).max(0.0));
    let longest = events.iter().map(|event| event.until() - event.from());
    let (shortest, longest) = (shortest.reduce(f64::min)?, longest.reduce(f64::max)?);
    Some((shortest, longest.is_finite().then_some(longest)))
}

/// The whole intervals of the measured phase: the last is left out where it was cut off.
pub(super) fn measured(load: &LoadResult) -> Vec<&Interval> {
    let of_phase = || load.intervals.iter().filter(|interval| interval.phase == Phase::Measure);
    let longest = of_phase().map(|interval| interval.length).max().unwrap_or_default();
    of_phase().filter(|i| !i.length.is_zero() && i.length * 2 > longest).collect()
}

/// Some seconds of a trial together.
pub(super) struct Seconds {
    pub(super) seconds: f64,
    pub(super) transactions: u64,
    latencies: Latencies,
}

impl Seconds {
    /// `None` for no intervals.
    fn from_intervals<'a>(intervals: impl Iterator<Item = &'a Interval>) -> Option<Self> {
        let mut sum = Self { seconds: 0.0, transactions: 0, latencies: Latencies::new() };
        for interval in intervals {
            let (begin, end) = stretch(interval);
            sum.seconds += end - begin;
            sum.transactions += interval.transactions;
            sum.latencies.merge(&interval.latencies.unpack());
        }
        (sum.seconds > 0.0).then_some(sum)
    }

    fn value(&self, metric: Metric, confidence: f64) -> Option<f64> {
        match metric {
            Metric::Throughput => Some(self.transactions as f64 / self.seconds),
            Metric::LatencyP95 => percentile_ms(&self.latencies, 95.0, confidence),
            Metric::LatencyP99 => percentile_ms(&self.latencies, 99.0, confidence),
            _ => None,
        }
    }
}

/// The seconds of a trial that events of `kind` touched (of any kind where that is `None`), and those
/// that no event touched. `None` where there are none of either, or where the trial was disturbed by
/// more than that: it lost connections, or fell behind its rate, so that every second is worse than
/// the one before.
pub(super) fn halves(
    load: &LoadResult,
    events: &[ServerEvent],
    kind: Option<EventKind>,
) -> Option<(Seconds, Seconds)> {
    if !load.outages.is_empty() || load.is_overloaded() {
        return None;
    }
    let intervals = measured(load);
    let mut of_kind = vec![false; intervals.len()];
    let mut of_any = of_kind.clone();
    for event in events {
        for (i, touched) in touched(event, &intervals).into_iter().enumerate() {
            of_any[i] |= touched;
            of_kind[i] |= touched && kind.is_none_or(|kind| event.kind == kind);
        }
    }
    let chosen = |which: &[bool], wanted| {
        let marked = intervals.iter().zip(which);
        let chosen = marked.filter(|(_, mark)| **mark == wanted).map(|(interval, _)| *interval);
        Seconds::from_intervals(chosen.collect::<Vec<_>>().into_iter())
    };
    chosen(&of_kind, true).zip(chosen(&of_any, false))
}

/// Each figure over the repeats, and how likely its change is by chance.
fn changes(
    study: &Study,
    pairs: &BTreeMap<u32, (Seconds, Seconds)>,
) -> (Vec<Change>, Vec<Option<f64>>) {
    let confidence = study.confidence;
    let change = |metric: Metric| {
        let series = |of: fn(&(Seconds, Seconds)) -> &Seconds| {
            let value = |(&repeat, both): (&u32, &(Seconds, Seconds))| {
                let value = of(both).value(metric, confidence).filter(|value| *value > 0.0)?;
                Some((repeat, value))
            };
            // A trial without a figure has few operations: without it the others look good.
            let values: Option<BTreeMap<u32, f64>> = pairs.iter().map(value).collect();
            let rounding = match metric {
                Metric::Throughput => {
                    let fewest = pairs.values().map(|both| of(both).transactions).min();
                    1.0 / fewest.unwrap_or(1).max(1) as f64
                }
                _ => PACKED_ROUNDING,
            };
            Some(Series::from_values(values?, rounding))
        };
        let (during, quiet) = (series(|both| &both.0)?, series(|both| &both.1)?);
        let ratio = during.ratio(&quiet)?;
        let p = ratio.p_value();
        let ratio = ratio.estimate(confidence);
        let changed = match ratio.relation(study.margin) {
            Relation::Larger => Changed::Higher,
            Relation::Smaller => Changed::Lower,
            Relation::Equivalent => Changed::Same,
            Relation::Unresolved => Changed::Unresolved,
        };
        let quiet_estimate = quiet.estimate(confidence)?;
        Some((Change { metric, quiet: quiet_estimate, ratio, changed }, p))
    };
    METRICS.into_iter().filter_map(change).unzip()
}
