//! What a report says of figures that cannot all be true.

use crate::support;
use report::{Format, terminal_summary};
use test_support::imported;

const WRONG: &str = "target,test,metric,value,unit
a,catch-up,started_at,2016-06-09T11:21:20,timestamp
a,catch-up,ended_at,2016-06-09T15:37:00,timestamp
a,catch-up,elapsed,266,min
b,catch-up,started_at,2016-06-09T11:21:20,timestamp
b,catch-up,ended_at,2016-06-09T18:16:00,timestamp
b,catch-up,elapsed,415,min
";

fn rendered(text: &str, format: Format) -> String {
    let dataset = imported("table", text);
    support::rendered(&dataset, format)
}

#[test]
fn every_format_names_the_figure() {
    let markdown = rendered(WRONG, Format::Markdown).replace('\u{a0}', " ");
    let row = "| a (catch-up) | elapsed (line 4) | 266 min | ended\\_at 2016-06-09T15:37:00 − \
               started\\_at 2016-06-09T11:21:20 (lines 3 and 2) | 255.7 min | 4 % too much |";
    assert!(markdown.lines().any(|line| line == row), "{markdown}");
    assert!(markdown.contains("Of 2 relations between imported figures"), "{markdown}");

    let html = rendered(WRONG, Format::Html).replace('\u{a0}', " ");
    assert!(html.contains("id=\"arithmetic\"") && html.contains("4 % too much"), "{html}");

    let json: serde_json::Value = serde_json::from_str(&rendered(WRONG, Format::Json)).unwrap();
    let findings = json["findings"].as_array().unwrap();
    let wrong = findings.iter().find(|f| f["evidence"]["kind"] == "contradiction").unwrap();
    assert_eq!(wrong["evidence"]["identity"]["kind"], "elapsed");
    assert_eq!(wrong["evidence"]["printed"]["value"]["number"]["value"], 266.0);
    assert_eq!(wrong["subject"]["target"], "a");

    assert!(rendered(WRONG, Format::Csv).lines().any(|line| line.contains("suspect")));
    let dataset = imported("table", WRONG);
    let terminal = terminal_summary(&analyse::analyse(&dataset), 80, false);
    assert!(terminal.contains("elapsed is given as 266"), "{terminal}");
}

#[test]
fn sound_tables_have_no_such_section() {
    let sound: String = WRONG.replace("266", "256");
    let html = rendered(&sound, Format::Html);
    assert!(!html.contains("id=\"arithmetic\""));
    assert!(html.contains("All 2 relations between imported figures"));
}
