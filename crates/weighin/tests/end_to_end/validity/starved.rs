//! Processor time that the load generator or the server wanted and did not get.

use super::{Hog, findings, lone_sandbox, passed, study_of, validities};
use crate::support::{
    ControlGroup, Server, Started, Workplace, held_back, processes_with, succeed, wait_for,
};
use std::time::Duration;

const STUDY: &str = "lone.toml";
const TIMES: &str = "warmup = \"0s\"\nduration = \"6s\"";

/// Starts the measurement of a server, and waits until the load is under way.
fn measured(place: &Workplace, server: &Server) -> Started {
    place.write(STUDY, study_of(server, 4, TIMES));
    let before = server.counters()["Com_select"];
    let run = place.start(&["run", STUDY]);
    wait_for("a load", || server.counters()["Com_select"] > before + 100);
    run
}

/// That the check of the load generator failed: replies lay there while it waited for a processor.
fn client_was_the_bottleneck(place: &Workplace) {
    let late = findings(place, STUDY, "client_delay");
    let busy = findings(place, STUDY, "client_busy");
    assert!(late.iter().chain(&busy).all(|finding| finding["severity"] == "warning"));
    assert!(!late.is_empty() || !busy.is_empty(), "nobody noticed");
    assert_ne!(validities(place, STUDY), ["valid"]);
    assert!(!passed(place, STUDY, "client_not_bottleneck"));
}

/// The first processor that this process may run on.
fn a_processor() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    allowed.trim().chars().take_while(char::is_ascii_digit).collect()
}

#[test]
fn a_client_whose_processor_others_take_is_the_bottleneck() {
    let place = Workplace::new();
    let server = Server::start();
    let run = measured(&place, &server);
    // Weighin gives its workers priority where it may. From here on they have the least there is.
    let processor = a_processor();
    for worker in run.workers() {
        succeed("renice", &place.path("."), &["-n", "19", "-p", &worker]);
        succeed("taskset", &place.path("."), &["-c", "-p", &processor, &worker]);
    }
    let hogs = [0; 3].map(|_| Hog::start(&["taskset", "-c", &processor]));
    std::thread::sleep(Duration::from_secs(3));
    drop(hogs);
    run.end().done();
    client_was_the_bottleneck(&place);
}

/// What a report says of processes that a control group throttled.
fn throttled(place: &Workplace, process: &str) {
    let throttled = findings(place, STUDY, "throttled");
    let of = |finding: &&serde_json::Value| finding["evidence"]["process"] == process;
    assert_eq!(throttled.iter().filter(of).count(), 1, "{throttled:?}");
    assert!(throttled.len() == 1 || held_back(), "{throttled:?}");
    assert!(throttled.iter().all(|finding| finding["severity"] == "warning"), "{throttled:?}");
    assert_ne!(validities(place, STUDY), ["valid"]);
    assert!(!passed(place, STUDY, "own_machine"));
}

#[test]
fn a_client_that_its_control_group_holds_back_is_the_bottleneck() {
    let Some(group) = ControlGroup::limited("client") else { return };
    let place = Workplace::new();
    let server = Server::start();
    let run = measured(&place, &server);
    group.take(run.pid());
    run.end().done();
    client_was_the_bottleneck(&place);
    throttled(&place, "client");
}

#[test]
fn a_server_that_its_control_group_holds_back_is_found_out() {
    let Some(group) = ControlGroup::limited("server") else { return };
    let place = Workplace::new();
    place.write(STUDY, lone_sandbox(TIMES, "sandbox = {}"));
    let run = place.start(&["run", STUDY]);
    run.wait_for_load();
    // The server, and who looks after it.
    let servers = processes_with(place.sandboxes().to_str().unwrap());
    servers.iter().for_each(|&(pid, _)| group.take(pid));
    run.end().done();
    throttled(&place, "server");
}
