//! Repeats that go on until all is resolved.

use crate::support::{Noise, TEST, found};
use analyse::runs::{EarlierRuns, compare_runs};
use analyse::{Evidence, Metric, RepeatsEnd, Verdict, analyse, open_trials};
use model::{
    Block, Dataset, Extension, Plan, Study, Trial, TrialKey, TrialRecord, UnixMillis, Until,
};
use std::collections::BTreeSet;
use test_support::{load, plan, record, study};

pub const MOST: u32 = 12;

pub fn asked(targets: &[&str], levels: &[u32]) -> Study {
    Study { until: Some(Until { min: 3 }), ..study(targets, levels, MOST) }
}

/// The throughput of a trial.
pub type Truth<'a> = &'a dyn Fn(&TrialKey) -> f64;

/// Runs the first blocks of a study.
pub fn begun(study: Study, throughput: Truth) -> Dataset {
    let plan = plan(&Study { repeats: 3, ..study.clone() }, 0);
    measured(study, plan, throughput)
}

fn measured(study: Study, plan: Plan, throughput: Truth) -> Dataset {
    test_support::dataset(study, plan, |trial| recorded(trial, throughput))
}

fn recorded(trial: &Trial, throughput: Truth) -> TrialRecord {
    record(trial, load(trial.key.level.clients, throughput(&trial.key)))
}

/// Runs the next block, where there is one.
fn goes_on(data: &mut Dataset, throughput: Truth) -> bool {
    let wanted = open_trials(&analyse(data));
    let first = data.plan.trials().next().expect("a plan has trials").clone();
    let last = data.plan.all_trials().count() as u32;
    let trial = |(position, key): (u32, TrialKey)| Trial { key, position, ..first.clone() };
    let trials: Vec<Trial> = (last + 1..).zip(wanted).map(trial).collect();
    if trials.is_empty() {
        return false;
    }
    let number = data.plan.repeats() + 1;
    let extension = data.plan.blocks.last().map_or(0, |block| block.extension);
    data.trials.extend(trials.iter().map(|trial| recorded(trial, throughput)));
    data.plan.blocks.push(Block { number, extension, trials });
    true
}

/// With all that was planned since.
fn measured_again(data: &Dataset, throughput: Truth) -> Dataset {
    let run = data.run.clone();
    Dataset { run, ..measured(data.study.clone(), data.plan.clone(), throughput) }
}

/// Runs a study to its end.
pub fn run(study: Study, throughput: Truth) -> Dataset {
    to_its_end(begun(study, throughput), throughput)
}

/// Goes on with a run to its end.
pub fn to_its_end(mut data: Dataset, throughput: Truth) -> Dataset {
    while goes_on(&mut data, throughput) {}
    data
}

/// Noise that a trial always has, whenever it is asked for.
pub fn noise(key: &TrialKey, seed: u64, scatter: f64) -> f64 {
    let name = format!("{}/{}/{}", key.target, key.level.clients, key.repeat);
    let salt = name.bytes().fold(seed, |salt, byte| {
        (salt ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3).rotate_left(17)
    });
    Noise::new(salt).factor(scatter)
}

pub fn repeats(data: &Dataset, target: &str, clients: u32) -> u32 {
    let own = data.plan.trials().map(|trial| &trial.key);
    let own = own.filter(|key| key.target == target && key.level.clients == clients);
    own.map(|key| key.repeat).max().unwrap_or(0)
}

pub fn ended(data: &Dataset) -> Vec<(u32, u32, RepeatsEnd)> {
    let analysis = analyse(data);
    let told = found(&analysis, |evidence| matches!(evidence, Evidence::RepeatsEnded(_)));
    let [finding] = told[..] else { panic!("{told:?}") };
    let Evidence::RepeatsEnded(ended) = &finding.evidence else { unreachable!() };
    assert_eq!(ended.most, MOST);
    ended.levels.iter().map(|one| (one.level.clients, one.repeats, one.ended)).collect()
}

#[test]
fn what_is_decided_is_left_out_and_the_rest_goes_on() {
    // Far apart with one client; with eight 6 % apart at a scatter of 5 %.
    let truth = |key: &TrialKey| {
        let ahead = match (key.target.as_str(), key.level.clients) {
            ("b", 1) => 1.6,
            ("b", _) => 1.06,
            _ => 1.0,
        };
        1000.0 * ahead * noise(key, 4, 0.05)
    };
    let first = begun(asked(&["a", "b"], &[1, 8]), &truth);
    assert_eq!(
        ended(&first),
        [(1, 3, RepeatsEnd::Resolved), (8, 3, RepeatsEnd::Open)],
        "the run has only begun"
    );
    let done = run(asked(&["a", "b"], &[1, 8]), &truth);
    assert_eq!((repeats(&done, "a", 1), repeats(&done, "b", 1)), (3, 3));
    assert!(repeats(&done, "a", 8) > 3);
    // Nothing is missing: what was left out was never planned.
    assert_eq!(done.missing().count(), 0);
    assert_eq!(done.repeats(), repeats(&done, "a", 8));
}

#[test]
fn equal_targets_that_scatter_little_are_soon_the_same() {
    let done = run(asked(&["a", "b"], &[1, 4, 16]), &|key| 1000.0 * noise(key, 1, 0.004));
    let analysis = analyse(&done);
    let verdicts: BTreeSet<String> =
        analysis.tests[0].comparisons.iter().map(|one| format!("{:?}", one.verdict)).collect();
    assert_eq!(verdicts, ["Equivalent".to_owned()].into());
    assert!(done.repeats() < 6, "{}", done.repeats());
}

#[test]
fn what_all_repeats_would_not_resolve_is_given_up() {
    let done = run(asked(&["a", "b"], &[1, 4, 16]), &|key| 1000.0 * noise(key, 2, 0.3));
    assert!(done.repeats() < MOST, "{}", done.repeats());
    assert!(ended(&done).iter().all(|(.., end)| *end == RepeatsEnd::CannotBeResolved));
}

#[test]
fn a_level_at_which_a_target_has_no_result_is_not_resolved() {
    let mut data = begun(asked(&["a", "b"], &[1, 8]), &|key| 1000.0 * noise(key, 1, 0.004));
    for record in &mut data.trials {
        if record.key.target == "b" && record.key.level.clients == 8 {
            crate::support::fail(record);
        }
    }
    assert_eq!(ended(&data), [(1, 3, RepeatsEnd::Resolved), (8, 3, RepeatsEnd::NotCompared)]);
}

#[test]
fn partners_of_an_open_comparison_stay_together() {
    // c is far ahead; a and b differ by 5 %.
    let truth = |key: &TrialKey| {
        let ahead = [("b", 1.05), ("c", 2.0)].iter().find(|(name, _)| key.target == *name);
        1000.0 * ahead.map_or(1.0, |(_, factor)| *factor) * noise(key, 3, 0.04)
    };
    let done = run(asked(&["a", "b", "c"], &[1, 8]), &truth);
    for clients in [1, 8] {
        assert_eq!(repeats(&done, "a", clients), repeats(&done, "b", clients));
        assert!(repeats(&done, "c", clients) <= repeats(&done, "a", clients));
    }
    assert_eq!(repeats(&done, "c", 1), 3);
    // A cell has no gaps.
    for cell in done.plan.trials().map(|trial| &trial.key) {
        assert!((1..cell.repeat).all(|repeat| {
            let before = TrialKey { repeat, ..cell.clone() };
            done.plan.trials().any(|trial| trial.key == before)
        }));
    }
}

#[test]
fn what_a_look_has_decided_stays() {
    what_is_decided_stays(|_| {});
}

#[test]
fn what_a_look_has_decided_by_trials_that_were_measured_anew_stays() {
    what_is_decided_stays(|data| {
        let block = data.plan.blocks.last().expect("the first blocks");
        let last = data.plan.all_trials().count() as u32;
        let failed = block.trials.iter().filter(|trial| trial.key.target == "b");
        let anew = (last + 1..).zip(failed);
        let trials = anew.map(|(position, trial)| Trial { position, ..trial.clone() }).collect();
        data.plan.blocks.push(Block { number: block.number, extension: 1, trials });
        let extension = Extension {
            merged_from: None,
            at: UnixMillis(0),
            weighin_version: data.run.weighin_version.clone(),
            host: data.run.host.clone(),
            changes: Vec::new(),
        };
        data.run.extensions.push(extension);
    });
}

/// Whatever was added to the first blocks.
fn what_is_decided_stays(added: impl Fn(&mut Dataset)) {
    for seed in 0..40 {
        let truth = |key: &TrialKey| {
            let ahead =
                if key.target == "b" { 1.0 + f64::from(key.level.clients) / 40.0 } else { 1.0 };
            1000.0 * ahead * noise(key, seed, 0.03)
        };
        let mut data = begun(asked(&["a", "b"], &[1, 2, 4, 8]), &truth);
        added(&mut data);
        data = measured_again(&data, &truth);
        let mut before: Vec<(u32, Verdict)> = Vec::new();
        loop {
            let now: Vec<(u32, Verdict)> = {
                let analysis = analyse(&data);
                let metric = analysis.tests[0].basis.expect("trials completed").metric;
                let all = analysis.tests[0].comparisons.iter();
                let all = all.filter(|one| one.metric == metric);
                all.map(|one| (one.level.clients, one.verdict)).collect()
            };
            for (level, verdict) in before.iter().filter(|(_, v)| *v != Verdict::Unresolved) {
                assert!(now.contains(&(*level, *verdict)), "seed {seed}: {before:?} {now:?}");
            }
            before = now;
            if !goes_on(&mut data, &truth) {
                break;
            }
        }
    }
}

#[test]
fn looking_after_each_block_does_not_find_differences_that_are_none() {
    let studies = 60;
    let wrong = (0..studies).filter(|seed| {
        let done = run(asked(&["a", "b"], &[1, 8]), &|key| 1000.0 * noise(key, *seed, 0.05));
        let analysis = analyse(&done);
        analysis.tests[0]
            .comparisons
            .iter()
            .any(|one| matches!(one.verdict, Verdict::CandidateBetter | Verdict::BaselineBetter))
    });
    // More than 8 of 60 happen once in 500 times at 5 %.
    let wrong = wrong.count();
    assert!(wrong <= 8, "{wrong} of {studies}");
}

/// How many repeats a run has rests on how its targets compare, and not on how runs do.
#[test]
fn runs_that_end_when_all_is_resolved_are_rarely_told_apart_if_they_are_equal() {
    let studies = 60;
    let done = |seed: u64| {
        let ahead = |key: &TrialKey| if key.target == "b" { 1.06 } else { 1.0 };
        run(asked(&["a", "b"], &[1, 8]), &|key| 1000.0 * ahead(key) * noise(key, seed, 0.05))
    };
    let wrong = (0..studies).filter(|seed| {
        let found = compare_runs(&done(2 * seed), &done(2 * seed + 1), &EarlierRuns::default());
        let mut results = found.tests.iter().flat_map(|test| &test.results);
        results.any(|result| {
            result.metric == Metric::Throughput
                && matches!(result.verdict, Verdict::BaselineBetter | Verdict::CandidateBetter)
        })
    });
    // Two families, level by level and over all levels; more than 8 of 60 happen once in 500 times at
    // 5 %.
    let wrong = wrong.count();
    assert!(wrong <= 8, "{wrong} of {studies}");
}

#[test]
fn a_plain_number_of_repeats_asks_for_no_more() {
    let data = begun(Study { until: None, ..asked(&["a", "b"], &[1]) }, &|_| 1000.0);
    assert!(open_trials(&analyse(&data)).is_empty());
    let told =
        found(&analyse(&data), |evidence| matches!(evidence, Evidence::RepeatsEnded(_))).len();
    assert_eq!((told, TEST), (0, "oltp"));
}
