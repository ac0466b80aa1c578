//! Loads that go wrong in ways that a policy or a limit deals with.

use crate::support::{Ran, Server, Workplace, adds_up, prepared, whole};

/// Many clients that change the same few rows.
fn fighting(policy: &str, io: &str) -> Ran {
    let place = Workplace::new();
    let server = Server::start();
    let tables = ["--table-size", "20", "--distribution", "uniform"];
    server.weighin(&place, "prepare", &tables).done();
    // One that ends by itself has as long as it takes.
    let duration = if policy == "stop" { "--duration=10m" } else { "--duration=3s" };
    let mut arguments = vec!["--workload=oltp_read_write", "--clients=32", duration];
    arguments.extend(tables);
    arguments.extend(["--json", "--io", io, "--on-conflict", policy]);
    server.weighin(&place, "load", &arguments)
}

/// How often transactions deadlocked.
fn deadlocks(json: &serde_json::Value) -> u64 {
    let errors = json["errors_by_code"].as_array().unwrap();
    errors.iter().filter(|error| error["code"] == "1213").map(|error| whole(error, "/count")).sum()
}

#[test]
fn conflicts_are_counted_retried_or_the_end_as_the_policy_says() {
    for io in ["epoll", "io_uring"] {
        let ignored = fighting("ignore", io).json();
        adds_up(&ignored);
        assert!(deadlocks(&ignored) > 0, "{ignored:#}");
        assert_eq!(deadlocks(&ignored), whole(&ignored, "/operations/failed"), "{ignored:#}");

        let retried = fighting("retry", io).json();
        adds_up(&retried);
        // Only what was still in conflict when the time was up failed, once for each client.
        assert!(deadlocks(&retried) > 0 && whole(&retried, "/operations/failed") <= 32);
        assert!(whole(&retried, "/operations/ok") > 0, "{retried:#}");

        fighting("stop", io).refused(3, &["Deadlock"]);
    }
}

#[test]
fn a_rate_above_capacity_is_told_and_is_no_failure() {
    let place = Workplace::new();
    let server = prepared(&place);
    for io in ["epoll", "io_uring"] {
        let mut arguments = vec!["--workload=oltp_point_select", "--table-size=1000"];
        arguments.extend(["--rate=300000", "--max-waiting=1000", "--clients=4"]);
        arguments.extend(["--duration=1s", "--io", io]);
        let text = server.weighin(&place, "load", &arguments).done();
        assert!(text.contains("OVERLOADED"), "{text}");
        arguments.push("--json");
        let json = server.weighin(&place, "load", &arguments).json();
        adds_up(&json);
        assert_eq!(json["open_loop"]["overloaded"], true);
        assert!(whole(&json, "/operations/dropped") > 1_000, "{json:#}");
        assert_eq!(whole(&json, "/operations/failed"), 0);
    }
}
