//! What a report says of a test that searches for the highest load under a bound.

use crate::support::{self, rendered};
use model::{Bound, Dataset, Level, Search, SearchAnswer, SearchOver, SearchStep, StepVerdict};
use report::{Format, terminal_summary};
use std::time::Duration;
use test_support::open_loop;

/// The usual study with one level, which is searched: 1,000 to 1,040 a second on the first target
/// and half as much again on the other, more or less.
fn searched(bounded: bool) -> Dataset {
    let shape =
        support::Shape { targets: &["durable", "relaxed"], levels: 1, repeats: 3, troubles: false };
    let mut data = support::dataset(&shape);
    let slo = "p95 < 20ms".parse().expect("a bound");
    let level = Level::searched(SearchOver::Rate, 64);
    let test = &mut data.study.tests[0];
    let load = model::Load { levels: vec![level], ..test.load().expect("a load").clone() };
    test.task = model::Task::Search(model::LoadSearch {
        load,
        slo: Some(slo),
        cpu_limit: None,
        lag_limit: None,
    });
    let planned = data.plan.blocks.iter_mut().flat_map(|block| &mut block.trials);
    planned.for_each(|trial| trial.key.level = level);
    for record in &mut data.trials {
        record.key.level = level;
        let better = if record.key.target == "relaxed" { 1.5 } else { 1.0 };
        let met = (1_000.0 + 4.0 * f64::from(record.key.repeat)) * better;
        let missed = bounded.then_some(met * 1.04);
        let step = |load: f64, verdict| SearchStep {
            load,
            achieved: load * 0.999,
            figure_ms: Some(18.9),
            cpu_busy: None,
            cpu_others: None,
            lag_ms: None,
            repeated: verdict == StepVerdict::Missed,
            verdict,
            measured: Duration::from_secs(5),
        };
        let over = missed.map(|load| step(load, StepVerdict::Missed));
        let steps = [step(met, StepVerdict::Met)].into_iter().chain(over).collect();
        let answer = SearchAnswer { met: Some(met), missed };
        let over = SearchOver::Rate;
        record.search = Some(Box::new(Search {
            over,
            bound: Bound::latency(slo),
            capacity: Some(1_200.0),
            steps,
            answer,
        }));
        let load = record.load_mut().expect("no trouble was asked for");
        load.open = Some(open_loop(load, met, load.measure.transactions));
        test_support::balance(record);
    }
    data
}

#[test]
fn the_answer_is_the_highest_load_of_each_target_and_how_they_compare() {
    let data = searched(true);
    let terminal = terminal_summary(&support::analysis(&data), 100, false);
    let flat = terminal.split_whitespace().collect::<Vec<&str>>().join(" ");
    for words in [
        "oltp: highest rate with p95 < 20 ms",
        "durable meets p95 < 20 ms up to 1,030 transactions/s (95 % interval",
        "With p95 < 20 ms relaxed sustains 1.50 × the rate of durable (95 % interval",
    ] {
        assert!(flat.contains(words), "no «{words}» in {terminal}");
    }
    for format in [Format::Html, Format::Markdown] {
        let page = rendered(&data, format);
        for words in [
            "highest rate, transactions/s",
            "relaxed ÷ durable",
            "relaxed is better",
            "missed",
            "both runs together",
            "Highest load under a bound",
        ] {
            assert!(page.contains(words), "no «{words}» in {page}");
        }
        assert!(!page.contains("at their peak"), "{page}");
    }
}

#[test]
fn a_search_without_an_upper_end_gives_a_bound_and_no_estimate() {
    let data = searched(false);
    let page = rendered(&data, Format::Markdown);
    assert!(page.contains("| – | durable | at least 1,000 |"), "{page}");
    assert!(page.contains("and perhaps beyond"), "{page}");
    assert!(!page.contains("relaxed ÷ durable"), "{page}");
    assert!(page.contains("It is undecided between durable and relaxed."), "{page}");
}

#[test]
fn who_never_missed_the_bound_is_chosen_before_those_with_an_estimate() {
    let mut data = searched(true);
    for record in data.trials.iter_mut().filter(|record| record.key.target == "relaxed") {
        let search = record.search.as_mut().expect("a search");
        search.answer.missed = None;
        search.steps.truncate(1);
    }
    let page = rendered(&data, Format::Markdown);
    assert!(page.contains("Choose relaxed: it sustains the highest load with p95"), "{page}");
}

#[test]
fn a_target_that_failed_is_not_chosen_without_saying_so() {
    let mut data = searched(true);
    let lost = model::Failure::new(model::FailureKind::ServerLost, "the server went away", "");
    let record = data.trials.iter_mut().find(|record| record.key.target == "relaxed");
    record.expect("a trial").end = model::TrialEnd::Failed(lost);
    let page = rendered(&data, Format::Markdown);
    assert!(page.contains("relaxed failed in 1 of 3 trials."), "{page}");
}

#[test]
fn csv_and_json_hold_the_searches() {
    let data = searched(true);
    let csv = rendered(&data, Format::Csv);
    assert!(csv.lines().next().is_some_and(|heading| heading.contains(",search_steps,")), "{csv}");
    assert!(csv.contains(",rate,p95 < 20 ms,1004.0,1044.16,2"), "{csv}");
    let json: serde_json::Value = serde_json::from_str(&rendered(&data, Format::Json)).unwrap();
    let search = &json["tests"][0]["search"];
    assert_eq!(search["over"], "rate");
    assert_eq!(search["targets"][0]["outcome"]["kind"], "found");
    assert_eq!(search["targets"][0]["searches"][2]["steps"][1]["verdict"], "missed");
    assert_eq!(search["comparisons"][0]["verdict"], "candidate_better");
    assert_eq!(json["tests"][0]["ranking"]["tiers"].as_array().map(Vec::len), Some(0));
}

#[test]
fn the_rate_that_volumes_sustain_stands_beside_the_highest_rate() {
    let mut data = searched(true);
    data.study.tests[0].load_mut().unwrap().workload =
        model::Workload::Storage(model::Storage::default());
    let page = terminal_summary(&support::analysis(&data), 200, false);
    let said = page.lines().find(|line| line.contains("durable meets")).unwrap();
    let markdown = rendered(&data, Format::Markdown);
    let finding = markdown
        .lines()
        .find(|line| line.contains("- Sustains up to") && line.ends_with("durable."))
        .unwrap();
    let rate = finding.split("Sustains up to ").nth(1).unwrap().split(' ').next().unwrap();
    assert!(
        said.contains(&format!("what it sustains in every repeat is {rate}/s")),
        "{said}, {finding}"
    );
}
