//! Searches for the highest load under a bound on latency.

use crate::support::{Noise, dataset};
use analyse::{Evidence, Finding, SearchAnalysis, SearchOutcome, Verdict, analyse};
use model::{
    Bound, Dataset, Level, Search, SearchAnswer, SearchOver, SearchStep, StepVerdict, Storage,
    Workload,
};
use std::time::Duration;

/// The highest load that met the bound, and the lowest that did not.
pub type Answer = (Option<f64>, Option<f64>);

/// Searches with these answers by target and repeat.
pub fn searched(over: SearchOver, answer: fn(&str, u32) -> Answer) -> Dataset {
    searched_on(&["one", "two"], over, answer)
}

fn searched_on(targets: &[&str], over: SearchOver, answer: fn(&str, u32) -> Answer) -> Dataset {
    searched_often(targets, 6, over, answer)
}

pub fn searched_often(
    targets: &[&str],
    repeats: u32,
    over: SearchOver,
    answer: fn(&str, u32) -> Answer,
) -> Dataset {
    let mut data = dataset(targets, &[4], repeats, |_, _, _| 1000.0);
    let slo = "p95 < 20ms".parse().expect("a bound");
    let level = Level::searched(over, 4);
    let test = &mut data.study.tests[0];
    let load = model::Load { levels: vec![level], ..test.load().expect("a load").clone() };
    test.task = model::Task::Search(model::LoadSearch {
        load,
        slo: Some(slo),
        cpu_limit: None,
        lag_limit: None,
    });
    data.plan.blocks.iter_mut().flat_map(|block| &mut block.trials).for_each(|trial| {
        trial.key.level = level;
    });
    for record in &mut data.trials {
        record.key.level = level;
        let (met, missed) = answer(&record.key.target, record.key.repeat);
        let step = |load: f64, verdict| SearchStep {
            load,
            achieved: load,
            figure_ms: Some(15.0),
            cpu_busy: None,
            cpu_others: None,
            lag_ms: None,
            repeated: false,
            verdict,
            measured: Duration::from_secs(1),
        };
        let met_step = met.map(|load| step(load, StepVerdict::Met));
        let missed_step = missed.map(|load| step(load, StepVerdict::Missed));
        record.search = Some(Box::new(Search {
            over,
            bound: Bound::latency(slo),
            capacity: None,
            steps: met_step.into_iter().chain(missed_step).collect(),
            answer: SearchAnswer { met, missed },
        }));
    }
    data
}

fn found(data: &Dataset) -> SearchAnalysis {
    let analysis = analyse(data);
    let test = &analysis.tests[0];
    assert!(test.curves.is_empty() && test.comparisons.is_empty());
    assert!(test.ranking.tiers.is_empty() && test.ranking.unranked.is_empty());
    let said = |find: fn(&Evidence) -> bool| {
        analysis.findings.iter().filter(|finding| find(&finding.evidence)).count()
    };
    let search = test.search.clone().expect("a test that searches");
    let highest = said(|evidence| matches!(evidence, Evidence::HighestLoad(_)));
    assert_eq!(highest, search.targets.len());
    let compared = said(|evidence| matches!(evidence, Evidence::HighestLoadsCompared(_)));
    assert_eq!(compared, search.comparisons.len());
    search
}

fn places(search: &SearchAnalysis) -> Vec<(&str, usize)> {
    let placed = search.tiers.iter().flatten();
    placed.map(|placed| (placed.target.as_str(), placed.place)).collect()
}

#[test]
fn the_ends_of_a_chain_of_ties_have_places_of_their_own() {
    let search =
        found(&searched_on(&["low", "wide", "high"], SearchOver::Rate, |target, repeat| {
            let scatter = [900.0, 1_300.0, 700.0, 1_600.0, 1_100.0, 1_000.0][repeat as usize - 1];
            let met = match target {
                "low" => 950.0,
                "high" => 1_150.0,
                _ => scatter,
            };
            (Some(met), Some(met * 1.01))
        }));
    assert_eq!(search.tiers.len(), 1, "{:?}", search.tiers);
    assert_eq!(places(&search), [("high", 1), ("wide", 1), ("low", 3)]);
}

#[test]
fn answers_of_repeats_are_a_sample_whose_interval_holds_what_the_searches_leave_open() {
    let data = searched(SearchOver::Rate, |target, _| match target {
        "one" => (Some(1_000.0), Some(1_040.4)),
        _ => (Some(1_500.0), Some(1_560.6)),
    });
    let search = found(&data);
    let SearchOutcome::Found { load, .. } = search.targets[0].outcome else {
        panic!("{:?}", search.targets[0].outcome);
    };
    assert!((load.point - 1_020.0).abs() < 1e-6, "{load:?}");
    let interval = load.interval.expect("six repeats have an interval");
    // Searches that all end alike still know the load no better than within 2 %.
    assert!(interval.low <= 1_000.1 && interval.high >= 1_040.3, "{interval:?}");
    let ratio = &search.comparisons[0];
    assert!((ratio.ratio.point - 1.5).abs() < 1e-9);
    assert_eq!(ratio.verdict, Verdict::CandidateBetter);
    assert_eq!(places(&search), [("two", 1), ("one", 2)]);
}

#[test]
fn a_search_that_ended_where_the_rate_was_not_achieved_never_came_to_its_bound() {
    let at_capacity = |verdicts: fn(u32) -> StepVerdict| {
        let mut data = searched(SearchOver::Rate, |_, _| (Some(1_000.0), Some(1_040.4)));
        for record in &mut data.trials {
            let steps = &mut record.search.as_mut().expect("a search").steps;
            steps[1].verdict = verdicts(record.key.repeat);
        }
        match found(&data).targets[0].outcome {
            SearchOutcome::Found { at_capacity, .. } => at_capacity,
            other => panic!("{other:?}"),
        }
    };
    assert!(!at_capacity(|_| StepVerdict::TooBusy));
    assert!(at_capacity(|_| StepVerdict::FellBehind));
    let mixed = |repeat| match repeat {
        1 => StepVerdict::TooBusy,
        _ => StepVerdict::FellBehind,
    };
    assert!(!at_capacity(mixed), "one search came to it");
    let mut over = searched(SearchOver::Rate, |_, _| (Some(1_000.0), Some(1_040.4)));
    for record in &mut over.trials {
        let steps = &mut record.search.as_mut().expect("a search").steps;
        (steps[1].verdict, steps[1].figure_ms) = (StepVerdict::FellBehind, Some(25.0));
    }
    let SearchOutcome::Found { at_capacity, .. } = found(&over).targets[0].outcome else {
        panic!()
    };
    assert!(!at_capacity, "with 25 ms the bound of 20 ms is passed as well");
}

#[test]
fn a_search_that_others_ended_says_nothing_of_the_load() {
    let mut data = searched(SearchOver::Rate, |_, _| (Some(80.0), Some(95.0)));
    for record in &mut data.trials {
        let steps = &mut record.search.as_mut().expect("a search").steps;
        (steps[1].verdict, steps[1].cpu_others) = (StepVerdict::Disturbed, Some(0.7));
    }
    let search = found(&data);
    let unknown = SearchOutcome::Disturbed { load: 95.0, others: 0.7 };
    assert!(search.targets.iter().all(|target| target.outcome == unknown), "{:?}", search.targets);
    assert!(search.comparisons.is_empty() && search.leaders().is_empty());
}

#[test]
fn volumes_sustain_the_lower_end_where_every_search_found_both_ends() {
    let sustained = |answer: fn(&str, u32) -> Answer| {
        let mut data = searched(SearchOver::Rate, answer);
        data.study.tests[0].load_mut().expect("a load").workload =
            Workload::Storage(Storage::default());
        let of = |finding: Finding| match finding.evidence {
            Evidence::SustainedRate(rate) => Some((finding.subject.target, rate.rate)),
            _ => None,
        };
        analyse(&data).findings.into_iter().filter_map(of).collect::<Vec<_>>()
    };
    let all = sustained(|_, _| (Some(1_000.0), Some(1_040.4)));
    assert_eq!(all.len(), 2);
    // The interval reaches a little below what was met in every repeat.
    assert!(all.iter().all(|(_, rate)| (990.0..=1_000.0).contains(rate)), "{all:?}");
    let one = sustained(|target, repeat| match (target, repeat) {
        ("one", 2) => (Some(1_000.0), None),
        ("one", _) => (Some(1_000.0), Some(1_040.4)),
        _ => (Some(500.0), Some(510.0)),
    });
    assert_eq!(one.len(), 1, "one search of the other had no end: {one:?}");
    assert_eq!(one[0].0.as_deref(), Some("two"));
    // Nobody asks for less than one a second.
    let slow = sustained(|_, repeat| match repeat {
        1..=3 => (Some(0.5), Some(0.6)),
        _ => (Some(90_000.0), Some(91_000.0)),
    });
    assert!(slow.is_empty(), "{slow:?}");
}

#[test]
fn targets_that_end_within_the_same_gap_are_not_told_apart() {
    let search = found(&searched(SearchOver::Rate, |target, _| match target {
        "one" => (Some(1_000.0), Some(1_050.0)),
        _ => (Some(1_040.0), Some(1_092.0)),
    }));
    assert_eq!(search.comparisons[0].verdict, Verdict::Unresolved);
    assert_eq!(places(&search), [("two", 1), ("one", 1)]);
}

#[test]
fn numbers_of_clients_that_are_neighbours_are_exact() {
    let search = found(&searched(SearchOver::Clients, |target, _| match target {
        "one" => (Some(2.0), Some(3.0)),
        _ => (Some(3.0), Some(4.0)),
    }));
    let SearchOutcome::Found { load, .. } = search.targets[0].outcome else {
        panic!("{:?}", search.targets[0].outcome);
    };
    assert_eq!(load.interval.map(|interval| (interval.low, interval.high)), Some((2.0, 2.0)));
    assert_eq!(search.comparisons[0].verdict, Verdict::CandidateBetter);
}

#[test]
fn one_search_without_an_end_leaves_a_bound_and_no_estimate() {
    let search = found(&searched(SearchOver::Rate, |target, repeat| match (target, repeat) {
        ("one", 2) => (Some(900.0), None),
        ("one", _) => (Some(950.0), Some(990.0)),
        (_, 3) => (None, Some(10.0)),
        _ => (Some(100.0), Some(104.0)),
    }));
    assert_eq!(search.targets[0].outcome, SearchOutcome::AtLeast { load: 900.0 });
    assert_eq!(search.targets[1].outcome, SearchOutcome::Below { load: 104.0 });
    assert!(search.comparisons.is_empty() && search.tiers.is_empty());
}

#[test]
fn who_never_missed_the_bound_is_below_nobody() {
    let three = ["low", "middle", "open"];
    let search = found(&searched_on(&three, SearchOver::Clients, |target, _| match target {
        "low" => (Some(32.0), Some(33.0)),
        "middle" => (Some(64.0), Some(65.0)),
        _ => (Some(128.0), None),
    }));
    // Only two have an estimate, and neither leads.
    assert_eq!(places(&search), [("middle", 2), ("low", 3)]);
    assert_eq!(search.leaders(), ["open"]);
    // Where the highest load that could be offered is no more than what another sustains at most.
    let search = found(&searched_on(&three, SearchOver::Clients, |target, _| match target {
        "low" => (None, Some(1.0)),
        "middle" => (Some(128.0), None),
        _ => (Some(128.0), None),
    }));
    assert_eq!(search.leaders(), ["middle", "open"]);
    // Of those that meet the bound at no load none is to be chosen.
    let search = found(&searched_on(&three, SearchOver::Clients, |_, _| (None, Some(1.0))));
    assert!(search.leaders().is_empty());
}

#[test]
fn pairs_of_searches_are_held_together() {
    // Of fifteen pairs of equal targets, over twenty studies.
    let six = ["a", "b", "c", "d", "e", "f"];
    let mut noise = Noise::new(5);
    let studies = 20;
    let wrong = (0..studies)
        .filter(|_| {
            let mut data = searched_on(&six, SearchOver::Rate, |_, _| (Some(1.0), Some(1.01)));
            for record in &mut data.trials {
                let load = 1_000.0 * noise.factor(0.15);
                let search = record.search.as_mut().expect("a search");
                search.answer = SearchAnswer { met: Some(load), missed: Some(load * 1.002) };
            }
            let is_decided =
                |verdict| matches!(verdict, Verdict::CandidateBetter | Verdict::BaselineBetter);
            found(&data).comparisons.iter().any(|compared| is_decided(compared.verdict))
        })
        .count();
    assert!(wrong <= 4, "{wrong} of {studies} studies of equal targets tell some apart");
}
