//! How often equal things are called different, by simulation with fixed seeds.

use crate::bench::{Noise, dataset, tiers, verdicts};
use analyse::{CurveShape, Metric, Verdict, analyse};

const SEEDS: u64 = 400;

/// 5 % of 400 is 20 with a standard deviation of 4.4; 33 is three of them above.
const LIMIT: usize = 33;

fn is_difference(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::CandidateBetter | Verdict::BaselineBetter)
}

/// Of 400 comparisons of equal targets with this noise, how many find one better.
fn differences(repeats: u32, sigma: f64, metric: Metric) -> usize {
    (0..SEEDS)
        .filter(|&seed| {
            let mut noise = Noise::new(seed);
            let data = dataset(&["a", "b"], &[4], repeats, |_, _, _| 3000.0 * noise.factor(sigma));
            verdicts(&analyse(&data), metric).iter().any(is_difference)
        })
        .count()
}

#[test]
fn equal_targets_are_called_different_in_at_most_5_percent_of_comparisons() {
    for repeats in [2, 3, 6] {
        // Noise well above the margin: relevance does not hide what significance lets through.
        let alarms = differences(repeats, 0.15, Metric::Throughput);
        assert!(alarms <= LIMIT, "{repeats} repeats: {alarms} of {SEEDS}");
        let alarms = differences(repeats, 0.02, Metric::LatencyP95);
        assert!(alarms <= LIMIT, "{repeats} repeats, latency: {alarms} of {SEEDS}");
    }
}

#[test]
fn targets_that_differ_by_more_than_the_margin_are_not_called_equivalent() {
    let claims = (0..SEEDS)
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
    assert!(claims * 40 <= SEEDS as usize, "{claims} of {SEEDS}: 2.5 % are allowed");
}

/// False boundaries between two equal targets with flat curves of six levels.
fn boundaries(sigma_a: f64, sigma_b: f64) -> usize {
    (0..SEEDS)
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
    assert!(alarms <= LIMIT, "{alarms} of {SEEDS}");
    // The known weak spot: 8 % are expected, with a standard deviation of 5.4.
    let alarms = boundaries(0.1, 0.01);
    assert!(alarms <= 48, "{alarms} of {SEEDS} with unequal scatter");
}

#[test]
fn flat_curves_are_said_to_decline_or_rise_in_at_most_5_percent() {
    let (mut declines, mut rises) = (0, 0);
    for seed in 0..SEEDS {
        let mut noise = Noise::new(seed);
        let levels = [1, 2, 4, 8, 16, 32];
        let data = dataset(&["a"], &levels, 3, |_, _, _| 3000.0 * noise.factor(0.1));
        match analyse(&data).tests[0].curves[0].shape {
            CurveShape::Declines { .. } => declines += 1,
            CurveShape::StillRising => rises += 1,
            _ => {}
        }
    }
    assert!(declines <= LIMIT, "{declines} declines of {SEEDS}");
    assert!(rises <= LIMIT, "{rises} rises of {SEEDS}");
}
