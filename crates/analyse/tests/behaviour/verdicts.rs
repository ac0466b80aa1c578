//! Targets against each other, level by level.

use crate::support::{Noise, comparison, dataset, fail, found, load_of, trial, verdicts};
use analyse::{BetterAtLevels, EquivalentAtLevels, Evidence, Metric, Severity, Verdict, analyse};
use test_support::balance;

fn clients(levels: &[model::Level]) -> Vec<u32> {
    levels.iter().map(|level| level.clients).collect()
}

#[test]
fn a_target_that_is_30_percent_slower_is_found_slower_at_every_level() {
    let mut noise = Noise::new(7);
    let data = dataset(&["fast", "slow"], &[1, 4, 16], 3, |target, clients, _| {
        let speed = if target == "fast" { 1.0 } else { 0.7 };
        speed * 500.0 * f64::from(clients).sqrt() * noise.factor(0.02)
    });
    let analysis = analyse(&data);
    assert_eq!(verdicts(&analysis, Metric::Throughput), [Verdict::BaselineBetter; 3]);
    assert_eq!(verdicts(&analysis, Metric::LatencyP95), [Verdict::BaselineBetter; 3]);

    let better = found(&analysis, |e| matches!(e, Evidence::BetterAtLevels(_)));
    let [finding] = better[..] else { panic!("one finding for the whole range: {better:?}") };
    assert_eq!(finding.severity, Severity::Notice);
    let Evidence::BetterAtLevels(BetterAtLevels { winner, loser, levels, ratios, bounds, .. }) =
        &finding.evidence
    else {
        unreachable!("filtered above")
    };
    assert_eq!((winner.as_str(), loser.as_str()), ("fast", "slow"));
    assert_eq!(clients(levels), [1, 4, 16]);
    assert!(ratios.0.point <= ratios.1.point);
    assert!((ratios.0.point - 1.0 / 0.7).abs() < 0.1 && (ratios.1.point - 1.0 / 0.7).abs() < 0.1);
    let intervals: Vec<stats::Interval> = analysis.tests[0]
        .comparisons
        .iter()
        .filter(|comparison| comparison.metric == Metric::Throughput)
        .filter_map(|comparison| comparison.ratio.reciprocal().interval)
        .collect();
    assert!(bounds.0 > 1.0 && intervals.len() == 3);
    assert!(intervals.iter().all(|i| i.low >= bounds.0 && i.high <= bounds.1));
}

#[test]
fn a_candidate_that_is_better_wins_on_throughput_and_on_latency() {
    let data = dataset(&["old", "new"], &[8], 6, |target, _, repeat| {
        (if target == "old" { 100.0 } else { 150.0 }) + f64::from(repeat)
    });
    let analysis = analyse(&data);
    assert_eq!(comparison(&analysis, 8, Metric::Throughput).verdict, Verdict::CandidateBetter);
    let latency = comparison(&analysis, 8, Metric::LatencyP95);
    assert_eq!(latency.verdict, Verdict::CandidateBetter);
    assert!(latency.ratio.point < 0.7 && latency.base.point > 80.0);
}

#[test]
fn equal_targets_with_little_noise_are_equivalent() {
    let mut noise = Noise::new(3);
    let data = dataset(&["a", "b"], &[1, 8], 6, |_, _, _| 1000.0 * noise.factor(0.004));
    let analysis = analyse(&data);
    assert_eq!(verdicts(&analysis, Metric::Throughput), [Verdict::Equivalent; 2]);
    let same = found(&analysis, |e| matches!(e, Evidence::EquivalentAtLevels(_)));
    let Evidence::EquivalentAtLevels(EquivalentAtLevels { levels, margin, .. }) = &same[0].evidence
    else {
        unreachable!("filtered above")
    };
    assert_eq!((same.len(), clients(levels), *margin), (1, vec![1, 8], 0.03));
}

#[test]
fn a_difference_that_is_sure_but_within_the_margin_is_equivalence() {
    let data = dataset(&["a", "b"], &[4], 6, |target, _, repeat| {
        (if target == "a" { 10_000.0 } else { 10_100.0 }) + f64::from(repeat)
    });
    assert_eq!(verdicts(&analyse(&data), Metric::Throughput), [Verdict::Equivalent]);
}

#[test]
fn a_single_repeat_resolves_nothing_however_large_the_difference() {
    let data =
        dataset(&["a", "b"], &[4], 1, |target, _, _| if target == "a" { 9.0 } else { 900.0 });
    let analysis = analyse(&data);
    let comparison = comparison(&analysis, 4, Metric::Throughput);
    assert_eq!(comparison.verdict, Verdict::Unresolved);
    assert!(comparison.ratio.interval.is_none());
    assert!(analysis.tests[0].cells[0].spread.is_none(), "one value shows no spread");
    // One rule for what was measured here and what others printed: an order, and no word on pairs.
    let ranking = &analysis.tests[0].ranking;
    let order = ranking.measured_once.iter().map(|place| (place.place, place.target.as_str()));
    assert_eq!(order.collect::<Vec<_>>(), [(1, "b"), (2, "a")]);
    assert_eq!(ranking.tiers.len(), 1);
    assert!(found(&analysis, |e| matches!(e, Evidence::UnresolvedAtLevels(_))).is_empty());
}

#[test]
fn what_slows_a_whole_block_does_not_hide_a_difference() {
    let data = dataset(&["a", "b"], &[4], 3, |target, _, repeat| {
        let block = [1000.0, 300.0, 100.0][repeat as usize - 1] + f64::from(repeat);
        block * if target == "a" { 1.0 } else { 1.2 }
    });
    let analysis = analyse(&data);
    let comparison = comparison(&analysis, 4, Metric::Throughput);
    assert_eq!(comparison.verdict, Verdict::CandidateBetter);
    assert!((comparison.ratio.point - 1.2).abs() < 0.001);
}

#[test]
fn levels_with_the_same_verdict_are_one_finding_for_each_direction() {
    let mut data = dataset(&["a", "b"], &[1, 2, 4, 8, 16], 6, |target, clients, repeat| {
        let b_wins = clients >= 8;
        let base = 1000.0 + f64::from(repeat);
        if (target == "b") == b_wins { base * 1.5 } else { base }
    });
    (1..=6).for_each(|repeat| fail(trial(&mut data, "a", 2, repeat)));
    let analysis = analyse(&data);
    let ranges: Vec<(&str, Vec<u32>)> = analysis
        .findings
        .iter()
        .filter_map(|finding| match &finding.evidence {
            Evidence::BetterAtLevels(BetterAtLevels { winner, levels, .. }) => {
                Some((winner.as_str(), clients(levels)))
            }
            _ => None,
        })
        .collect();
    assert_eq!(ranges, [("a", vec![1, 4]), ("b", vec![8, 16])]);
}

#[test]
fn with_fewer_than_two_common_repeats_the_medians_are_compared_unpaired() {
    let mut data = dataset(&["a", "b"], &[4], 4, |target, _, repeat| {
        (if target == "a" { 1000.0 } else { 2000.0 }) + f64::from(repeat)
    });
    for (target, repeat) in [("a", 4), ("b", 1), ("b", 2)] {
        fail(trial(&mut data, target, 4, repeat));
    }
    // a has repeats 1, 2 and 3, b has 3 and 4: one pair; then none.
    for _ in 0..2 {
        let analysis = analyse(&data);
        let comparison = comparison(&analysis, 4, Metric::Throughput);
        assert_eq!(comparison.verdict, Verdict::CandidateBetter);
        assert_eq!(comparison.ratio.n, 2);
        fail(trial(&mut data, "a", 4, 3));
    }
}

#[test]
fn a_few_whole_transactions_do_not_prove_a_difference() {
    // 10 against 11 transactions in all three repeats: one more or less may be the window's edge.
    let data = dataset(&["a", "b"], &[1], 3, |target, _, _| if target == "a" { 1.0 } else { 1.1 });
    assert_eq!(verdicts(&analyse(&data), Metric::Throughput), [Verdict::Unresolved]);
}

#[test]
fn a_percentile_of_too_few_transactions_is_not_given() {
    // The smallest numbers for which an interval around each percentile can end.
    for (transactions, given) in [(5, 0), (6, 1), (71, 1), (72, 2), (367, 2), (368, 3)] {
        let mut data = dataset(&["a"], &[1], 1, |_, _, _| 2.0);
        let mut latencies = model::Latencies::new();
        (0..transactions).for_each(|_| latencies.record(std::time::Duration::from_millis(500)));
        let record = trial(&mut data, "a", 1, 1);
        let load = load_of(record);
        load.measure.transactions = transactions;
        load.measure.elapsed = transactions as u32 * std::time::Duration::from_millis(500);
        load.latencies = latencies;
        balance(record);
        let cell = &analyse(&data).tests[0].cells[0];
        let percentiles =
            [Metric::LatencyP50, Metric::LatencyP95, Metric::LatencyP99].map(|m| cell.estimate(m));
        let expected: Vec<bool> = (0..3).map(|i| i < given).collect();
        assert_eq!(percentiles.map(|p| p.is_some()).to_vec(), expected, "{transactions}");
        assert_eq!(cell.trials[0].figures.contains_key(&Metric::LatencyP95), given > 1);
        assert!(
            cell.estimate(Metric::Throughput).is_some()
                && cell.estimate(Metric::LatencyMean).is_some()
        );
    }
}

#[test]
fn a_slow_trial_without_percentile_does_not_leave_the_word_to_the_fast_ones() {
    let mut data = dataset(&["a", "b"], &[1], 3, |_, _, _| 100.0);
    let mut few = model::Latencies::new();
    (0..20).for_each(|_| few.record(std::time::Duration::from_millis(10)));
    let record = trial(&mut data, "a", 1, 2);
    let load = load_of(record);
    load.measure.transactions = few.count();
    load.measure.elapsed = std::time::Duration::from_millis(200);
    load.latencies = few;
    balance(record);
    let analysis = analyse(&data);
    assert_eq!(analysis.tests[0].cells[0].estimate(Metric::LatencyP95), None);
    assert!(verdicts(&analysis, Metric::LatencyP95).is_empty());
}

#[test]
fn where_a_repeat_lies_far_off_no_number_of_repeats_is_promised() {
    let further = |outlier: f64| {
        let mut noise = Noise::new(3);
        let data = dataset(&["a", "b", "c"], &[1, 8, 32], 8, |target, clients, repeat| {
            let ahead = if target == "b" { 1.02 } else { 1.0 };
            let off = if (target, clients, repeat) == ("b", 8, 3) { outlier } else { 1.0 };
            1000.0 * ahead * off * noise.factor(0.05)
        });
        let analysis = analyse(&data);
        let at = |clients: u32| {
            let comparison = analysis.tests[0].comparisons.iter().find(|one| {
                (one.baseline.as_str(), one.candidate.as_str(), one.level.clients, one.metric)
                    == ("a", "b", clients, Metric::Throughput)
            });
            let comparison = comparison.unwrap();
            assert_eq!(comparison.verdict, Verdict::Unresolved, "{comparison:?}");
            comparison.strength.further_repeats
        };
        (at(1), at(8))
    };
    let (quiet, at_eight) = further(1.0);
    assert!(quiet.is_some() && at_eight.is_some(), "{quiet:?} {at_eight:?}");
    let (quiet, at_eight) = further(0.4);
    assert!(quiet.is_some() && at_eight.is_none(), "{quiet:?} {at_eight:?}");
}
