//! What Redis does in the background while it is measured: seen, asked for, refused.

use super::Redis;
use crate::support::{Ran, Workplace, number, whole};
use model::ActResult;
use serde_json::Value;

/// A study of one target with these lines, on 1,000 keys of 1,000 bytes; `test` are further lines
/// of its test. So few operations that a busy machine keeps up: of a load that falls behind no cost is told.
fn study(target: &str, test: &str) -> String {
    format!(
        "[study]\nname = \"background\"\nrepeats = 2\n[[target]]\nname = \"cache\"\n{target}\n\
         [[test]]\nworkload = \"key_value\"\nkeys = 1_000\nvalue_size = 1_000\nratio = \"1:0\"\n\
         clients = 4\nrate = 200\nwarmup = \"1s\"\n{test}\n"
    )
}

/// An intervention that has the server do that work at that moment.
fn work(name: &str, at: &str) -> String {
    format!("[[test.intervention]]\nat = \"{at}\"\nbackground_work = \"{name}\"")
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
fn a_snapshot_that_is_asked_for_has_its_moment_its_fork_and_its_cost() {
    let place = Workplace::new();
    // Keys that take so long to save that the counters are read meanwhile.
    let target = sandbox("save = \"\", rdb-key-save-delay = 1_500");
    let keys = format!("duration = \"10s\"\n{}", work("snapshot", "1500ms"));
    let report = report(&place, &study(&target, &keys));
    let snapshots = events(&report, "snapshot");
    assert_eq!(snapshots.len(), 2, "{report:#}");
    for snapshot in snapshots {
        assert_eq!(snapshot["intervention"], "snapshot", "{snapshot:#}");
        let began = number(snapshot, "/began/0");
        assert!(began >= 2.5, "{snapshot:#}");
        assert!(number(snapshot, "/ended/1") >= began + 1.5, "{snapshot:#}");
        assert!(number(snapshot, "/fork_ms") > 0.0, "{snapshot:#}");
        assert!(whole(snapshot, "/cow_bytes") > 0, "{snapshot:#}");
    }
    for mark in report["marks"].as_array().unwrap() {
        assert_eq!((&mark["result"], &mark["work"]), (&"done".into(), &"snapshot".into()));
        // Saving a key takes 1.5 ms.
        assert!(number(mark, "/until_seconds") >= number(mark, "/at_seconds") + 1.5, "{mark:#}");
        assert_eq!(mark["note"], "Background saving started");
    }
    let cost = &report["tests"][0]["events"]["costs"][0];
    assert_eq!((whole(cost, "/trials/0"), whole(cost, "/by_intervention")), (2, 2), "{cost:#}");
    assert!(number(cost, "/seconds/0") > 0.0 && number(cost, "/seconds/1") > 0.0, "{cost:#}");
    assert_eq!(cost["changes"][0]["metric"], "throughput", "{cost:#}");
    let markdown = place.weighin(&["report", "background.toml", "--format", "markdown"]).done();
    for part in ["2 snapshots in 2 of 2 trials, as interventions", "snapshot: done", "against"] {
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
    // Seconds with one and without.
    let report = report(&place, &study(&sandbox("save = \"3 1\""), "duration = \"10s\""));
    let snapshots = events(&report, "snapshot");
    assert!(!snapshots.is_empty(), "{report:#}");
    assert!(snapshots.iter().all(|snapshot| snapshot["intervention"].is_null()));
    assert_eq!(whole(&report, "/tests/0/events/costs/0/by_intervention"), 0);
}

#[test]
fn a_rewrite_of_the_log_that_is_asked_for_is_seen() {
    let place = Workplace::new();
    let target = sandbox(
        "appendonly = true, appendfsync = \"always\", save = \"\", auto-aof-rewrite-percentage = 0",
    );
    let keys = format!("duration = \"5s\"\n{}", work("log_rewrite", "1s"));
    let report = report(&place, &study(&target, &keys));
    let rewrites = events(&report, "log_rewrite");
    let asked_for = rewrites.iter().filter(|rewrite| rewrite["intervention"] == "log_rewrite");
    assert_eq!(asked_for.count(), 2, "{report:#}");
}

#[test]
fn a_server_that_refuses_is_reported_and_its_trials_are_suspect() {
    let place = Workplace::new();
    let server = Redis::start(&[("save", "")]);
    server.command(&["ACL", "SETUSER", "bench", "on", ">secret", "~*", "+@all", "-bgsave"]);
    let url = format!("url = \"{}\"", server.url().replace("//", "//bench@"));
    let keys = format!("duration = \"4s\"\n{}", work("snapshot", "500ms"));
    place.write("background.toml", study(&url, &keys));
    let mut run = place.command(&["run", "background.toml"]);
    run.env("REDISCLI_AUTH", "secret");
    let said = Ran::of(run).done();
    assert!(said.contains("the server refused BGSAVE:"), "{said}");
    let trials = place.store().dataset().unwrap().trials;
    for record in &trials {
        let mark = record.interventions().next().unwrap();
        assert!(mark.at_seconds >= 1.5, "{mark:?}");
        assert_eq!(mark.result, Some(ActResult::Failed), "{mark:?}");
    }
    let report = place.weighin(&["report", "background.toml", "--format", "json"]).json();
    let validities = report["trials"].as_array().unwrap().iter().map(|trial| &trial["validity"]);
    assert!(validities.clone().all(|validity| validity != "valid"), "{report:#}");
    assert_eq!(validities.count(), 2);
    let findings = report["findings"].as_array().unwrap().iter();
    let refused = findings.filter(|finding| {
        let message = finding["evidence"]["message"].as_str();
        message.is_some_and(|message| message.contains("refused BGSAVE: NOPERM"))
    });
    assert_eq!(refused.count(), 2, "{report:#}");
}

#[test]
fn a_snapshot_that_outlasts_the_load_is_told() {
    let place = Workplace::new();
    // A thousand keys take ten seconds.
    let target = sandbox("save = \"\", rdb-key-save-delay = 10_000");
    let keys = format!("duration = \"4s\"\n{}", work("snapshot", "500ms"));
    let report = report(&place, &study(&target, &keys));
    for mark in report["marks"].as_array().unwrap() {
        assert_eq!(mark["result"], "cut_off", "{mark:#}");
    }
    let text = place.weighin(&["report", "background.toml", "--format", "markdown"]).done();
    let outlasted = "The intervention snapshot was still under way when the load ended";
    assert!(text.contains(outlasted) && text.contains("the server goes on with it"), "{text}");
    place.assert_no_server_left();
}
