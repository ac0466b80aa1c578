//! Tiers at the peaks.

use crate::support::{dataset, fail, price, tiers, trial};
use analyse::{Metric, analyse};

/// Throughput that scatters by ±1 over three repeats, the same way for all.
fn steady(base: f64, repeat: u32) -> f64 {
    base + f64::from(repeat) - 2.0
}

#[test]
fn clearly_different_targets_get_a_tier_each_best_first() {
    let data = dataset(&["slow", "fast", "middle"], &[1, 8], 3, |target, clients, repeat| {
        let peak = match target {
            "slow" => 1000.0,
            "fast" => 2000.0,
            _ => 1500.0,
        };
        steady(if clients == 8 { peak } else { 500.0 }, repeat)
    });
    let analysis = analyse(&data);
    assert_eq!(tiers(&analysis), [["fast"], ["middle"], ["slow"]]);
    assert_eq!(analysis.tests[0].ranking.tiers[0][0].level.clients, 8);
}

#[test]
fn each_target_is_ranked_at_its_own_peak() {
    let data = dataset(&["early", "late"], &[1, 8], 3, |target, clients, repeat| {
        steady(if (target == "early") == (clients == 1) { 2000.0 } else { 300.0 }, repeat)
    });
    let analysis = analyse(&data);
    assert_eq!(tiers(&analysis), [["early", "late"]]);
    let places = &analysis.tests[0].ranking.tiers[0];
    assert_eq!((places[0].level.clients, places[1].level.clients), (1, 8));
}

#[test]
fn a_tie_in_the_middle_joins_targets_that_differ() {
    // high ≈ wide ≈ low, and yet high is clearly above low: no boundary can be drawn between
    // neighbours, so none is drawn.
    let data = dataset(&["low", "wide", "high"], &[1], 3, |target, _, repeat| match target {
        "high" => steady(1200.0, repeat),
        "low" => steady(1000.0, repeat),
        _ => [1100.0, 700.0, 1700.0][repeat as usize - 1],
    });
    assert_eq!(tiers(&analyse(&data)), [["high", "wide", "low"]]);
}

#[test]
fn who_is_clearly_behind_one_of_the_first_is_not_first_in_the_summary() {
    let mut table = "target,test,metric,value,clients,block\n".to_owned();
    for test in ["one", "two"] {
        for (target, values) in [
            ("low", [990, 1000, 1010, 995, 1005]),
            ("wide", [1900, 800, 3600, 700, 3000]),
            ("high", [2490, 2500, 2510, 2495, 2505]),
        ] {
            for (block, value) in (1..).zip(values) {
                table += &format!("{target},{test},throughput,{value},1,{block}\n");
            }
        }
    }
    let data = test_support::imported("two tests", &table);
    let analysis = analyse(&data);
    assert_eq!(tiers(&analysis), [["high", "wide", "low"]]);
    // low is behind high, and nobody else behind anybody.
    let places = analysis.tests[0].ranking.tiers[0].iter();
    let places: Vec<_> = places.map(|place| (place.place, place.worse)).collect();
    assert_eq!(places, [(1, 1), (1, 0), (3, 0)]);
    let summary = analysis.summary.expect("two tests");
    assert_eq!(summary.tests[0].first, ["high", "wide"]);
    assert!(summary.tests[0].second.is_empty(), "{:?}", summary.tests[0].second);
}

#[test]
fn places_after_a_shared_one_leave_out_as_many_as_share_it() {
    // Nobody is clearly ahead of the first two, and the second, which scatters, is ahead of the last alone.
    let data = dataset(&["a", "b", "c", "d", "e"], &[1], 6, |target, _, repeat| match target {
        "a" => steady(4000.0, repeat),
        "b" => [1300.0, 900.0, 1700.0, 1250.0, 950.0, 1650.0][repeat as usize - 1],
        "c" => steady(1200.0, repeat),
        "d" => steady(1000.0, repeat),
        _ => steady(100.0, repeat),
    });
    let analysis = analyse(&data);
    let ranked = analysis.tests[0].ranking.tiers.iter().flatten();
    let places: Vec<_> = ranked.map(|one| (one.target.as_str(), one.place, one.better)).collect();
    let expected = [("a", 1, 0), ("b", 1, 0), ("c", 3, 1), ("d", 4, 2), ("e", 5, 4)];
    assert_eq!(places, expected);
}

#[test]
fn an_uncertain_leader_keeps_all_that_may_equal_it_in_its_tier() {
    // high is clearly above low, but wide, which leads, may equal either.
    let data = dataset(&["low", "wide", "high"], &[1], 3, |target, _, repeat| match target {
        "high" => steady(1200.0, repeat),
        "low" => steady(1000.0, repeat),
        _ => [1300.0, 700.0, 2100.0][repeat as usize - 1],
    });
    assert_eq!(tiers(&analyse(&data)), [["wide", "high", "low"]]);
}

#[test]
fn a_boundary_needs_every_pair_across_it() {
    let data = dataset(&["a", "b", "c", "d"], &[1], 3, |target, _, repeat| match target {
        "a" => steady(2000.0, repeat),
        "b" => steady(1990.0, repeat),
        "c" => steady(1000.0, repeat),
        _ => steady(995.0, repeat),
    });
    assert_eq!(tiers(&analyse(&data)), [["a", "b"], ["c", "d"]]);
}

#[test]
fn a_target_whose_trials_all_failed_is_not_ranked() {
    let mut data = dataset(&["good", "bad"], &[1, 2], 2, |_, _, repeat| steady(1000.0, repeat));
    for clients in [1, 2] {
        for repeat in [1, 2] {
            fail(trial(&mut data, "bad", clients, repeat));
        }
    }
    let analysis = analyse(&data);
    assert_eq!(tiers(&analysis), [["good"]]);
    assert_eq!(analysis.tests[0].ranking.unranked, ["bad"]);
    assert!(analysis.tests[0].comparisons.is_empty());
    assert_eq!(analysis.tests[0].cells.len(), 4);
    assert!(analysis.tests[0].cells[2].estimate(Metric::Throughput).is_none());
}

#[test]
fn a_price_becomes_a_cost_per_million_transactions() {
    // 2628 EUR a month at 1000 transactions a second: 2,628,000,000 transactions a month.
    let mut data = dataset(&["priced", "unpriced"], &[1], 3, |_, _, _| 1000.0);
    price(&mut data, "priced", 2628.0);
    let analysis = analyse(&data);
    let costs: Vec<_> =
        analysis.tests[0].ranking.tiers[0].iter().map(|p| p.cost_per_million.clone()).collect();
    let (cost, currency) = costs[0].clone().unwrap();
    assert!((cost - 1.0).abs() < 1e-9, "{cost}");
    assert_eq!((currency.as_str(), &costs[1]), ("EUR", &None));
}
