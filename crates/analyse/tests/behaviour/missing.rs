//! Studies some of whose trials failed, or stalled.

use crate::support::{Noise, dataset, fail, found, tiers, verdicts};
use analyse::{Evidence, Metric, Stalled, Verdict, analyse};
use test_support::imported;

const LEVELS: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// The verdicts of a study of two targets, the second faster by that factor, with scatter of 5 %, of
/// which 30 % of the trials failed.
fn with_failures(truth: f64, seed: u64) -> Vec<Verdict> {
    let mut noise = Noise::new(seed);
    let mut data = dataset(&["a", "b"], &LEVELS, 8, |target, _, _| {
        let truth = if target == "a" { 1.0 } else { truth };
        1000.0 * truth * noise.factor(0.05)
    });
    let mut pick = Noise::new(seed + 5000);
    data.trials.iter_mut().filter(|_| pick.below(10) < 3).for_each(fail);
    verdicts(&analyse(&data), Metric::Throughput)
}

#[test]
fn trials_whose_partner_failed_count_as_well() {
    let all: Vec<Verdict> = (0..60).flat_map(|seed| with_failures(1.1, seed)).collect();
    let found = all.iter().filter(|verdict| **verdict == Verdict::CandidateBetter).count();
    let share = found as f64 / all.len() as f64;
    // By pairs alone 0.50; of 8 repeats without failures 0.93.
    assert!(share > 0.58, "{share}");
}

#[test]
fn failures_make_no_difference_of_equal_targets() {
    let differ = |verdicts: &Vec<Verdict>| {
        let better = [Verdict::BaselineBetter, Verdict::CandidateBetter];
        verdicts.iter().any(|verdict| better.contains(verdict))
    };
    let wrong = (0..100).map(|seed| with_failures(1.0, seed)).filter(differ).count();
    assert!(wrong <= 5, "{wrong} of 100");
}

#[test]
fn a_target_that_stalls_is_better_nowhere() {
    let mut noise = Noise::new(4);
    let mut table = String::from("target,test,concurrency,block,metric,value\n");
    for level in LEVELS {
        for repeat in 1..=10 {
            let fast = if repeat % 5 < 2 { 0.0 } else { 1200.0 * noise.factor(0.02) };
            let slow = 1000.0 * noise.factor(0.02);
            for (target, value) in [("slow", slow), ("stalls", fast)] {
                let row = format!("{target},t,{level},{repeat},transactions_per_s,{value:.2}\n");
                table.push_str(&row);
            }
        }
    }
    let data = imported("stalls", &table);
    let analysis = analyse(&data);
    let better = [Verdict::BaselineBetter, Verdict::CandidateBetter];
    assert!(!verdicts(&analysis, Metric::Throughput).iter().any(|one| better.contains(one)));
    assert!(analysis.tests[0].overall.iter().all(|all| !better.contains(&all.verdict)));
    assert_eq!(tiers(&analysis).len(), 1, "{:?}", tiers(&analysis));
    let stalled = Stalled { stalled: 4, trials: 10 };
    let said = found(&analysis, |evidence| *evidence == Evidence::Stalled(stalled));
    assert_eq!(said.len(), LEVELS.len());
    let cell = analysis.tests[0].cells.iter().find(|cell| cell.target == "stalls");
    let median = cell.and_then(|cell| cell.estimate(Metric::Throughput)).map(|one| one.n);
    assert_eq!(median, Some(10), "zeros count");
}

#[test]
fn sorted_rows_of_equal_targets_make_no_difference() {
    let differ = |seed: u64| {
        let mut noise = Noise::new(seed);
        let mut table = String::from("target,test,concurrency,repeat,metric,value\n");
        for level in [1, 4, 16] {
            for target in ["a", "b"] {
                let mut values: Vec<f64> = (0..5).map(|_| 1000.0 * noise.factor(0.05)).collect();
                values.sort_by(f64::total_cmp);
                for (repeat, value) in (1..).zip(values) {
                    table.push_str(&format!(
                        "{target},t,{level},{repeat},transactions_per_s,{value:.2}\n"
                    ));
                }
            }
        }
        let data = imported("sorted", &table);
        let better = [Verdict::BaselineBetter, Verdict::CandidateBetter];
        verdicts(&analyse(&data), Metric::Throughput).iter().any(|one| better.contains(one))
    };
    let wrong = (0..100).filter(|&seed| differ(seed)).count();
    assert!(wrong <= 5, "{wrong} of 100");
}
