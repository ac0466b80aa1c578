//! Check 4: a steady state.

use crate::checks::passed;
use crate::support::{Noise, dataset, found, load_of, trial};
use analyse::{Check, Drift, Evidence, SteadyFigure, TooShortForTrend, Validity, analyse};
use model::{Dataset, Interval, Latencies, LoadResult, Moved, Outage, PackedLatencies, Phase};
use std::time::Duration;
use test_support::{balance, latencies, open_loop};

/// Intervals of a second: two of warm-up, then one for each of these throughputs. Latencies are
/// what four clients have at that throughput.
fn set_intervals(load: &mut LoadResult, throughputs: &[f64]) {
    let interval = |(second, (phase, throughput)): (usize, (Phase, f64))| {
        let mut latencies = Latencies::new();
        latencies.record_nanos((4e9 / throughput) as u64);
        Interval {
            phase,
            start: Duration::from_secs(second as u64),
            length: Duration::from_secs(1),
            transactions: throughput.round() as u64,
            queries: 0,
            errors: 0,
            moved: Moved::default(),
            longest_statement: None,
            latencies: PackedLatencies::from(&latencies),
        }
    };
    let warmup = [(Phase::Warmup, 100.0), (Phase::Warmup, 300.0)];
    let measured = throughputs.iter().map(|&throughput| (Phase::Measure, throughput));
    load.intervals = warmup.into_iter().chain(measured).enumerate().map(interval).collect();
}

/// A study of one trial with these throughputs by the second.
fn measured(throughputs: &[f64]) -> Dataset {
    let mut data = dataset(&["only"], &[4], 1, |_, _, _| 1000.0);
    let record = trial(&mut data, "only", 4, 1);
    let load = load_of(record);
    set_intervals(load, throughputs);
    load.latencies = latencies(4.0 * throughputs.len() as f64 / throughputs.iter().sum::<f64>());
    balance(record);
    data
}

/// 20 seconds that begin at 1000 a second and change by so much in all, with noise of 1 %.
fn ramp(change: f64, seed: u64) -> Vec<f64> {
    let mut noise = Noise::new(seed);
    (0..20).map(|i| 1000.0 * (1.0 + change * f64::from(i) / 20.0) * noise.factor(0.01)).collect()
}

fn drift(data: &Dataset) -> Option<f64> {
    let analysis = analyse(data);
    let found = found(&analysis, |e| matches!(e, Evidence::Drift(_)));
    let suspect = analysis.tests[0].cells[0].trials[0].validity == Validity::Suspect;
    assert_eq!(suspect, !found.is_empty());
    match found.first()?.evidence {
        Evidence::Drift(Drift { change, figure }) => {
            assert_eq!((change.n, figure), (20, SteadyFigure::Throughput));
            let interval = change.interval.expect("a drift has an interval");
            assert!(interval.low <= change.point && change.point <= interval.high);
            assert!(interval.low > 0.0 || interval.high < 0.0);
            Some(change.point)
        }
        _ => None,
    }
}

#[test]
fn a_trend_beyond_the_margin_is_a_drift_in_either_direction() {
    for change in [-0.15, 0.15] {
        let data = measured(&ramp(change, 1));
        let found = drift(&data).expect("a drift");
        assert!((found - change).abs() < 0.03, "{found}");
        assert_eq!(passed(&data, Check::SteadyState), None);
    }
}

#[test]
fn a_sure_trend_below_the_margin_is_none_of_anybodys_business() {
    let line: Vec<f64> = (0..20).map(|i| 1000.0 + f64::from(i)).collect();
    let mut data = measured(&line);
    assert_eq!(drift(&data), None);
    assert_eq!(passed(&data, Check::SteadyState), Some(1));
    data.study.margin = 0.01;
    assert!(drift(&data).is_some());
}

#[test]
fn a_setting_that_changes_midway_shows() {
    let mut step = ramp(0.0, 2);
    step[10..].iter_mut().for_each(|throughput| *throughput *= 0.7);
    assert!(drift(&measured(&step)).is_some_and(|change| change < -0.3));
}

#[test]
fn one_bad_second_and_regular_waves_are_not_a_trend() {
    let mut outlier = ramp(0.0, 3);
    outlier[17] = 1.0;
    assert_eq!(drift(&measured(&outlier)), None);
    let waves: Vec<f64> = (0..20).map(|i| if i % 4 < 2 { 800.0 } else { 1200.0 }).collect();
    assert_eq!(drift(&measured(&waves)), None);
}

#[test]
fn at_most_one_steady_trial_in_a_hundred_is_called_drifting() {
    let alarms = (0..1000).filter(|&seed| {
        let mut noise = Noise::new(seed);
        // So noisy that the margin hides nothing.
        let values: Vec<f64> = (0..20).map(|_| 1000.0 * noise.factor(0.2)).collect();
        drift(&measured(&values)).is_some()
    });
    // 10 are expected at most; three standard deviations more.
    let alarms = alarms.count();
    assert!(alarms <= 19, "{alarms}");
}

#[test]
fn a_trial_too_short_for_a_trend_says_so_and_stays_valid() {
    for (seconds, expected) in [(6, None), (7, Some(1))] {
        let data = measured(&ramp(0.0, 4)[..seconds]);
        let analysis = analyse(&data);
        assert_eq!(passed(&data, Check::SteadyState), expected);
        let short = found(&analysis, |e| {
            *e == Evidence::TooShortForTrend(TooShortForTrend {
                intervals: seconds,
                left_out: 0,
                needed: 7,
            })
        });
        assert_eq!(short.len(), usize::from(expected.is_none()));
        assert_eq!(analysis.tests[0].cells[0].trials[0].validity, Validity::Valid);
    }
}

#[test]
fn an_interval_that_was_cut_off_does_not_count() {
    let mut data = measured(&ramp(0.0, 5)[..7]);
    let load = load_of(trial(&mut data, "only", 4, 1));
    load.intervals.last_mut().unwrap().length = Duration::from_millis(400);
    assert_eq!(passed(&data, Check::SteadyState), None);
}

#[test]
fn an_outage_is_no_drift() {
    let mut step = ramp(0.0, 6);
    step[10..].iter_mut().for_each(|throughput| *throughput *= 0.5);
    let mut data = measured(&step);
    load_of(trial(&mut data, "only", 4, 1)).outages = vec![Outage {
        first_error: Duration::from_secs(12),
        first_success: None,
        recovered: None,
        failed: 4,
    }];
    let analysis = analyse(&data);
    assert!(found(&analysis, |e| matches!(e, Evidence::Drift(_))).is_empty());
}

#[test]
fn an_open_loop_drifts_in_its_response_times() {
    let mut data = measured(&ramp(-0.4, 7));
    let load = load_of(trial(&mut data, "only", 4, 1));
    load.intervals.iter_mut().for_each(|interval| interval.transactions = 1000);
    load.open = Some(open_loop(load, 1000.0, 10_000));
    let analysis = analyse(&data);
    let drifts = found(&analysis, |e| matches!(e, Evidence::Drift(_)));
    let Evidence::Drift(Drift { figure, change }) = drifts[0].evidence else {
        unreachable!("filtered")
    };
    assert_eq!(figure, SteadyFigure::MeanLatency);
    assert!(change.point > 0.3, "{change:?}");
}
