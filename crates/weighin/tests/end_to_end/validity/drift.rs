//! A steady state, and a server that leaves it while it is measured.

use super::{findings, passed, study_of, validities};
use crate::support::{Proxy, Server, Workplace, proxy, wait_for};
use std::time::{Duration, Instant};

/// Length of the measured phase in which the server slows down.
const LENGTH: Duration = Duration::from_secs(20);
/// How long a request and its answer are each under way at the beginning: so long that processors have
/// next to nothing to do, which others may want.
const FIRST: Duration = Duration::from_millis(5);
/// By how much longer they are at the end.
const GROWTH: f64 = 20.0;

/// Has the server answer later and later in the time to come.
fn slow_down(server: &Proxy) {
    let start = Instant::now();
    while start.elapsed() < LENGTH {
        server.delay(FIRST.mul_f64(GROWTH.powf(start.elapsed().div_duration_f64(LENGTH))));
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_server_that_slows_down_while_it_is_measured_drifts() {
    let place = Workplace::new();
    let server = Server::start();
    let slow = proxy(server.sandbox.port());
    slow.delay(FIRST);
    let times = format!("warmup = \"0s\"\nduration = \"{}s\"", LENGTH.as_secs());
    let study = study_of(&server, 4, &times);
    let port = |port: u16| format!(":{port}/");
    place.write("lone.toml", study.replace(&port(server.sandbox.port()), &port(slow.port())));
    let before = server.counters()["Com_select"];
    let run = place.start(&["run", "lone.toml"]);
    wait_for("a load", || server.counters()["Com_select"] > before + 100);
    slow_down(&slow);
    run.end().done();

    let drift = findings(&place, "lone.toml", "drift");
    assert_eq!(drift.len(), 1, "{drift:?}");
    assert_eq!(drift[0]["evidence"]["figure"], "throughput");
    let change = &drift[0]["evidence"]["change"];
    assert!(change["point"].as_f64().unwrap() < 0.0, "{change}");
    assert_ne!(validities(&place, "lone.toml"), ["valid"]);
    assert!(!passed(&place, "lone.toml", "steady_state"));
}
