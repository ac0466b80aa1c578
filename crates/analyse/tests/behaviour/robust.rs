//! Whatever a dataset holds, the analysis does not panic and its numbers are numbers.

use crate::support::{dataset, fail, load_of};
use analyse::{Analysis, BetterAtLevels, CurveShape, Evidence, LittlesLaw, Metric, analyse};
use model::{Dataset, Latencies};
use proptest::prelude::*;
use stats::Estimate;
use std::time::Duration;
use test_support::{balance, latencies};

/// Every estimate of an analysis.
fn estimates(analysis: &Analysis) -> Vec<Estimate> {
    let mut all = Vec::new();
    for test in &analysis.tests {
        for cell in &test.cells {
            all.extend(cell.estimates.values().copied());
            assert!(cell.spread.is_none_or(f64::is_finite));
        }
        for curve in &test.curves {
            all.push(curve.peak_throughput);
            if let CurveShape::Declines { ratio, .. } = curve.shape {
                all.push(ratio);
            }
        }
        for comparison in &test.comparisons {
            all.extend([comparison.base, comparison.ratio]);
        }
        for place in test.ranking.tiers.iter().flatten() {
            all.push(place.figure);
            assert!(place.cost_per_million.as_ref().is_none_or(|(cost, _)| cost.is_finite()));
        }
    }
    for finding in &analysis.findings {
        match finding.evidence {
            Evidence::BetterAtLevels(BetterAtLevels { ratios: (smallest, largest), .. }) => {
                all.extend([smallest, largest])
            }
            Evidence::LittlesLaw(LittlesLaw {
                throughput, latency_mean_ms, busy_clients, ..
            }) => {
                assert!((throughput + latency_mean_ms + busy_clients).is_finite());
            }
            _ => {}
        }
    }
    all
}

fn assert_sane(data: &Dataset) {
    let analysis = analyse(data);
    for estimate in estimates(&analysis) {
        assert!(estimate.point.is_finite() && estimate.n > 0, "{estimate:?}");
        if let Some(interval) = estimate.interval {
            assert!(interval.low.is_finite() && interval.high.is_finite(), "{estimate:?}");
            assert!(interval.low <= estimate.point, "{estimate:?}");
            assert!(estimate.point <= interval.high, "{estimate:?}");
            assert!(interval.confidence > 0.0 && interval.confidence < 1.0, "{estimate:?}");
        }
    }
    let test = &analysis.tests[0];
    let ranked = test.ranking.tiers.iter().flatten().count();
    assert_eq!(ranked + test.ranking.unranked.len(), data.study.targets.len());
    assert_eq!(
        test.cells.len(),
        data.study.targets.len() * data.study.tests[0].load().expect("a load").levels.len()
    );
    let json = serde_json::to_string(&analysis).expect("an analysis is plain data");
    assert!(!json.contains("NaN"));
}

#[test]
fn a_run_without_trials_is_analysed() {
    let mut data = dataset(&["a", "b"], &[1, 2], 3, |_, _, _| 1.0);
    data.trials.clear();
    data.targets.clear();
    assert_sane(&data);
    data.plan.blocks.clear();
    assert_sane(&data);
    assert_eq!(analyse(&data).tests[0].ranking.unranked, ["a", "b"]);
}

#[test]
fn a_single_trial_is_analysed() {
    let mut data = dataset(&["a", "b"], &[1, 2], 3, |_, _, _| 1.0);
    data.trials.truncate(1);
    assert_sane(&data);
    let throughput = analyse(&data).tests[0].cells[0].estimate(Metric::Throughput).unwrap();
    assert_eq!((throughput.n, throughput.interval), (1, None));
}

#[test]
fn a_run_of_failures_is_analysed() {
    let mut data = dataset(&["a", "b"], &[1, 2], 3, |_, _, _| 1.0);
    data.trials.iter_mut().for_each(fail);
    assert_sane(&data);
}

#[test]
fn trials_that_the_study_does_not_know_are_passed_over() {
    let mut data = dataset(&["a"], &[1], 3, |_, _, _| 100.0);
    data.trials[0].key.target = "stranger".to_owned();
    data.trials[1].key.level.clients = 99;
    assert_sane(&data);
    assert_eq!(analyse(&data).tests[0].cells[0].estimate(Metric::Throughput).unwrap().n, 1);
}

/// How one trial ends.
#[derive(Clone, Debug)]
enum Fate {
    Missing,
    Failed,
    /// Transactions, milliseconds of measuring, mean latency in microseconds, errors.
    Completed(u64, u64, u32, u64),
}

fn fate() -> impl Strategy<Value = Fate> {
    let count = || prop_oneof![Just(0), 1..20_u64, 1..10_000_000_u64];
    prop_oneof![
        1 => Just(Fate::Missing),
        1 => Just(Fate::Failed),
        8 => (count(), prop_oneof![Just(0), 1..100_000_u64], 0..5_000_000_u32, count())
            .prop_map(|(n, ms, latency, errors)| Fate::Completed(n, ms, latency, errors)),
        8 => (10..100_000_u64).prop_map(|n| Fate::Completed(n, 10_000, (10_000_000 / n) as u32, 0)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_dataset_gives_finite_numbers_and_ordered_intervals(
        fates in prop::collection::vec(fate(), 12),
        repeats in prop_oneof![Just(1_u32), Just(2), Just(3), Just(6)],
        confidence in 0.5..0.999_f64,
        margin in 0.0..0.5_f64,
    ) {
        let levels = &[1_u32, 2][..(12 / (2 * repeats) as usize).min(2)];
        let mut data = dataset(&["a", "b"], levels, repeats, |_, _, _| 1.0);
        data.study.confidence = confidence;
        data.study.margin = margin;
        let mut fates = fates.into_iter();
        data.trials.retain_mut(|record| match fates.next() {
            None | Some(Fate::Missing) => false,
            Some(Fate::Failed) => {
                fail(record);
                true
            }
            Some(Fate::Completed(transactions, millis, latency, errors)) => {
                let clients = f64::from(record.key.level.clients);
                let load = load_of(record);
                load.measure.transactions = transactions;
                load.measure.elapsed = Duration::from_millis(millis);
                load.measure.errors = errors;
                load.latencies = if transactions == 0 {
                    Latencies::new()
                } else {
                    latencies(f64::from(latency) / 1e6 * clients)
                };
                balance(record);
                true
            }
        });
        assert_sane(&data);
    }
}

/// A clock of which every look takes a millisecond.
fn ticking() -> Duration {
    thread_local!(static NOW: std::cell::Cell<u64> = const { std::cell::Cell::new(0) });
    Duration::from_millis(NOW.replace(NOW.get() + 1))
}

#[test]
fn an_analysis_ends_where_its_time_is_over() {
    let rows = (1..=20).map(|target| format!("t{target},oltp,1,{target}00.5\n"));
    let table = format!("target,test,clients,tps\n{}", rows.collect::<String>());
    let dataset = test_support::imported("a.csv", &table);
    let within = |millis| {
        let time = Duration::from_millis(millis);
        let limit = model::ReadLimit { time, clock: ticking, ..model::ReadLimit::NONE };
        analyse::analyse_within(&dataset, &limit.budget()).map(|analysis| analysis.tests.len())
    };
    // 20 trials are looked at, and then pairs: 190 at their only level.
    for millis in [5, 100] {
        let over = within(millis).unwrap_err();
        assert!(matches!(over, model::OverBudget::Time(_)), "{over}");
    }
    assert_eq!(within(10_000), Ok(1));
}
