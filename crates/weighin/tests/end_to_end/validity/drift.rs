//! A steady state, and a server that leaves it while it is measured.

use super::{findings, passed, study_of, validities};
use crate::support::{Frozen, Server, Workplace, wait_for};
use std::time::{Duration, Instant};

/// Length of the measured phase in which the server slows down.
const LENGTH: Duration = Duration::from_secs(12);
/// What the server still does at its end, of what it did at the beginning. So little, and so
/// evenly less, that every second differs from the one before by more than a busy machine's noise.
const LEFT: f64 = 0.05;
/// Of each of these the server stands still for a part.
const SLICE: Duration = Duration::from_millis(500);

/// Lets a process stand still for longer and longer parts of the time to come.
fn slow_down(pid: u32) {
    let start = Instant::now();
    while start.elapsed() < LENGTH {
        let running = SLICE.mul_f64(LEFT.powf(start.elapsed().div_duration_f64(LENGTH)));
        Frozen::new(pid).thaw_after(SLICE - running);
        std::thread::sleep(running);
    }
}

#[test]
fn a_server_that_slows_down_while_it_is_measured_drifts() {
    let place = Workplace::new();
    let server = Server::start();
    let times = format!("warmup = \"0s\"\nduration = \"{}s\"", LENGTH.as_secs());
    place.write("lone.toml", study_of(&server, 4, &times));
    let before = server.counters()["Com_select"];
    let run = place.start(&["run", "lone.toml"]);
    wait_for("a load", || server.counters()["Com_select"] > before + 100);
    slow_down(server.sandbox.pid());
    run.end().done();

    let drift = findings(&place, "lone.toml", "drift");
    assert_eq!(drift.len(), 1, "{drift:?}");
    assert_eq!(drift[0]["evidence"]["figure"], "throughput");
    let change = &drift[0]["evidence"]["change"];
    assert!(change["point"].as_f64().unwrap() < 0.0, "{change}");
    assert_ne!(validities(&place, "lone.toml"), ["valid"]);
    assert!(!passed(&place, "lone.toml", "steady_state"));
}
