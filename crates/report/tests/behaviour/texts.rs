//! What people and programs read, as text.

use crate::support::{self, rendered};
use report::{Format, terminal_summary};

#[test]
fn markdown() {
    insta::assert_snapshot!(rendered(&support::usual(), Format::Markdown));
}

#[test]
fn csv() {
    insta::assert_snapshot!(rendered(&support::usual(), Format::Csv));
}

#[test]
fn terminal() {
    insta::assert_snapshot!(terminal_summary(&support::analysis(&support::usual()), 80, false));
}

#[test]
fn markdown_rows_have_as_many_cells_as_their_heading() {
    let page = rendered(&support::hostile(), Format::Markdown);
    assert!(!page.contains("<script>alert(1)"));
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let mut heading = None;
    for line in page.lines() {
        match (line.starts_with('|'), heading) {
            (true, None) => heading = Some(cells(line)),
            (true, Some(expected)) => assert_eq!(cells(line), expected, "{line}"),
            (false, _) => heading = None,
        }
    }
}

#[test]
fn terminal_lines_fit_and_cannot_steer_the_terminal() {
    let mut dataset = support::hostile();
    dataset.study.targets[1].name = format!("red\u{1b}[35m{}", support::LONG);
    for record in &mut dataset.trials {
        if record.key.target == support::LONG {
            record.key.target.clone_from(&dataset.study.targets[1].name);
        }
    }
    let analysis = support::analysis(&dataset);
    for width in [80, 60, 120] {
        let plain = terminal_summary(&analysis, width, false);
        assert!(!plain.contains('\u{1b}'));
        for line in plain.lines() {
            assert!(line.chars().count() <= width, "{} columns: {line}", line.chars().count());
        }
    }
    let coloured = terminal_summary(&analysis, 80, true);
    assert!(coloured.contains("\u{1b}[1m") && !coloured.contains("\u{1b}[35m"));
}

#[test]
fn csv_has_a_row_for_every_trial_of_the_plan() {
    let dataset = support::usual();
    let csv = rendered(&dataset, Format::Csv);
    assert_eq!(csv.lines().count(), 1 + dataset.plan.trials().count());
    assert_eq!(csv.matches(",missing,").count(), 1);
    assert_eq!(csv.matches(",failed,").count(), 3);
}

#[test]
fn json_says_what_it_is_and_repeats_every_word() {
    let dataset = support::usual();
    let analysis = support::analysis(&dataset);
    let json: serde_json::Value = serde_json::from_str(&rendered(&dataset, Format::Json)).unwrap();
    assert_eq!(json["format"], "weighin-report");
    assert_eq!(json["format_version"], 1);
    assert_eq!(json["study"]["question"], "What does durable commit cost on this disk?");
    assert_eq!(json["trials"].as_array().unwrap().len(), 36);
    assert_eq!(json["trials"][0]["clients"], 32);
    let cell = &json["tests"][0]["cells"][0];
    assert_eq!(cell["level"]["clients"], 1);
    let point = analysis.tests[0].cells[0].estimate(analyse::Metric::Throughput).unwrap().point;
    assert_eq!(cell["estimates"]["throughput"]["point"].as_f64(), Some(point));
    let findings = json["findings"].as_array().unwrap();
    assert_eq!(findings.len(), analysis.findings.len());
    for (found, finding) in findings.iter().zip(&analysis.findings) {
        assert_eq!(found["words"], report::words::sentence(finding, model::UnitName::TRANSACTION));
        assert!(found["evidence"]["kind"].is_string());
    }
}

#[test]
fn every_report_is_known_as_one() {
    for dataset in [support::usual(), support::hostile()] {
        for format in [Format::Html, Format::Markdown, Format::Json, Format::Csv, Format::Hlog] {
            let text = rendered(&dataset, format);
            assert_eq!(report::recognise(text.as_bytes()), Some(format), "{:.300}", text);
        }
    }
}

#[test]
fn a_target_without_the_figure_that_decides_did_not_lose_its_trials() {
    let mut table = String::from("target,test,concurrency,repeat,metric,value,unit\n");
    for (target, metric, unit) in [
        ("a", "transactions_per_s", "1/s"),
        ("b", "transactions_per_s", "1/s"),
        ("c", "latency_avg", "ms"),
    ] {
        for repeat in 1..=3 {
            table.push_str(&format!("{target},t,8,{repeat},{metric},{},{unit}\n", 100 + repeat));
        }
    }
    let data = test_support::imported("run", &table);
    let page = rendered(&data, Format::Markdown);
    assert!(
        page.contains("Not ranked, because no trial has the figure that decides: c."),
        "{page}"
    );
    assert!(!page.contains("failed or are void"), "{page}");
    let said = terminal_summary(&support::analysis(&data), 80, false);
    assert!(said.contains("not ranked: no trial has this figure"), "{said}");
}
