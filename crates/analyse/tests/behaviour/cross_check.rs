//! Check 7: another tool's figures against weighin's.

use crate::support::{dataset, fail, found, load_of, trial};
use analyse::{CrossCheck, CrossCheckFailed, Evidence, Metric, Severity, Validity, analyse};
use model::{
    CrossCheckEnd, CrossCheckFigures, CrossCheckOrder, CrossCheckPart, CrossCheckRecord, Dataset,
    Direction, Failure, FailureKind, Fleet, IoAccount, VolumeAccount,
};
use std::time::Duration;

/// Has the other tool measure `factor` times weighin's throughput, and a p95 latency of as much
/// less.
fn opine(data: &mut Dataset, repeats: u32, factor: impl Fn(u32) -> f64) {
    for repeat in 1..=repeats {
        let record = trial(data, "a", 8, repeat);
        let load = load_of(record);
        let tps = load.measure.transactions_per_second() * factor(repeat);
        let figures = CrossCheckFigures {
            transactions: (tps * 10.0) as u64,
            queries: 0,
            errors: 0,
            elapsed: Duration::from_secs(10),
            transactions_per_second: tps,
            parts: Vec::new(),
            latency_mean_ms: 1.0,
            latency_p95_ms: load.latencies.percentile_ms(95.0).map(|ms| ms / factor(repeat)),
            cpu_seconds: 1.0,
            peak_rss_bytes: None,
            rate_rounding: 0.0,
            percentile_rounding: 0.018,
        };
        record.cross_check = Some(cross_check(CrossCheckEnd::Measured(figures)));
    }
}

fn cross_check(end: CrossCheckEnd) -> Box<CrossCheckRecord> {
    let tool = "sysbench 1.0.20".to_owned();
    Box::new(CrossCheckRecord { tool, order: CrossCheckOrder::After, end })
}

fn steady(repeats: u32) -> Dataset {
    dataset(&["a"], &[8], repeats, |_, _, repeat| 1000.0 + 10.0 * f64::from(repeat))
}

/// Severity, agreement and ratio of the findings on both figures.
fn verdicts(data: &Dataset) -> Vec<(Metric, Severity, Option<bool>, f64)> {
    let analysis = analyse(data);
    found(&analysis, |e| matches!(e, Evidence::CrossCheck(_)))
        .into_iter()
        .map(|finding| match &finding.evidence {
            Evidence::CrossCheck(CrossCheck { metric, agrees, ratio, .. }) => {
                (*metric, finding.severity, *agrees, ratio.point)
            }
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn a_tool_that_measures_the_same_agrees() {
    let mut data = steady(6);
    opine(&mut data, 6, |repeat| if repeat.is_multiple_of(2) { 1.01 } else { 0.99 });
    let verdicts = verdicts(&data);
    assert_eq!(verdicts.len(), 2, "{verdicts:?}");
    for (_, severity, agrees, ratio) in verdicts {
        assert_eq!((severity, agrees), (Severity::Passed, Some(true)));
        assert!((ratio - 1.0).abs() < 0.02);
    }
}

/// An interval that holds 1 because it is wide is no agreement.
#[test]
fn a_tool_whose_figures_scatter_leaves_it_open() {
    let mut data = steady(6);
    opine(&mut data, 6, |repeat| if repeat.is_multiple_of(2) { 1.3 } else { 0.8 });
    let verdicts = verdicts(&data);
    assert_eq!(verdicts.len(), 2, "{verdicts:?}");
    for (_, severity, agrees, _) in verdicts {
        assert_eq!((severity, agrees), (Severity::Notice, None));
    }
}

#[test]
fn a_tool_that_measures_a_tenth_less_does_not() {
    let mut data = steady(6);
    opine(&mut data, 6, |repeat| 0.9 + 0.001 * f64::from(repeat));
    for (metric, severity, agrees, ratio) in verdicts(&data) {
        assert_eq!((severity, agrees), (Severity::Warning, Some(false)), "{metric:?}");
        let expected = if metric == Metric::Throughput { 1.0 / 0.9035 } else { 0.9035 };
        assert!((ratio - expected).abs() < 0.01, "{metric:?} {ratio}");
    }
}

#[test]
fn trials_that_another_tool_disagrees_with_are_suspect() {
    for (factor, expected) in [(0.9, Validity::Suspect), (1.0, Validity::Valid)] {
        let mut data = steady(6);
        opine(&mut data, 6, |repeat| factor + 0.001 * f64::from(repeat));
        let analysis = analyse(&data);
        let cell = &analysis.tests[0].cells[0];
        assert!(cell.trials.iter().all(|trial| trial.validity == expected), "{factor}");
        assert_eq!(
            cell.estimate(Metric::Throughput).map(|estimate| estimate.n),
            Some(6),
            "they count all the same"
        );
    }
}

#[test]
fn a_difference_within_the_margin_is_agreement() {
    // Significant: all six ratios lie above 1; but by less than the study's 3 %.
    let mut data = steady(6);
    opine(&mut data, 6, |_| 0.99);
    let verdicts = verdicts(&data);
    let throughput = verdicts.iter().find(|(metric, ..)| *metric == Metric::Throughput);
    assert_eq!(throughput.unwrap().2, Some(true), "{verdicts:?}");
}

#[test]
fn one_repeat_does_not_say() {
    let mut data = steady(1);
    opine(&mut data, 1, |_| 0.5);
    assert!(verdicts(&data).iter().all(|found| (found.1, found.2) == (Severity::Notice, None)));
}

#[test]
fn trials_that_do_not_count_are_left_out_and_failures_are_said_once() {
    let mut data = steady(6);
    opine(&mut data, 6, |_| 1.0);
    fail(trial(&mut data, "a", 8, 1));
    let failure = Failure::new(FailureKind::MissingTables, "no such table", "prepare them");
    for repeat in [2, 3] {
        let failed = CrossCheckEnd::Failed(failure.clone());
        trial(&mut data, "a", 8, repeat).cross_check = Some(cross_check(failed));
    }
    let analysis = analyse(&data);
    let rests_on = found(
        &analysis,
        |e| matches!(e, Evidence::CrossCheck(CrossCheck { ratio, .. }) if ratio.n == 3),
    );
    assert_eq!(rests_on.len(), 2, "{:?}", analysis.findings);
    let failures = found(&analysis, |e| matches!(e, Evidence::CrossCheckFailed(_)));
    let [finding] = failures[..] else { panic!("{failures:?}") };
    assert_eq!(finding.severity, Severity::Warning);
    let Evidence::CrossCheckFailed(CrossCheckFailed { times, failure: why, .. }) =
        &finding.evidence
    else {
        unreachable!("filtered above")
    };
    assert_eq!((*times, why), (2, &failure));
}

#[test]
fn nobody_who_was_not_asked_is_mentioned() {
    let data = steady(3);
    assert!(verdicts(&data).is_empty());
}

#[test]
fn reads_and_writes_are_compared_each() {
    let mut data = steady(6);
    for repeat in 1..=6 {
        let record = trial(&mut data, "a", 8, repeat);
        let load = load_of(record);
        let (seconds, count) = (load.measure.elapsed.as_secs_f64(), 1000);
        let mut reads = IoAccount::default();
        reads.latencies.record_many(2_000_000, count);
        let mut writes = IoAccount::default();
        writes.latencies.record_many(5_000_000, count);
        let volume = VolumeAccount { vms: 1, reads, writes };
        load.fleet = Some(Box::new(Fleet {
            queue_depth: 8,
            blocked_seconds: 0.0,
            vms: Vec::new(),
            volumes: vec![volume],
            verified: None,
            processors: None,
        }));
        // It finds reads as weighin does and writes twice as fast.
        let part = |direction, ms| CrossCheckPart {
            direction,
            per_second: count as f64 / seconds,
            latency_mean_ms: ms,
            latency_p99_ms: Some(ms),
        };
        let parts = vec![part(Direction::Read, 2.0), part(Direction::Write, 2.5)];
        record.cross_check = Some(cross_check(CrossCheckEnd::Measured(CrossCheckFigures {
            transactions: 2 * count,
            queries: 2 * count,
            errors: 0,
            elapsed: Duration::from_secs(10),
            transactions_per_second: 2.0 * count as f64 / seconds,
            parts,
            latency_mean_ms: 2.25,
            latency_p95_ms: Some(2.5),
            cpu_seconds: 1.0,
            peak_rss_bytes: None,
            rate_rounding: 0.0,
            percentile_rounding: 1.0 / 64.0,
        })));
    }
    let analysis = analyse(&data);
    let cross_checks = found(&analysis, |e| matches!(e, Evidence::CrossCheck(_)));
    let verdicts: Vec<_> = cross_checks
        .iter()
        .map(|finding| match &finding.evidence {
            Evidence::CrossCheck(CrossCheck { part, metric, agrees, .. }) => {
                (*part, *metric, *agrees)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let of = |part, metric, agrees| (Some(part), metric, Some(agrees));
    assert_eq!(
        verdicts,
        // Warnings come first.
        [
            of(Direction::Write, Metric::LatencyMean, false),
            of(Direction::Write, Metric::LatencyP99, false),
            of(Direction::Read, Metric::Throughput, true),
            of(Direction::Read, Metric::LatencyMean, true),
            of(Direction::Read, Metric::LatencyP99, true),
            of(Direction::Write, Metric::Throughput, true),
        ]
    );
}
