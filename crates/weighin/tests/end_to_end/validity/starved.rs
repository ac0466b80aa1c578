//! Processor time that the load generator or the server wanted and did not get.

use super::{Hog, findings, lone_sandbox, passed, study_of, validities};
use crate::support::{
    ControlGroup, Server, Started, Workplace, held_back, processes_with, wait_for,
};
use std::process::{Command, Stdio};
use std::time::Duration;

const STUDY: &str = "lone.toml";
const TIMES: &str = "warmup = \"0s\"\nduration = \"6s\"";

/// Runs the study and lets something happen to it while its load is under way, for some seconds. Where this
/// machine was so slow that the load was over by then, once more.
fn starved<T>(place: &Workplace, starve: impl Fn(&Started) -> T) {
    for _ in 0..5 {
        let run = place.start(&["run", STUDY]);
        run.wait_for_load();
        let starved = starve(&run);
        std::thread::sleep(Duration::from_secs(3));
        let was_under_way = !run.workers().is_empty();
        drop(starved);
        run.end().done();
        if was_under_way {
            return;
        }
        place.files(".weighin").iter().for_each(|file| std::fs::remove_file(file).unwrap());
    }
    panic!("each time the load was over when it was to be starved");
}

/// The same of a server that runs already.
fn measured<T>(place: &Workplace, server: &Server, starve: impl Fn(&Started) -> T) {
    place.write(STUDY, study_of(server, 4, TIMES));
    starved(place, |run| {
        // Some has been done by then.
        let before = server.counters()["Com_select"];
        wait_for("statements, or the load's end", || {
            server.counters()["Com_select"] > before + 100 || run.workers().is_empty()
        });
        starve(run)
    });
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

/// Does something to a thread, which may have ended meanwhile.
fn to_worker(program: &str, arguments: &[&str]) {
    let quiet =
        Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.unwrap_or_else(|error| panic!("{program} is needed for this test: {error}"));
}

#[test]
fn a_client_whose_processor_others_take_is_the_bottleneck() {
    let place = Workplace::new();
    let server = Server::start();
    let processor = a_processor();
    measured(&place, &server, |run| {
        // Weighin gives its workers priority where it may. From here on they have the least there is.
        for worker in run.workers() {
            to_worker("renice", &["-n", "19", "-p", &worker]);
            to_worker("taskset", &["-c", "-p", &processor, &worker]);
        }
        [0; 3].map(|_| Hog::start(&["taskset", "-c", &processor]))
    });
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
    measured(&place, &server, |run| group.take(run.pid()));
    client_was_the_bottleneck(&place);
    throttled(&place, "client");
}

#[test]
fn a_server_that_its_control_group_holds_back_is_found_out() {
    let Some(group) = ControlGroup::limited("server") else { return };
    let place = Workplace::new();
    place.write(STUDY, lone_sandbox(TIMES, "sandbox = {}"));
    starved(&place, |_| {
        // The server, and who looks after it.
        let servers = processes_with(place.sandboxes().to_str().unwrap());
        servers.iter().for_each(|&(pid, _)| group.take(pid));
    });
    throttled(&place, "server");
}
