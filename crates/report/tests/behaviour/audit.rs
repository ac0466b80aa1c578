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
    assert_eq!(wrong["evidence"]["printed"]["value"]["value"], 266.0);
    assert_eq!(wrong["subject"]["target"], "a");

    assert!(rendered(WRONG, Format::Csv).lines().any(|line| line.contains("suspect")));
    let dataset = imported("table", WRONG);
    let terminal = terminal_summary(&analyse::analyse(&dataset), 80, false);
    assert!(terminal.contains("Elapsed is given as 266"), "{terminal}");
}

#[test]
fn sound_tables_have_no_such_section() {
    let sound: String = WRONG.replace("266", "256");
    let html = rendered(&sound, Format::Html);
    assert!(!html.contains("id=\"arithmetic\""));
    assert!(html.contains("All 2 relations between imported figures"));
}

/// Two targets, three times each at 1 and at 8 clients; one of which answers so fast at 8.
fn answering(mean_ms: f64) -> String {
    let mut table = "target,clients,repeat,TPS,avg (ms)\n".to_owned();
    for repeat in 1..=3 {
        for (target, clients, rate, mean_ms) in [
            ("slow", 1, 500.0, 2.0),
            ("fast", 1, 1000.0, 1.0),
            ("slow", 8, 4000.0, 2.0),
            ("fast", 8, 8000.0, mean_ms),
        ] {
            let rate = rate * (1.0 + 0.002 * f64::from(repeat));
            // Not quite as many as there are clients.
            let mean_ms = mean_ms * 0.98;
            table += &format!("{target},{clients},{repeat},{rate:.1},{mean_ms:.4}\n");
        }
    }
    table
}

#[test]
fn nothing_is_chosen_by_figures_that_cannot_all_be_true() {
    let said = |text: &str| rendered(text, Format::Markdown).replace('\u{a0}', " ");
    let sound = said(&answering(1.0));
    assert!(sound.contains("Choose fast at every level"), "{sound}");
    assert!(!sound.contains("Nothing is chosen"), "{sound}");
    // More than 8 clients can have under way.
    let wrong = said(&answering(20.0));
    assert!(wrong.contains("Choose fast at 1 client."), "{wrong}");
    assert!(
        wrong.contains("Nothing is chosen at 8 clients: figures of fast there cannot all be true"),
        "{wrong}"
    );
}
