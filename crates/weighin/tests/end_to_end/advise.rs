//! Advice from results that are there.

use crate::support::Workplace;
use serde_json::Value;

const STUDY_001: &str = include_str!("../../../analyse/tests/fixtures/001-vps-vs-hardware.csv");

/// A place with the results of study 001, imported.
fn place() -> Workplace {
    let place = Workplace::new();
    place.write("001.csv", STUDY_001);
    place.weighin(&["import", "csv", "001.csv", "--out", "001.weighin"]).done();
    place
}

fn answers(place: &Workplace, arguments: &[&str]) -> Value {
    place.weighin(&[&["advise", "001.weighin", "--json"], arguments].concat()).json()
}

#[test]
fn a_page_of_five_queries_is_answered_with_the_trial_that_it_rests_on() {
    let place = place();
    let page = ["--page", "5s", "--queries-per-page", "5", "--clients", "16"];
    let said = place.weighin(&[&["advise", "001.weighin"], &page[..]].concat()).done();
    for expected in [
        "oltp-cold: 16 clients and a page of 5 queries within 5 s?",
        "vps: yes, as measured once",
        "p95 latency of 209 ms",
        "at 16 clients, 5 queries take 1.04 s [trial 1]",
        "cheapest first: vps for 630.00 RUB a month and hardware for 2,300.00",
        "service times",
    ] {
        let line = said.replace('\u{a0}', " ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(line.contains(expected), "{expected} in:\n{said}");
    }
    let json = answers(&place, &page);
    let test = &json["tests"][0];
    assert_eq!(test["sufficient"], serde_json::json!(["vps", "hardware"]));
    assert_eq!(test["targets"][1]["parts"][0]["grounds"][0]["estimate"]["point"], 208.78);
}

#[test]
fn what_was_not_measured_is_not_known_and_what_costs_too_much_is_a_no() {
    let place = place();
    let answer = |arguments: &[&str], target: usize| {
        answers(&place, arguments)["tests"][0]["targets"][target]["answer"].clone()
    };
    assert_eq!(answer(&["--clients", "200", "--p95", "1s"], 0), "unknown");
    assert_eq!(answer(&["--clients", "100", "--p95", "1s"], 0), "yes_measured_once");
    assert_eq!(answer(&["--rate", "100", "--p95", "1s"], 0), "unknown");
    assert_eq!(answer(&["--budget", "700"], 0), "no");
    assert_eq!(answer(&["--budget", "700RUB"], 1), "yes");
    assert_eq!(answer(&["--budget", "700", "--writes", "60%"], 1), "unknown");
}

#[test]
fn without_a_question_the_rules_are_said_for_the_tests_that_are_meant() {
    let place = place();
    let rules = answers(&place, &["--test", "oltp-cold"]);
    assert_eq!(rules["format"], "weighin-rules");
    assert_eq!(rules["tests"][0]["advice"], serde_json::json!([]), "measured once");
    let said = place.weighin(&["advise"]).done();
    assert!(said.contains("no rule follows"), "{said}");
}

#[test]
fn wrong_usage_is_said_before_any_answer() {
    let place = place();
    let wrong = |arguments: &[&str], words| {
        place.weighin(&[&["advise"], arguments].concat()).refused(2, &[words]);
    };
    wrong(&["--test", "olpt"], "it has: oltp-cold");
    wrong(&["--page", "5s"], "--queries-per-page");
    wrong(&["--p95", "20"], "such as 20ms");
}
