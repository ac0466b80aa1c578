//! A server that stands still for a second: what an open loop sees of it, and what a closed loop
//! hides.

use crate::support::{Frozen, Workplace, adds_up, number, point_selects, prepared, whole};
use serde_json::Value;
use std::time::{Duration, Instant};

/// Lengths of the loads in seconds, one after another until one of them was as a test takes it: on a busy
/// machine a short load may be over before its server stands still.
const LENGTHS: [u32; 6] = [4, 4, 8, 8, 16, 32];
/// Transactions per second that the open loops offer.
const RATE: f64 = 300.0;

/// A load in which the server stood still.
struct Freeze {
    json: Value,
    /// For how long, in milliseconds.
    ms: f64,
    /// Length of the load, in seconds.
    length: f64,
}

/// Freezes the server of such a load until it stood still within the load alone, and nothing else of which
/// `is_disturbed` tells was in the way.
fn freeze(arguments: &[&str], is_disturbed: impl Fn(&Freeze) -> bool) -> Freeze {
    let place = Workplace::new();
    let server = prepared(&place);
    let mut disturbed = Value::Null;
    for length in LENGTHS {
        let duration = format!("--duration={length}s");
        let began = Instant::now();
        let load = point_selects(&place, &server, &[arguments, &[&duration]].concat());
        let seconds = Frozen::new(server.sandbox.pid()).thaw_after(Duration::from_secs(1));
        // It began later than the process that makes it.
        let is_within = began.elapsed().as_secs_f64() < f64::from(length);
        let json = load.end().json();
        adds_up(&json);
        let freeze = Freeze { json, ms: seconds * 1e3, length: length.into() };
        if is_within && !is_disturbed(&freeze) {
            return freeze;
        }
        disturbed = freeze.json;
    }
    panic!("something else was in the way of all loads; of the last: {disturbed:#}");
}

impl Freeze {
    fn number(&self, field: &str) -> f64 {
        number(&self.json, field)
    }

    /// Everything that was due in the freeze waited for its end: response times evenly spread from 0
    /// to its length, a share of all that is its length ÷ the load's. So the slowest 1 % of all are
    /// the slowest (1 % ÷ share) of those.
    fn waited_for_the_thaw(&self) {
        let json = &self.json;
        let share = self.ms / 1e3 / self.length;
        // One may be due at the very end.
        let scheduled = whole(json, "/open_loop/scheduled") - (RATE * self.length) as u64;
        assert!(scheduled <= 1, "{json:#}");
        assert_eq!(whole(json, "/operations/dropped"), 0);
        for (field, percentile) in [("p95", 0.95), ("p99", 0.99)] {
            let due = self.ms * (1.0 - (1.0 - percentile) / share);
            let seen = self.number(&format!("/latency_ms/{field}"));
            // The server may be slow after the thaw, but never makes up for the freeze.
            assert!(seen > due - 100.0, "{field} of {seen} ms where {due} ms are due");
        }
        assert!(self.number("/latency_ms/max") > self.ms - 100.0);
    }
}

#[test]
fn a_rate_with_enough_connections_shows_the_freeze_in_response_and_service_time() {
    for io in ["epoll", "io_uring"] {
        let arguments = ["--rate=300", "--arrivals=uniform", "--clients=400", "--io", io];
        let frozen = freeze(&arguments, |_| false);
        assert_eq!(frozen.json["client_io"], io);
        frozen.waited_for_the_thaw();
        // All of them were under way.
        assert!(frozen.number("/open_loop/service_ms/p99") > 0.5 * frozen.ms, "{:#}", frozen.json);
    }
}

#[test]
fn a_rate_with_few_connections_shows_it_in_response_time_alone() {
    for io in ["epoll", "io_uring"] {
        let arguments = ["--rate=300", "--arrivals=uniform", "--clients=4", "--io", io];
        // Four of 1,200 were under way; the others waited for one of four connections.
        let is_slow = |one: &Freeze| one.number("/open_loop/service_ms/p99") >= 0.5 * one.ms;
        let frozen = freeze(&arguments, is_slow);
        frozen.waited_for_the_thaw();
        let json = &frozen.json;
        assert!(number(json, "/open_loop/service_ms/max") > frozen.ms - 100.0, "{json:#}");
        assert!(whole(json, "/open_loop/most_waiting") > 200, "{json:#}");
    }
}

/// Why rates exist. Each of four clients has one slow reply and asks nothing meanwhile, so that
/// even the 99th percentile knows nothing of a second in which the server did nothing at all.
#[test]
fn a_closed_loop_sees_one_slow_reply_for_each_client() {
    for io in ["epoll", "io_uring"] {
        // Four replies are more than a hundredth of all on a machine that does next to nothing.
        let is_slow = |one: &Freeze| one.number("/latency_ms/p99") >= 0.5 * one.ms;
        let frozen = freeze(&["--clients=4", "--io", io], is_slow);
        let json = &frozen.json;
        assert!(number(json, "/latency_ms/max") > frozen.ms - 100.0, "{json:#}");
        assert!(json["open_loop"].is_null() && json["outages"].as_array().unwrap().is_empty());
    }
}
