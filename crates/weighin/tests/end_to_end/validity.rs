//! The checks of trials, each provoked on a real server by what it is there for.

mod by_hand;
mod drift;
mod starved;

use crate::support::{
    Ran, Server, Workplace, light_study, not_tested, sandbox_study, server_study, wait_for, whole,
};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use test_support::write_program;

/// Processes that use a good part of this machine's processors until they are dropped.
fn hogs(before: &[&str]) -> Vec<Hog> {
    let processors = std::thread::available_parallelism().unwrap().get();
    // More than a tenth of all is a doubt.
    (0..=processors / 8).map(|_| Hog::start(before)).collect()
}

/// A process that uses all of a processor until this is dropped.
struct Hog(Child);

impl Hog {
    /// `before` are words before the command: where and how it runs.
    fn start(before: &[&str]) -> Self {
        let words = [before, &["sh", "-c", "while :; do :; done"]].concat();
        let child = Command::new(words[0]).args(&words[1..]).stdin(Stdio::null()).spawn().unwrap();
        Self(child)
    }
}

impl Drop for Hog {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The study of one running server with other lengths and one repeat.
fn study_of(server: &Server, clients: u32, times: &str) -> String {
    let keys = format!("password_file = {:?}", server.password_file());
    let study = server_study(&server.url(), clients, &keys).replace("repeats = 2", "repeats = 1");
    let (head, _) = study.split_once("warmup").unwrap();
    format!("{head}{times}\n")
}

/// One private server of the study of two, measured once by one client.
fn lone_sandbox(keys: &str, target: &str) -> String {
    let study = sandbox_study(keys).replace("repeats = 2", "repeats = 1");
    let study = study.replace("clients = [1, 2]", "clients = 1");
    let (head, rest) = study.split_once("[[target]]").unwrap();
    let (_, test) = rest.split_once("[[test]]").unwrap();
    format!("{head}[[target]]\nname = \"one\"\n{target}\n[[test]]{test}")
}

/// Findings of a kind in the report on what was run.
fn findings(place: &Workplace, study: &str, kind: &str) -> Vec<Value> {
    let report = place.weighin(&["report", study, "--format", "json"]).json();
    let all = report["findings"].as_array().unwrap();
    all.iter().filter(|finding| finding["evidence"]["kind"] == kind).cloned().collect()
}

/// That checks of that name passed.
fn passed(place: &Workplace, study: &str, check: &str) -> bool {
    let passed = findings(place, study, "check_passed");
    passed.iter().any(|finding| finding["evidence"]["check"] == check)
}

fn validities(place: &Workplace, study: &str) -> Vec<String> {
    let report = place.weighin(&["report", study, "--format", "json"]).json();
    let trials = report["trials"].as_array().unwrap();
    trials.iter().map(|trial| trial["validity"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn data_that_never_left_memory_is_not_cold() {
    let place = Workplace::new();
    // A disk in memory has nothing that could be dropped from a cache.
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(memory.path(), open).unwrap();
    // So many that all is read, however long that takes.
    let times = "warmup = \"0s\"\ntransactions = 1_000\ncache = \"cold\"";
    for (directory, cold) in [(memory.path(), false), (place.sandboxes(), true)] {
        let place = Workplace::new();
        let target = format!("sandbox = {{ directory = {directory:?} }}");
        // Much more than of its program may have to be read again, where others empty caches too.
        let study =
            lone_sandbox(times, &target).replace("table_size = 1_000", "table_size = 100_000");
        place.write("duel.toml", study);
        let ran = place.weighin(&["run", "duel.toml"]);
        if ran.code == Some(3) && ran.err.contains("caches") {
            not_tested(&format!("this user may not empty caches: {}", ran.err));
            return;
        }
        ran.done();
        let found = findings(&place, "duel.toml", "cache_not_cold");
        assert_eq!(found.is_empty(), cold, "{found:?}");
        assert_eq!(passed(&place, "duel.toml", "cache_as_declared"), cold);
        if !cold {
            // Its program is read from the disk again.
            let bytes = |of: &str| whole(&found[0]["evidence"], of);
            assert!(bytes("/storage_bytes") < bytes("/asked_bytes") / 2, "{found:?}");
            assert_ne!(validities(&place, "duel.toml"), ["valid"]);
        }
    }
}

#[test]
fn a_warm_trial_without_warm_up_is_not_warm() {
    let place = Workplace::new();
    let times = "warmup = \"0s\"\ntransactions = 500";
    // Otherwise the server reads what was in its buffer pool again when it starts.
    let forgetful = "sandbox = { settings = { innodb_buffer_pool_load_at_startup = 0 } }";
    let study =
        lone_sandbox(times, forgetful).replace("table_size = 1_000", "table_size = 100_000");
    place.write("duel.toml", study);
    place.weighin(&["run", "duel.toml"]).done();
    let found = findings(&place, "duel.toml", "cache_not_warm");
    assert!(found.iter().all(|finding| finding["severity"] == "warning"));
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn another_process_beside_the_load_is_found_out() {
    let place = Workplace::new();
    place.write("duel.toml", lone_sandbox("warmup = \"200ms\"\nduration = \"2s\"", "sandbox = {}"));
    let hogs = hogs(&["nice", "-n", "-10"]);
    place.weighin(&["run", "duel.toml"]).done();
    drop(hogs);
    let found = findings(&place, "duel.toml", "other_processes");
    let share = found[0]["evidence"]["share"].as_f64().unwrap();
    assert!(share > 0.1, "{found:?}");
    assert_ne!(validities(&place, "duel.toml"), ["valid"]);
}

#[test]
fn a_tool_that_lies_makes_its_trials_suspect() {
    let place = Workplace::new();
    let times = "warmup = \"0s\"\nduration = \"1s\"\ncross_check = true";
    place.write(
        "duel.toml",
        lone_sandbox(times, "sandbox = {}").replace("repeats = 1", "repeats = 6"),
    );
    let liar = place.path("bin");
    std::fs::create_dir(&liar).unwrap();
    let program = liar.join("sysbench");
    write_program(&program, LIES);
    let path = format!("{}:{}", liar.display(), std::env::var("PATH").unwrap());
    let mut command = place.command(&["run", "duel.toml"]);
    command.env("PATH", path);
    Ran::of(command).done();

    let found = findings(&place, "duel.toml", "cross_check");
    let disagrees = |finding: &&Value| finding["evidence"]["agrees"] == false;
    let lie = found.iter().find(disagrees).unwrap_or_else(|| panic!("{found:?}"));
    assert_eq!(lie["severity"], "warning");
    assert!(lie["words"].as_str().unwrap().contains("one of the two is wrong"), "{lie}");
    // On a busy machine a second of load may be void for other reasons.
    assert!(validities(&place, "duel.toml").iter().all(|validity| validity != "valid"));
}

/// A sysbench that measures a million transactions a second, whatever it is asked.
const LIES: &str = r#"#!/bin/sh
case "$*" in *--version*) echo "sysbench 1.0.20"; exit;; esac
cat > /dev/null
cat <<'END'
sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

SQL statistics:
    queries performed:
        read:                            14000000
        write:                           4000000
        other:                           2000000
        total:                           20000000
    transactions:                        1000000 (1000000.00 per sec.)
    queries:                             20000000 (20000000.00 per sec.)
    ignored errors:                      0      (0.00 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          1.0000s
    total number of events:              1000000

Latency (ms):
         min:                                    0.00
         avg:                                    0.01
         max:                                    0.02
         95th percentile:                        0.01
         sum:                                 1000.00

Threads fairness:
    events (avg/stddev):           1000000.0000/0.00
    execution time (avg/stddev):   1.0000/0.00
END
"#;

#[test]
fn rows_that_vanish_behind_the_loads_back_are_missed() {
    let place = Workplace::new();
    let server = Server::start();
    // So long that a slow machine, too, gets to it meanwhile.
    let times = "rate = 200\nwarmup = \"0s\"\nduration = \"15s\"";
    place.write("lone.toml", study_of(&server, 2, times));
    let before = server.counters()["Com_select"];
    let run = place.start(&["run", "lone.toml"]);
    wait_for("a load", || server.counters()["Com_select"] > before + 100);
    server.execute("DELETE FROM sbtest1 WHERE id > 500 AND id <= 510");
    run.end().done();

    let missing = findings(&place, "lone.toml", "rows_missing");
    let short = missing[0]["evidence"]["short"].as_u64().unwrap();
    assert!(short > 0 && missing[0]["evidence"]["answers"].as_u64().unwrap() > short);
    assert_ne!(validities(&place, "lone.toml"), ["valid"]);
    let changed = findings(&place, "lone.toml", "tables_changed");
    assert_eq!(changed[0]["evidence"]["rows"], serde_json::json!([1000, 990]), "{changed:?}");
    assert_eq!(changed[0]["severity"], "severe");
}

#[test]
fn tables_that_nobody_else_touched_hold_what_they_held() {
    let place = Workplace::new();
    place.write("duel.toml", light_study("warmup = \"0s\"\nduration = \"300ms\""));
    place.weighin(&["run", "duel.toml"]).done();
    let intact = findings(&place, "duel.toml", "tables_intact");
    assert_eq!(intact.len(), 2, "{intact:?}");
    assert_eq!(intact[0]["evidence"]["rows"], 1000);
    assert!(passed(&place, "duel.toml", "answers"));
    assert!(findings(&place, "duel.toml", "different_data").is_empty());
    let facts = place.store().dataset().unwrap().targets;
    assert_eq!(facts[0].server.contents, facts[1].server.contents);
}
