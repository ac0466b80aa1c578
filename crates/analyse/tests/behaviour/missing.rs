//! Studies some of whose trials failed, or stalled.

use crate::support::{Noise, dataset, fail, found, tiers, verdicts};
use analyse::{Evidence, Metric, Stalled, Verdict, analyse};
use model::{Block, Dataset, Extension, Trial, TrialRecord, UnixMillis};
use test_support::{MEASURE, imported, load, record};

const LEVELS: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// A study of two targets, the second faster by that factor, with scatter of 5 %, of which 30 % of
/// the trials failed.
fn with_failures(truth: f64, seed: u64) -> Dataset {
    let mut noise = Noise::new(seed);
    let mut data = dataset(&["a", "b"], &LEVELS, 8, |target, _, _| {
        let truth = if target == "a" { 1.0 } else { truth };
        1000.0 * truth * noise.factor(0.05)
    });
    let mut pick = Noise::new(seed + 5000);
    data.trials.iter_mut().filter(|_| pick.below(10) < 3).for_each(fail);
    data
}

fn of_throughput(data: &Dataset) -> Vec<Verdict> {
    verdicts(&analyse(data), Metric::Throughput)
}

/// The same, with each failed trial of the second target measured anew.
fn with_some_anew(truth: f64, seed: u64) -> Dataset {
    let mut noise = Noise::new(seed + 9000);
    let mut data = with_failures(truth, seed);
    let mut position = data.plan.all_trials().count() as u32;
    for number in 1..=8 {
        let of_block = |record: &&mut TrialRecord| {
            record.key.repeat == number && record.key.target == "b" && record.has_failed()
        };
        let mut trials = Vec::new();
        for failed in data.trials.iter_mut().filter(of_block) {
            let key = failed.key.clone();
            position += 1;
            let trial = Trial { key, position, seed: failed.seed, load_time: MEASURE };
            let throughput = 1000.0 * truth * noise.factor(0.05);
            *failed = record(&trial, load(trial.key.level.clients, throughput));
            trials.push(trial);
        }
        if !trials.is_empty() {
            data.plan.blocks.push(Block { number, extension: 1, trials });
        }
    }
    data.trials.sort_by_key(|record| record.position);
    data.run.extensions.push(Extension {
        merged_from: None,
        at: UnixMillis(0),
        weighin_version: data.run.weighin_version.clone(),
        host: data.run.host.clone(),
        changes: Vec::new(),
    });
    data
}

#[test]
fn trials_whose_partner_failed_count_as_well() {
    let all: Vec<Verdict> =
        (0..60).flat_map(|seed| of_throughput(&with_failures(1.1, seed))).collect();
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
    let wrong =
        (0..100).map(|seed| of_throughput(&with_failures(1.0, seed))).filter(differ).count();
    assert!(wrong <= 5, "{wrong} of 100");
    let wrong =
        (0..100).map(|seed| of_throughput(&with_some_anew(1.0, seed))).filter(differ).count();
    assert!(wrong <= 5, "{wrong} of 100 with some anew");
}

#[test]
fn what_was_measured_anew_counts_without_a_partner() {
    let found = |data: fn(f64, u64) -> Dataset| {
        let all = (0..60).flat_map(|seed| of_throughput(&data(1.1, seed)));
        all.filter(|verdict| *verdict == Verdict::CandidateBetter).count()
    };
    let (failed, anew) = (found(with_failures), found(with_some_anew));
    assert!(anew > failed, "{anew} and {failed} of {}", 60 * LEVELS.len());
}

/// Each cell has four of six repeats, of which two have both targets.
#[test]
fn values_without_a_partner_count_also_where_all_cells_have_as_many() {
    let resolved = |alone: bool| {
        let mut noise = Noise::new(11);
        let mut data = dataset(&["a", "b"], &LEVELS, 6, |target, _, _| {
            let truth = if target == "a" { 1.0 } else { 1.08 };
            1000.0 * truth * noise.factor(0.04)
        });
        for record in &mut data.trials {
            let lost = if record.key.target == "a" { [1, 2] } else { [5, 6] };
            if lost.contains(&record.key.repeat)
                || (!alone && [1, 2, 5, 6].contains(&record.key.repeat))
            {
                fail(record);
            }
        }
        let analysis = analyse(&data);
        let ratios = analysis.tests[0].comparisons.iter();
        let ratios = ratios.filter(|one| one.metric == Metric::Throughput);
        let width = |one: &analyse::Comparison| {
            one.ratio.interval.map_or(f64::INFINITY, |i| (i.high / i.low).ln())
        };
        ratios.map(width).sum::<f64>()
    };
    let (with, without) = (resolved(true), resolved(false));
    assert!(with < 0.95 * without, "{with} and {without}");
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
