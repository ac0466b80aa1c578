//! How often equal things are called different, by simulation with fixed seeds.

use crate::support::{Noise, dataset, tiers, verdicts};
use analyse::{CurveShape, Metric, Verdict, analyse};

/// Runs of a comparison of two cells, and of a whole curve.
const CELLS: u64 = 400;
const CURVES: u64 = 200;

/// The largest number of alarms, of `runs`, that a rate of `percent` leaves likely: three
/// standard deviations above the mean.
fn limit(runs: u64, percent: f64) -> usize {
    let (runs, rate) = (runs as f64, percent / 100.0);
    (runs * rate + 3.0 * (runs * rate * (1.0 - rate)).sqrt()) as usize
}

/// What simulations are asked for; each is analysed once.
const METRICS: [Metric; 2] = [Metric::Throughput, Metric::LatencyP95];

/// Whether a verdict on equal things is an alarm.
fn alarms(verdict: Verdict) -> bool {
    !matches!(verdict, Verdict::Unresolved | Verdict::Equivalent)
}

#[test]
fn equal_targets_are_called_different_in_at_most_5_percent_of_comparisons() {
    for repeats in [2, 3, 6] {
        let mut counts = [0; METRICS.len()];
        for seed in 0..CELLS {
            let mut noise = Noise::new(seed);
            // Well above the margin: relevance does not hide what significance lets through.
            let throughput = |_: &str, _, _| 3000.0 * noise.factor(0.15);
            let data = dataset(&["a", "b"], &[4], repeats, throughput);
            let analysis = analyse(&data);
            for (count, metric) in counts.iter_mut().zip(METRICS) {
                let verdicts = verdicts(&analysis, metric);
                assert_eq!(verdicts.len(), 1);
                *count += usize::from(alarms(verdicts[0]));
            }
        }
        assert!(counts.iter().all(|&count| count <= limit(CELLS, 5.0)), "{repeats}: {counts:?}");
    }
}

#[test]
fn equal_targets_are_called_different_over_all_levels_in_at_most_5_percent_of_runs() {
    for repeats in [2, 3, 6] {
        let mut counts = [0; METRICS.len()];
        for seed in 0..CURVES {
            let mut noise = Noise::new(seed);
            // A curve with a knee, of which the end scatters more than the beginning.
            let throughput = |_: &str, clients: u32, _| {
                let rate = 9000.0 * f64::from(clients) / (4.0 + f64::from(clients));
                rate * noise.factor(if clients > 8 { 0.4 } else { 0.15 })
            };
            let data = dataset(&["a", "b"], &[1, 2, 4, 8, 16, 32], repeats, throughput);
            let analysis = analyse(&data);
            for (count, metric) in counts.iter_mut().zip(METRICS) {
                let overall = &analysis.tests[0].overall;
                let found = overall.iter().find(|overall| overall.metric == metric).unwrap();
                *count += usize::from(alarms(found.verdict));
            }
        }
        assert!(counts.iter().all(|&count| count <= limit(CURVES, 5.0)), "{repeats}: {counts:?}");
    }
}

#[test]
fn targets_that_differ_by_more_than_the_margin_are_not_called_equivalent() {
    let claims = (0..CELLS)
        .filter(|&seed| {
            let mut noise = Noise::new(seed);
            // 8 % apart, beyond the margin: equivalence would be false.
            let data = dataset(&["a", "b"], &[4], 3, |target, _, _| {
                let speed = if target == "a" { 3000.0 } else { 3240.0 };
                speed * noise.factor(0.02)
            });
            verdicts(&analyse(&data), Metric::Throughput).contains(&Verdict::Equivalent)
        })
        .count();
    assert!(claims <= limit(CELLS, 2.5), "{claims} of {CELLS}");
}

/// False boundaries between two equal targets with flat curves of six levels.
fn boundaries(sigma_a: f64, sigma_b: f64) -> usize {
    (0..CURVES)
        .filter(|&seed| {
            let mut noise = Noise::new(seed);
            let levels = [1, 2, 4, 8, 16, 32];
            let data = dataset(&["a", "b"], &levels, 3, |target, _, _| {
                3000.0 * noise.factor(if target == "a" { sigma_a } else { sigma_b })
            });
            tiers(&analyse(&data)).len() > 1
        })
        .count()
}

#[test]
fn equal_targets_share_a_tier_although_each_is_taken_at_its_luckiest_level() {
    let alarms = boundaries(0.05, 0.05);
    assert!(alarms <= limit(CURVES, 5.0), "{alarms} of {CURVES}");
    // The luck of one that scatters far more is its own.
    let alarms = boundaries(0.1, 0.01);
    assert!(alarms <= limit(CURVES, 5.0), "{alarms} of {CURVES} with unequal scatter");
}

#[test]
fn flat_curves_are_said_to_decline_or_rise_in_at_most_5_percent() {
    let (mut declines, mut rises) = (0, 0);
    for seed in 0..CURVES {
        let mut noise = Noise::new(seed);
        let levels = [1, 2, 4, 8, 16, 32];
        let data = dataset(&["a"], &levels, 3, |_, _, _| 3000.0 * noise.factor(0.1));
        match analyse(&data).tests[0].curves[0].shape {
            CurveShape::Declines { .. } => declines += 1,
            CurveShape::StillRising => rises += 1,
            _ => {}
        }
    }
    assert!(declines <= limit(CURVES, 5.0), "{declines} declines of {CURVES}");
    assert!(rises <= limit(CURVES, 5.0), "{rises} rises of {CURVES}");
}

#[test]
fn of_four_flat_curves_any_is_said_to_decline_in_at_most_5_percent() {
    let mut alarms = 0;
    for seed in 0..CURVES {
        let mut noise = Noise::new(seed);
        let targets = ["a", "b", "c", "d"];
        let data =
            dataset(&targets, &[1, 2, 4, 8, 16, 32], 3, |_, _, _| 3000.0 * noise.factor(0.1));
        let declines = |curve: &analyse::Curve| matches!(curve.shape, CurveShape::Declines { .. });
        alarms += usize::from(analyse(&data).tests[0].curves.iter().any(declines));
    }
    assert!(alarms <= limit(CURVES, 5.0), "{alarms} of {CURVES}");
}

#[test]
fn first_places_of_twenty_tests_of_equal_targets_are_added_up_in_at_most_5_percent() {
    const TESTS: usize = 20;
    let (mut singly, mut together) = (0, 0);
    for seed in 0..CURVES {
        let mut noise = Noise::new(seed);
        let mut one_test = || dataset(&["a", "b"], &[4], 3, |_, _, _| 3000.0 * noise.factor(0.1));
        let mut data = one_test();
        data.study.tests.clear();
        data.trials.clear();
        for number in 0..TESTS {
            let mut other = one_test();
            let name = format!("test {number}");
            other.study.tests[0].name.clone_from(&name);
            other.trials.iter_mut().for_each(|trial| trial.key.test.clone_from(&name));
            data.study.tests.append(&mut other.study.tests);
            data.trials.append(&mut other.trials);
        }
        let analysis = analyse(&data);
        let summary = analysis.summary.as_ref().expect("twenty tests rank two targets");
        singly += usize::from(summary.targets.iter().any(|placings| placings.first > 0));
        together += usize::from(summary.targets.iter().any(|target| target.first_over_tests > 0));
    }
    // By themselves one in twenty tests errs, and most studies have one.
    assert!(singly > limit(CURVES, 30.0), "{singly} of {CURVES}");
    assert!(together <= limit(CURVES, 5.0), "{together} of {CURVES}");
}
