//! Servers of which a part hangs, and connections that are cut while they have nothing to do.

use crate::support::{Workplace, adds_up, number, point_selects, prepared, wait_for, whole};
use std::time::{Duration, Instant};

#[test]
fn what_waits_for_a_lock_beyond_the_end_is_in_the_latencies_and_found() {
    for io in ["epoll", "io_uring"] {
        let place = Workplace::new();
        let server = prepared(&place);
        let mut holder = server.connect();
        let more = ["--clients=4", "--duration=6s", "--statements", "--io", io];
        let load = point_selects(&place, &server, &more);
        let begun = Instant::now();
        holder.execute("LOCK TABLES sbtest1 WRITE").unwrap();
        let locked = Instant::now();
        wait_for("the end of the load's time", || begun.elapsed() > Duration::from_millis(8_000));
        holder.execute("UNLOCK TABLES").unwrap();
        let held_ms = locked.elapsed().as_secs_f64() * 1e3;

        let json = load.end().json();
        adds_up(&json);
        assert!(number(&json, "/latency_ms/max") > held_ms - 100.0, "{held_ms} ms: {json:#}");
        assert_eq!(json["outages"].as_array().unwrap().len(), 0);
        assert_eq!(whole(&json, "/operations/timed_out"), 0);
        let kind = "/statement_latencies/0/latency_ms/max";
        assert!(number(&json, kind) > held_ms - 100.0, "{held_ms} ms: {json:#}");
    }
}

#[test]
fn connections_that_a_server_cuts_while_idle_are_no_outage() {
    for io in ["epoll", "io_uring"] {
        let place = Workplace::new();
        let server = prepared(&place);
        server.execute("SET GLOBAL wait_timeout = 1");
        let mut load = vec!["--workload=oltp_point_select", "--table-size=1000", "--json"];
        load.extend([
            "--rate=4",
            "--arrivals=uniform",
            "--clients=12",
            "--duration=5s",
            "--io",
            io,
        ]);
        let json = server.weighin(&place, "load", &load).json();
        adds_up(&json);
        assert_eq!(whole(&json, "/operations/ok"), whole(&json, "/operations/scheduled"));
        assert_eq!(json["outages"].as_array().unwrap().len(), 0, "{json:#}");
        assert!(whole(&json, "/idle_connections_lost") > 0, "{json:#}");
    }
}
