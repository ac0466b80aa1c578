//! Two runs, or many, against each other.

use crate::support::Workplace;
use std::fmt::Write;
use std::fs;

/// Imports five repeats at two levels on two targets; throughput of the second is so many times
/// what it could be.
fn import(place: &Workplace, name: &str, speed: f64) {
    let mut table = String::from("target,test,clients,repeat,metric,value,unit\n");
    for (target, speed) in [("one", 1.0), ("two", speed)] {
        for clients in [1, 8] {
            for (repeat, scatter) in (1..).zip([1.0, 1.004, 0.997, 1.002, 0.999]) {
                let rate = 1000.0 * f64::from(clients) * speed * scatter;
                let p95 = 2.0 / speed / scatter;
                let cell = format!("{target},oltp,{clients},{repeat}");
                let _ = writeln!(table, "{cell},transactions_per_s,{rate:.3},1/s");
                let _ = writeln!(table, "{cell},latency_p95,{p95:.5},ms");
            }
        }
    }
    let file = format!("{name}.csv");
    place.write(&file, table);
    let out = format!("{name}.weighin");
    place.weighin(&["import", "csv", &file, "--name", "nightly", "--out", &out]).done();
}

fn gate<'a>(new: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["gate", "base.weighin", new, "--max-regression", "5%"][..], more].concat()
}

#[test]
fn a_gate_answers_by_its_exit_code_and_in_files_for_other_tools() {
    let place = Workplace::new();
    for (name, speed) in [("base", 1.0), ("same", 1.003), ("slow", 0.8), ("limit", 0.95)] {
        import(&place, name, speed);
    }
    let files = ["--junit", "gate.xml", "--openmetrics", "gate.prom"];
    let passed = place.weighin(&gate("same.weighin", &files)).done();
    assert!(passed.contains("Not worse: no figure lost more than 5\u{a0}%"), "{passed}");
    let slow = place.weighin(&gate("slow.weighin", &files));
    assert_eq!(slow.code, Some(1), "{}", slow.err);
    assert!(slow.out.contains("Worse: 1 figure lost more than"), "{}", slow.out);
    let xml = fs::read_to_string(place.path("gate.xml")).unwrap();
    let parsed = roxmltree::Document::parse(&xml).unwrap();
    let suites = parsed.root_element();
    assert_eq!((suites.attribute("tests"), suites.attribute("failures")), (Some("2"), Some("1")));
    let cases: Vec<_> = parsed.descendants().filter(|node| node.has_tag_name("testcase")).collect();
    let failed =
        |node: &roxmltree::Node<'_, '_>| node.children().any(|n| n.has_tag_name("failure"));
    let failures: Vec<bool> = cases.iter().map(failed).collect();
    assert_eq!(failures, [false, true], "{xml}");
    assert_eq!(cases[1].attribute("classname"), Some("nightly.oltp"));
    let metrics = fs::read_to_string(place.path("gate.prom")).unwrap();
    assert!(metrics.ends_with("# EOF\n"));
    let line = "weighin_gate_outcome{study=\"nightly\",weighin_gate_outcome=\"worse\"} 1\n";
    assert!(metrics.contains(line), "{metrics}");

    let unknown = place.weighin(&gate("limit.weighin", &["--format", "json"]));
    assert_eq!(unknown.code, Some(4), "{}", unknown.err);
    let json: serde_json::Value = serde_json::from_str(&unknown.out).unwrap();
    assert_eq!(json["outcome"], "not_known");
    assert_eq!(json["items"].as_array().unwrap().len(), 2);
    let each = ["--each-level", "--metric", "latency_p95_ms", "--format", "json"];
    let each = place.weighin(&gate("slow.weighin", &each));
    let json: serde_json::Value = serde_json::from_str(&each.out).unwrap();
    assert_eq!((each.code, json["items"].as_array().unwrap().len()), (Some(1), 4));

    // What is not weighin's is not replaced, and what is no question not answered.
    place.write("notes.xml", "<notes/>");
    place.weighin(&gate("same.weighin", &["--junit", "notes.xml"])).refused(2, &["notes.xml"]);
    assert_eq!(fs::read_to_string(place.path("notes.xml")).unwrap(), "<notes/>");
    let tests = ["gate", "base.weighin", "same.weighin", "--max-regression", "5"];
    place.weighin(&tests).refused(2, &["percent", "5%"]);
    place.weighin(&gate("same.weighin", &["--metric", "speed"])).refused(2, &["latency_p95_ms"]);
    let other = fs::read_to_string(place.path("base.csv")).unwrap().replace(",oltp,", ",other,");
    place.write("other.csv", other);
    place.weighin(&["import", "csv", "other.csv", "--out", "other.weighin"]).done();
    place.weighin(&gate("other.weighin", &[])).refused(2, &["no result of the same test"]);
}

#[test]
fn a_loss_as_large_as_between_earlier_runs_of_the_same_is_no_loss() {
    let place = Workplace::new();
    fs::create_dir(place.path("nights")).unwrap();
    for (night, speed) in (1..).zip([1.0, 0.93, 1.05, 0.96, 1.04, 0.98]) {
        import(&place, &format!("nights/{night}"), speed);
    }
    import(&place, "base", 1.0);
    import(&place, "slow", 0.92);
    let alone = place.weighin(&gate("slow.weighin", &[]));
    assert_eq!(alone.code, Some(1), "{}", alone.err);
    assert!(alone.out.contains("is said of these two"), "{}", alone.out);
    let history = ["--history", "nights", "--format", "json"];
    let among = place.weighin(&gate("slow.weighin", &history));
    let json: serde_json::Value = serde_json::from_str(&among.out).unwrap();
    assert_eq!((among.code, &json["earlier_runs"]), (Some(4), &6.into()), "{}", among.err);
    let compare = ["compare", "base.weighin", "slow.weighin", "--history", "nights"];
    let said = place.weighin(&compare).done();
    assert!(said.contains("known from 6 earlier runs, by up to "), "{said}");
    // What says nothing of it is no answer.
    fs::create_dir(place.path("none")).unwrap();
    let none = place.weighin(&gate("slow.weighin", &["--history", "none"]));
    none.refused(2, &["none holds 0 runs of the study nightly", "two earlier runs"]);
}

#[test]
fn a_machine_that_drifts_is_told_and_is_no_change() {
    let place = Workplace::new();
    fs::create_dir(place.path("nights")).unwrap();
    // Slower and slower, then faster again.
    for night in 0..20_u32 {
        import(&place, &format!("nights/{night:02}"), 1.0 + 0.1 * (f64::from(night) / 4.0).sin());
    }
    let said = place.weighin(&["history", "nights"]).done();
    assert!(said.contains("History: no change"), "{said}");
    assert!(said.contains("looks like a change that slow drift explains"), "{said}");
}

#[test]
fn two_runs_are_shown_side_by_side_in_every_form() {
    let place = Workplace::new();
    import(&place, "base", 1.0);
    import(&place, "slow", 0.8);
    let compare = |more: &[&str]| {
        place.weighin(&[&["compare", "base.weighin", "slow.weighin"], more].concat()).done()
    };
    let text = compare(&[]);
    for words in ["What changed", "oltp", "all levels", "worse", "same within the margin"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let json: serde_json::Value = serde_json::from_str(&compare(&["--format", "json"])).unwrap();
    let results = json["tests"][0]["results"].as_array().unwrap().clone();
    // Two targets, two figures, two levels and all of them.
    assert_eq!(results.len(), 12);
    let of = |target: &str, verdict: &str| {
        let is = |result: &&serde_json::Value| {
            result["target"] == target && result["verdict"] == verdict
        };
        results.iter().filter(is).count()
    };
    assert_eq!((of("two", "baseline_better"), of("one", "equivalent")), (6, 6));
    let markdown = compare(&["--format", "markdown"]);
    assert!(markdown.starts_with("# Two runs compared\n") && markdown.contains("| two |"));
    for _ in 0..2 {
        compare(&["--format", "html", "--out", "runs.html"]);
    }
    let page = fs::read_to_string(place.path("runs.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("What changed"));
}

#[test]
fn a_history_finds_where_a_figure_changed_and_nothing_else() {
    let place = Workplace::new();
    fs::create_dir(place.path("runs")).unwrap();
    for run in 0..12 {
        // From the eighth run on the second target is slower.
        let scatter = 1.0 + 0.002 * f64::from(run * 5 % 7);
        let speed = if run < 7 { scatter } else { 0.9 * scatter };
        import(&place, &format!("runs/{run:02}"), speed);
    }
    let json = || place.weighin(&["history", "runs", "--format", "json"]).json();
    let found = json();
    assert_eq!(found["runs"].as_array().unwrap().len(), 12);
    for cell in found["cells"].as_array().unwrap() {
        let changes = cell["changes"].as_array().unwrap();
        if cell["target"] == "one" {
            assert!(changes.is_empty(), "{cell:#}");
            continue;
        }
        assert_eq!(changes.len(), 1, "{cell:#}");
        assert_eq!(changes[0]["between"], serde_json::json!([6, 7]));
        let ratio = changes[0]["ratio"]["point"].as_f64().unwrap();
        assert!((ratio - 0.9).abs() < 0.01, "{ratio}");
    }
    let text = place.weighin(&["history", "runs"]).done();
    assert!(text.contains("History: 2 changes") && text.contains("07.weighin"), "{text}");

    // Links are not followed, and what cannot be read is named.
    std::os::unix::fs::symlink(place.path("runs/00.weighin"), place.path("runs/99.weighin"))
        .unwrap();
    place.write("runs/98.weighin", "no results");
    let again = place.weighin(&["history", "runs", "--format", "json"]);
    assert!(again.err.contains("98.weighin is left out"), "{}", again.err);
    assert_eq!(again.json(), found);
    fs::create_dir(place.path("none")).unwrap();
    place.weighin(&["history", "none"]).refused(2, &["0 results files"]);
    place.weighin(&["history", "nowhere"]).refused(3, &["nowhere"]);
}
