//! A server that stands still for a second: what an open loop sees of it, and what a closed loop
//! hides.

use crate::support::{Frozen, Workplace, adds_up, number, point_selects, prepared, whole};
use serde_json::Value;
use std::time::Duration;

/// Length of the loads, in seconds.
const LENGTH: f64 = 4.0;
/// Transactions per second that the open loops offer.
const RATE: f64 = 300.0;

/// The result of a load in which the server stood still, and for how long that was, in
/// milliseconds.
fn frozen(arguments: &[&str]) -> (Value, f64) {
    let place = Workplace::new();
    let server = prepared(&place);
    let load = point_selects(&place, &server, &[arguments, &["--duration=4s"]].concat());
    let seconds = Frozen::new(server.sandbox.pid()).thaw_after(Duration::from_secs(1));
    let json = load.end().json();
    adds_up(&json);
    (json, seconds * 1e3)
}

/// Everything that was due in the freeze waited for its end: response times evenly spread from 0
/// to its length, a share of all that is its length ÷ the load's. So the slowest 5 % of all are
/// the slowest (5 % ÷ share) of those.
fn waited_for_the_thaw(json: &Value, frozen_ms: f64) {
    let share = frozen_ms / 1e3 / LENGTH;
    assert_eq!(whole(json, "/open_loop/scheduled"), (RATE * LENGTH) as u64);
    assert_eq!(whole(json, "/operations/dropped"), 0);
    for (field, percentile) in [("p95", 0.95), ("p99", 0.99)] {
        let due = frozen_ms * (1.0 - (1.0 - percentile) / share);
        let seen = number(json, &format!("/latency_ms/{field}"));
        // The server may be slow after the thaw, but never makes up for the freeze.
        assert!(seen > due - 100.0, "{field} of {seen} ms where {due} ms are due");
    }
    assert!(number(json, "/latency_ms/max") > frozen_ms - 100.0);
}

#[test]
fn a_rate_with_enough_connections_shows_the_freeze_in_response_and_service_time() {
    for io in ["epoll", "io_uring"] {
        let arguments = ["--rate=300", "--arrivals=uniform", "--clients=400", "--io", io];
        let (json, frozen_ms) = frozen(&arguments);
        assert_eq!(json["client_io"], io);
        waited_for_the_thaw(&json, frozen_ms);
        // All of them were under way.
        assert!(number(&json, "/open_loop/service_ms/p95") > 0.5 * frozen_ms, "{json:#}");
    }
}

#[test]
fn a_rate_with_few_connections_shows_it_in_response_time_alone() {
    for io in ["epoll", "io_uring"] {
        let arguments = ["--rate=300", "--arrivals=uniform", "--clients=4", "--io", io];
        let (json, frozen_ms) = frozen(&arguments);
        waited_for_the_thaw(&json, frozen_ms);
        // Four of 1,200 were under way; the others waited for one of four connections.
        assert!(number(&json, "/open_loop/service_ms/p99") < 0.5 * frozen_ms, "{json:#}");
        assert!(number(&json, "/open_loop/service_ms/max") > frozen_ms - 100.0, "{json:#}");
        assert!(whole(&json, "/open_loop/most_waiting") > 200, "{json:#}");
    }
}

/// Why rates exist. Each of four clients has one slow reply and asks nothing meanwhile, so that
/// even the 99th percentile knows nothing of a second in which the server did nothing at all.
#[test]
fn a_closed_loop_sees_one_slow_reply_for_each_client() {
    for io in ["epoll", "io_uring"] {
        let (json, frozen_ms) = frozen(&["--clients=4", "--io", io]);
        assert!(number(&json, "/latency_ms/max") > frozen_ms - 100.0, "{json:#}");
        assert!(number(&json, "/latency_ms/p99") < 0.5 * frozen_ms, "{json:#}");
        assert!(json["open_loop"].is_null() && json["outages"].as_array().unwrap().is_empty());
    }
}
