//! What Redis does in the background while it is measured: seen, told to, refused.

use super::Redis;
use crate::support::{Ran, Workplace, number, whole};
use serde_json::Value;

/// A study of one target with these lines, on 1,000 keys of 1,000 bytes; `test` are further lines
/// of its test.
fn study(target: &str, test: &str) -> String {
    format!(
        "[study]\nname = \"background\"\nrepeats = 2\n[[target]]\nname = \"cache\"\n{target}\n\
         [[test]]\nworkload = \"key_value\"\nkeys = 1_000\nvalue_size = 1_000\nratio = \"1:0\"\n\
         clients = 4\nwarmup = \"1s\"\n{test}\n"
    )
}

/// A private server with these settings.
fn sandbox(settings: &str) -> String {
    format!("kind = \"redis\"\nsandbox = {{ settings = {{ {settings} }} }}")
}

/// The report of a run of that study, in JSON.
fn report(place: &Workplace, study: &str) -> Value {
    place.write("background.toml", study);
    place.weighin(&["run", "background.toml"]).done();
    place.weighin(&["report", "background.toml", "--format", "json"]).json()
}

/// The events of a kind in all trials of a report.
fn events<'a>(report: &'a Value, kind: &str) -> Vec<&'a Value> {
    let trials = report["tests"][0]["events"]["trials"].as_array().unwrap();
    let events = trials.iter().flat_map(|trial| trial["events"].as_array().unwrap());
    events.filter(|event| event["kind"] == kind).collect()
}

#[test]
fn a_snapshot_at_weighins_word_has_its_moment_its_fork_and_its_cost() {
    let place = Workplace::new();
    // Keys that take so long to save that the counters are read meanwhile.
    let target = sandbox("save = \"\", rdb-key-save-delay = 1_500");
    let keys = "duration = \"10s\"\ntrigger = \"bgsave\"\ntrigger_at = \"1500ms\"";
    let report = report(&place, &study(&target, keys));
    let snapshots = events(&report, "snapshot");
    assert_eq!(snapshots.len(), 2, "{report:#}");
    for snapshot in snapshots {
        assert_eq!(snapshot["triggered"], true, "{snapshot:#}");
        let (sent, answered) = (number(snapshot, "/began/0"), number(snapshot, "/began/1"));
        assert!(sent >= 2.5 && answered >= sent, "{snapshot:#}");
        assert!(number(snapshot, "/ended/1") >= sent + 1.5, "{snapshot:#}");
        assert!(number(snapshot, "/fork_ms") > 0.0, "{snapshot:#}");
        assert!(whole(snapshot, "/cow_bytes") > 0, "{snapshot:#}");
    }
    let cost = &report["tests"][0]["events"]["costs"][0];
    assert_eq!((whole(cost, "/trials/0"), whole(cost, "/triggered")), (2, 2), "{cost:#}");
    assert!(number(cost, "/seconds/0") > 0.0 && number(cost, "/seconds/1") > 0.0, "{cost:#}");
    assert_eq!(cost["changes"][0]["metric"], "throughput", "{cost:#}");
    let markdown = place.weighin(&["report", "background.toml", "--format", "markdown"]).done();
    for part in ["2 snapshots in 2 of 2 trials, triggered by weighin", "BGSAVE at ", "against"] {
        assert!(markdown.contains(part), "no {part:?} in:\n{markdown}");
    }
    place.weighin(&["report", "background.toml", "--out", "report.html"]).done();
    let html = std::fs::read_to_string(place.path("report.html")).unwrap();
    assert!(html.contains("class=\"event snapshot\"") && html.contains("longest operation, ms"));
    place.assert_no_server_left();
}

#[test]
fn snapshots_that_the_server_makes_of_itself_are_seen() {
    let place = Workplace::new();
    let report = report(&place, &study(&sandbox("save = \"1 1\""), "duration = \"4s\""));
    let snapshots = events(&report, "snapshot");
    assert!(!snapshots.is_empty(), "{report:#}");
    assert!(snapshots.iter().all(|snapshot| snapshot["triggered"] == false));
    assert_eq!(whole(&report, "/tests/0/events/costs/0/triggered"), 0);
}

#[test]
fn a_log_that_is_rewritten_at_weighins_word_is_seen() {
    let place = Workplace::new();
    let target = sandbox(
        "appendonly = true, appendfsync = \"always\", save = \"\", auto-aof-rewrite-percentage = 0",
    );
    let keys = "duration = \"3s\"\ntrigger = \"bgrewriteaof\"\ntrigger_at = \"1s\"";
    let report = report(&place, &study(&target, keys));
    let rewrites = events(&report, "log_rewrite");
    let triggered = rewrites.iter().filter(|rewrite| rewrite["triggered"] == true);
    assert_eq!(triggered.count(), 2, "{report:#}");
}

#[test]
fn a_server_that_refuses_is_reported_and_its_trials_are_suspect() {
    let place = Workplace::new();
    let server = Redis::start(&[("save", "")]);
    server.command(&["ACL", "SETUSER", "bench", "on", ">secret", "~*", "+@all", "-bgsave"]);
    let url = format!("url = \"{}\"", server.url().replace("//", "//bench@"));
    let keys = "duration = \"2s\"\ntrigger = \"bgsave\"\ntrigger_at = \"500ms\"";
    place.write("background.toml", study(&url, keys));
    let mut run = place.command(&["run", "background.toml"]);
    run.env("REDISCLI_AUTH", "secret");
    let said = Ran::of(run).done();
    assert!(said.contains("the server refused BGSAVE:"), "{said}");
    let trials = place.store().dataset().unwrap().trials;
    for record in &trials {
        let triggered = record.sampling.triggered.as_ref().unwrap();
        assert!(triggered.sent_seconds >= 1.5, "{triggered:?}");
        assert!(matches!(triggered.answer, model::TriggerAnswer::Refused(_)), "{triggered:?}");
    }
    let report = place.weighin(&["report", "background.toml", "--format", "json"]).json();
    let validities = report["trials"].as_array().unwrap().iter().map(|trial| &trial["validity"]);
    assert!(validities.clone().all(|validity| validity == "suspect"), "{report:#}");
    assert_eq!(validities.count(), 2);
    let findings = report["findings"].as_array().unwrap().iter();
    let refused = findings.filter(|finding| {
        let line = finding["evidence"]["answer"]["refused"].as_str();
        line.is_some_and(|line| line.starts_with("NOPERM"))
    });
    assert_eq!(refused.count(), 2, "{report:#}");
}
