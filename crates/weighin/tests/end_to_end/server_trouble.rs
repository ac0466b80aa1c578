//! Servers that fail while weighin works with them.

use crate::support::{Frozen, Server, Workplace, restarting_study, wait_for};
use model::{FailureKind, TrialEnd};
use std::path::Path;

/// The process of the only private server that runs.
pub fn server_of(sandboxes: &Path) -> u32 {
    let homes = std::fs::read_dir(sandboxes).unwrap().flatten();
    let data = homes.map(|home| format!("--datadir={}", home.path().join("data").display()));
    let running: Vec<u32> =
        data.flat_map(|argument| host::local::os::processes_with_argument(&argument)).collect();
    assert_eq!(running.len(), 1, "only the server whose trial runs is up");
    running[0]
}

#[test]
fn a_server_that_dies_in_a_trial_is_a_result_and_the_run_goes_on() {
    let place = Workplace::new();
    place.write("duel.toml", restarting_study("warmup = \"200ms\"\nduration = \"2s\""));
    let mut run = place.start(&["run", "duel.toml"]);
    run.wait_for_line("[2/8]");
    let frozen = Frozen::under_load(&run);
    host::local::os::kill(server_of(place.sandboxes())).unwrap();
    drop(frozen);
    let ran = run.end();
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("[3/8]") && ran.err.contains("FAILED"), "{}", ran.err);
    place.assert_no_server_left();

    let trials = place.store().dataset().unwrap().trials;
    assert_eq!(trials.len(), 8);
    let mut lost = Vec::new();
    for trial in &trials {
        match &trial.end {
            TrialEnd::Failed(failure) => {
                assert_eq!(failure.kind, FailureKind::ServerLost, "{failure:?}");
                assert!(!failure.message.is_empty() && !failure.remedy.is_empty(), "{failure:?}");
                lost.push(trial.position);
            }
            TrialEnd::Completed(outcome) => {
                let load = outcome.load.as_ref().unwrap();
                assert!(load.measure.transactions > 0);
            }
        }
    }
    // The third, where this machine got to it in time.
    assert!(matches!(lost[..], [position] if position >= 3), "{lost:?}");
    let page = std::fs::read_to_string(&place.files(".html")[0]).unwrap();
    assert!(page.contains("failed"), "the report does not tell of the failure");
}

#[test]
fn a_server_that_dies_under_a_load_by_hand_is_told() {
    let place = Workplace::new();
    let server = Server::start();
    server.weighin(&place, "prepare", &["--table-size", "1000"]).done();
    let (url, password) = (server.url(), server.password_file());
    let load = place.start(&[
        "load",
        &url,
        "--password-file",
        password.to_str().unwrap(),
        "--workload=oltp_read_write",
        "--table-size=1000",
        "--clients=8",
        "--duration=30s",
    ]);
    let connected = || server.query("SHOW PROCESSLIST").len();
    wait_for("clients", || connected() > 8);
    host::local::os::kill(server.sandbox.pid()).unwrap();
    load.end().refused(3, &["127.0.0.1", "error log"]);
}

#[test]
fn tables_that_vanish_under_a_load_are_told() {
    let place = Workplace::new();
    let server = Server::start();
    server.weighin(&place, "prepare", &["--table-size", "1000"]).done();
    let (url, password) = (server.url(), server.password_file());
    let load = place.start(&[
        "load",
        &url,
        "--password-file",
        password.to_str().unwrap(),
        "--workload=oltp_point_select",
        "--table-size=1000",
        "--clients=4",
        "--duration=60s",
    ]);
    wait_for("statements", || server.counters()["Com_select"] > 100);
    server.execute("DROP TABLE sbtest1");
    load.end().refused(3, &["sbtest1", "weighin prepare"]);
}
