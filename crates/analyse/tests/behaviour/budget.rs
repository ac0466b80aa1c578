//! Repeats that end with what the run may take.

use crate::until::{MOST, Truth, asked, begun, ended, noise, repeats, run, to_its_end};
use analyse::{RepeatsEnd, Verdict, analyse};
use model::{Budget, Dataset, Study, TrialKey};
use std::time::Duration;

/// The name of the A/A control of `a`.
const AA_CONTROL: &str = "a (again)";
/// Of a trial of these made-up runs.
const TRIAL: Duration = Duration::from_millis(12_200);

fn with_budget(trials: u32, study: Study) -> Study {
    Study { budget: Some(Budget { time: TRIAL * trials, money: None }), ..study }
}

#[test]
fn no_trial_is_planned_that_does_not_fit() {
    let truth = |key: &TrialKey| {
        let ahead = if key.target == "b" { 1.04 } else { 1.0 };
        1000.0 * ahead * noise(key, 9, 0.05)
    };
    let unlimited = run(asked(&["a", "b"], &[1, 8]), &truth);
    let needed = unlimited.plan.trials().count() as u32;
    assert!(needed > 20, "{needed}");
    for trials in [12, 13, 15, 18, needed, needed + 50] {
        let done = run(with_budget(trials, asked(&["a", "b"], &[1, 8])), &truth);
        let ran = done.plan.trials().count() as u32;
        assert!(ran <= trials && ran <= needed, "{ran} of {trials}");
        // Pairs stay pairs.
        for clients in [1, 8] {
            assert_eq!(repeats(&done, "a", clients), repeats(&done, "b", clients));
        }
        let ends: Vec<RepeatsEnd> = ended(&done).into_iter().map(|(.., end)| end).collect();
        assert!(!ends.contains(&RepeatsEnd::Open), "{ends:?}");
        let ended_early = ran < needed;
        assert!(!ended_early || ends.contains(&RepeatsEnd::Budget), "{trials}: {ends:?}");
        assert!(trials < needed + 50 || !ends.contains(&RepeatsEnd::Budget), "{ends:?}");
    }
}

/// Where a pair was left out for a while, or its A/A control does not fit, the run is over also where
/// there would be room for two trials.
#[test]
fn a_run_that_is_over_does_not_say_that_more_is_to_come() {
    for trials in (18..60).step_by(3) {
        let seed = u64::from(trials);
        let truth = |key: &TrialKey| 1000.0 * noise(key, seed, 0.05);
        let three = run(with_budget(trials, asked(&["a", "b", "c"], &[1, 8])), &truth);
        let mut measured = begun(with_budget(trials, asked(&["a", "b", AA_CONTROL], &[1])), &truth);
        measured.study.aa_control = measured.study.targets.pop();
        for over in [three, to_its_end(measured, &truth)] {
            assert_eq!(over.missing().count(), 0);
            let ends = ended(&over);
            assert!(ends.iter().all(|(.., end)| *end != RepeatsEnd::Open), "{trials}: {ends:?}");
        }
    }
}

/// Eight levels, whose ratio is from 1 to 1.15.
fn levels() -> [u32; 8] {
    [1, 2, 4, 8, 16, 32, 64, 128]
}

fn varied(seed: u64) -> impl Fn(&TrialKey) -> f64 {
    move |key| {
        let place = levels().iter().position(|&level| level == key.level.clients);
        let ahead = [1.0, 1.02, 1.04, 1.05, 1.06, 1.08, 1.1, 1.15][place.expect("a level")];
        let ahead = if key.target == "b" { ahead } else { 1.0 };
        1000.0 * ahead * noise(key, seed, 0.05)
    }
}

fn resolved(data: &Dataset) -> usize {
    let analysis = analyse(data);
    let metric = analysis.tests[0].basis.expect("trials completed").metric;
    let all = analysis.tests[0].comparisons.iter().filter(|one| one.metric == metric);
    all.filter(|one| one.verdict != Verdict::Unresolved).count()
}

/// The first blocks of a run, as many as have no more trials than that.
fn cut_at(trials: usize, mut data: Dataset) -> Dataset {
    let mut ran = 0;
    data.plan.blocks.retain(|block| {
        ran += block.trials.len();
        ran <= trials
    });
    data.trials.truncate(data.plan.trials().count());
    data
}

#[test]
fn what_decides_most_comes_first() {
    let half = MOST / 2 * 2 * levels().len() as u32;
    let (mut chosen, mut evenly) = (0, 0);
    for seed in 0..8 {
        let truth = varied(seed);
        let truth: Truth = &truth;
        chosen += resolved(&run(with_budget(half, asked(&["a", "b"], &levels())), truth));
        let all = run(asked(&["a", "b"], &levels()), truth);
        evenly += resolved(&cut_at(half as usize, all));
    }
    println!("{chosen} comparisons were resolved, {evenly} where all that was open went on");
    assert!(chosen > evenly, "{chosen} and {evenly}");
}

#[test]
fn a_budget_finds_no_differences_that_are_none() {
    let studies = 40;
    let wrong = (0..studies).filter(|seed| {
        let study = with_budget(20, asked(&["a", "b"], &[1, 8]));
        let done = run(study, &|key| 1000.0 * noise(key, *seed, 0.05));
        let analysis = analyse(&done);
        let mut all = analysis.tests[0].comparisons.iter();
        all.any(|one| matches!(one.verdict, Verdict::CandidateBetter | Verdict::BaselineBetter))
    });
    // More than 7 of 40 happen once in 1,000 times at 5 %.
    let wrong = wrong.count();
    assert!(wrong <= 7, "{wrong} of {studies}");
}
