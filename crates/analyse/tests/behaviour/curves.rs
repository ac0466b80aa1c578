//! Throughput along the levels of one target.

use crate::support::{Noise, dataset, fail, found, trial};
use analyse::{CurveShape, Evidence, Peak, analyse};
use model::Dataset;

const LEVELS: [u32; 5] = [1, 2, 4, 8, 16];

/// One target with these throughputs, and little noise that differs from repeat to repeat.
fn curve(throughputs: [f64; 5], repeats: u32) -> Dataset {
    let mut noise = Noise::new(5);
    dataset(&["only"], &LEVELS, repeats, |_, clients, _| {
        throughputs[clients.ilog2() as usize] * noise.factor(0.003)
    })
}

#[test]
fn a_decline_after_the_peak_is_found_with_its_size() {
    let data = curve([100.0, 190.0, 350.0, 300.0, 210.0], 3);
    let analysis = analyse(&data);
    let curve = &analysis.tests[0].curves[0];
    assert_eq!(curve.peak.clients, 4);
    let CurveShape::Declines { at, ratio } = curve.shape else { panic!("{:?}", curve.shape) };
    assert_eq!(at.clients, 16);
    assert!((ratio.point - 0.6).abs() < 0.02);
    // Four levels might have been the peak: each is held to 1 − 2 · 0.05 / 4.
    assert!((ratio.interval.unwrap().confidence - 0.975).abs() < 1e-9);

    let decline = found(&analysis, |e| matches!(e, Evidence::Decline(_)));
    assert_eq!(decline[0].subject.level.unwrap().clients, 16);
    let peak = found(&analysis, |e| matches!(e, Evidence::Peak(Peak { still_rising: false, .. })));
    assert_eq!(peak[0].subject.level.unwrap().clients, 4);
}

#[test]
fn a_curve_that_still_rises_says_that_the_peak_may_lie_beyond() {
    let data = curve([100.0, 190.0, 350.0, 500.0, 600.0], 3);
    let analysis = analyse(&data);
    assert_eq!(analysis.tests[0].curves[0].shape, CurveShape::StillRising);
    let peak = found(&analysis, |e| matches!(e, Evidence::Peak(Peak { still_rising: true, .. })));
    assert_eq!(peak[0].subject.level.unwrap().clients, 16);
}

#[test]
fn a_plateau_is_flat_whichever_of_its_levels_was_the_luckiest() {
    for plateau in [[100.0, 200.0, 400.0, 401.0, 400.0], [100.0, 200.0, 300.0, 400.0, 402.0]] {
        let data = curve(plateau, 3);
        assert_eq!(analyse(&data).tests[0].curves[0].shape, CurveShape::Flat, "{plateau:?}");
    }
}

#[test]
fn noise_and_single_repeats_leave_a_shape_unresolved() {
    let single = curve([100.0, 200.0, 400.0, 300.0, 200.0], 1);
    assert_eq!(analyse(&single).tests[0].curves[0].shape, CurveShape::Unresolved);

    let mut noise = Noise::new(9);
    let noisy = dataset(&["only"], &LEVELS, 3, |_, _, _| 400.0 * noise.factor(0.2));
    assert_eq!(analyse(&noisy).tests[0].curves[0].shape, CurveShape::Unresolved);
}

#[test]
fn one_level_is_no_curve() {
    let data = dataset(&["only"], &[8], 3, |_, _, repeat| 100.0 + f64::from(repeat));
    let analysis = analyse(&data);
    assert_eq!(analysis.tests[0].curves[0].shape, CurveShape::SinglePoint);
    assert!(found(&analysis, |e| matches!(e, Evidence::Peak(_))).is_empty());
}

#[test]
fn a_curve_ends_at_the_highest_level_that_has_data() {
    let mut data = curve([100.0, 190.0, 350.0, 250.0, 210.0], 3);
    (1..=3).for_each(|repeat| fail(trial(&mut data, "only", 16, repeat)));
    let analysis = analyse(&data);
    let CurveShape::Declines { at, .. } = analysis.tests[0].curves[0].shape else {
        panic!("{:?}", analysis.tests[0].curves[0].shape)
    };
    assert_eq!(at.clients, 8);
    assert_eq!(found(&analysis, |e| matches!(e, Evidence::TrialFailed(_))).len(), 3);
}

#[test]
fn a_curve_that_ends_in_failures_is_not_called_rising() {
    let mut data = curve([100.0, 190.0, 350.0, 500.0, 600.0], 3);
    (1..=3).for_each(|repeat| fail(trial(&mut data, "only", 16, repeat)));
    data.trials.retain(|record| record.key.level.clients != 8 || record.key.repeat < 3);
    let analysis = analyse(&data);
    let curve = &analysis.tests[0].curves[0];
    assert_eq!((curve.peak.clients, curve.shape), (8, CurveShape::CutShort));
    let peak = found(&analysis, |e| matches!(e, Evidence::Peak(_)));
    let Evidence::Peak(Peak { still_rising, without_data, .. }) = &peak[0].evidence else {
        unreachable!("filtered above")
    };
    assert!(!still_rising);
    assert_eq!(without_data.iter().map(|level| level.clients).collect::<Vec<u32>>(), [16]);
}

#[test]
fn a_peak_that_owes_its_rank_to_the_blocks_that_are_left_is_not_called_rising() {
    // Level 16 is 20 % above level 8 in every block, but blocks 1 to 3 are slow, and there
    // level 8 has no data: its median, and only that, is the highest.
    let mut data = dataset(&["only"], &[1, 8, 16], 5, |_, clients, repeat| {
        let block = if repeat <= 3 { 100.0 } else { 1000.0 };
        let speed = match clients {
            1 => 0.1,
            8 => 1.0,
            _ => 1.2,
        };
        speed * block
    });
    for repeat in 1..=3 {
        fail(trial(&mut data, "only", 8, repeat));
    }
    let analysis = analyse(&data);
    let curve = &analysis.tests[0].curves[0];
    assert_eq!((curve.peak.clients, curve.shape), (8, CurveShape::Unresolved));
}

#[test]
fn of_equal_peaks_the_one_with_fewer_clients_counts() {
    let data = dataset(&["only"], &[1, 2, 4], 3, |_, _, _| 100.0);
    assert_eq!(analyse(&data).tests[0].curves[0].peak.clients, 1);
}
