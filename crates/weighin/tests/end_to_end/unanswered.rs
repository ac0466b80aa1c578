//! Servers of which a part hangs, and connections that are cut while they have nothing to do.

use crate::support::{Workplace, adds_up, number, point_selects, prepared, wait_for, whole};
use std::time::{Duration, Instant};

/// How many wait for the lock of a table.
const WAITING: &str =
    "SELECT COUNT(*) FROM information_schema.processlist WHERE state LIKE 'Waiting for table%lock'";

#[test]
fn what_waits_for_a_lock_beyond_the_end_is_in_the_latencies_and_found() {
    for io in ["epoll", "io_uring"] {
        let place = Workplace::new();
        let server = prepared(&place);
        let mut holder = server.connect();
        let more = ["--clients=4", "--duration=12s", "--statements", "--io", io];
        let load = point_selects(&place, &server, &more);
        let begun = Instant::now();
        holder.execute("LOCK TABLES sbtest1 WRITE").unwrap();
        // From here on all of them have asked, however late this machine came to that.
        wait_for("all clients at the lock", || server.query(WAITING) == ["4"]);
        let locked = Instant::now();
        wait_for("the end of the load's time", || begun.elapsed() > Duration::from_secs(14));
        let held_ms = locked.elapsed().as_secs_f64() * 1e3;
        holder.execute("UNLOCK TABLES").unwrap();

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
        server.execute("SET GLOBAL wait_timeout = 3");
        let mut load = vec!["--workload=oltp_point_select", "--table-size=1000", "--json"];
        load.extend([
            "--rate=2", "--arrivals=uniform", "--clients=12", "--duration=12s", "--io", io,
        ]);
        // Once more where a machine stands still for so long that weighin's own connection is cut before the load,
        // or that nobody can tell whether the end of one came at once.
        let mut loads = (0..5).filter_map(|_| {
            let ran = server.weighin(&place, "load", &load);
            let is_cut = ran.code == Some(3) && ran.err.contains("lost the connection");
            (!is_cut).then(|| ran.json())
        });
        let json = loads.find(|json| {
            adds_up(json);
            whole(json, "/operations/failed") == 0
        });
        let json = json.expect("a load that nothing holds up");
        // What came when the time was over, on a busy machine, was not begun; all else went well.
        assert!(whole(&json, "/operations/ok") > 0, "{json:#}");
        assert_eq!(whole(&json, "/operations/timed_out"), 0, "{json:#}");
        assert_eq!(json["outages"].as_array().unwrap().len(), 0, "{json:#}");
        assert!(whole(&json, "/idle_connections_lost") > 0, "{json:#}");
    }
}
