//! Connections that are lost in mid-load.

use crate::support::{Workplace, adds_up, number, point_selects, prepared, wait_for, whole};
use std::time::{Duration, Instant};

/// How far the clocks of weighin and of the test may be apart, in seconds: a client notices at
/// its next try.
const APART: f64 = 2.0;

/// For how long there is no server, at the least.
const DOWN: Duration = Duration::from_secs(3);

#[test]
fn a_server_that_is_killed_and_comes_back_is_an_outage_of_that_length() {
    for io in ["epoll", "io_uring"] {
        let place = Workplace::new();
        let mut server = prepared(&place);
        let arguments = ["--rate=300", "--arrivals=uniform", "--clients=8", "--duration=25s"];
        let load = point_selects(&place, &server, &[&arguments[..], &["--io", io]].concat());
        let under_way = Instant::now();
        // Without a second before there would be no throughput to come back to.
        wait_for("a second of load", || under_way.elapsed() > Duration::from_millis(1_500));
        let port = server.sandbox.port();
        let asked = Instant::now();
        host::local::os::kill(server.sandbox.pid()).unwrap();
        // Waits for its end.
        server.sandbox.stop().unwrap();
        let ended = Instant::now();
        wait_for("a while without a server", || ended.elapsed() >= DOWN);
        let least = ended.elapsed().as_secs_f64();
        server.sandbox.start_again().unwrap();
        let most = asked.elapsed().as_secs_f64();
        assert_eq!(server.sandbox.port(), port, "another program has taken the port");

        let json = load.end().json();
        adds_up(&json);
        assert_eq!(json["intervals"].as_array().unwrap().len(), 25);
        assert_eq!(json["outages"].as_array().unwrap().len(), 1, "{json:#}");
        let at = |field: &str| number(&json, &format!("/outages/0/{field}"));
        assert!(at("first_error_seconds") > 1.4, "{json:#}");
        // It answers before the test hears that it has started.
        let is_down = least - APART..most + APART;
        assert!(is_down.contains(&at("downtime_seconds")), "{is_down:?}: {json:#}");
        let success = at("first_success_seconds");
        assert!((success - at("first_error_seconds") - at("downtime_seconds")).abs() < 1e-6);
        // A rate comes back in full, with what had to wait on top.
        assert!(at("recovered_seconds") >= success, "{json:#}");
        // The server that could have agreed is gone, and its counters with it.
        let selects = &json["requests"]["select"];
        assert!(selects["weighin"].as_u64().unwrap() > 1_000, "{json:#}");
        assert!(selects["server"].is_null(), "{json:#}");
    }
}

#[test]
fn one_connection_that_the_server_ends_is_made_anew() {
    for io in ["epoll", "io_uring"] {
        let place = Workplace::new();
        let server = prepared(&place);
        let load = point_selects(&place, &server, &["--clients=4", "--duration=6s", "--io", io]);
        // One that has just worked: on a busy machine some threads of the load begin later.
        let working = "SELECT id FROM information_schema.processlist \
                       WHERE host LIKE '127.0.0.1%' AND id <> CONNECTION_ID() \
                       ORDER BY time_ms, id DESC LIMIT 1";
        server.execute(&format!("KILL {}", server.query(working)[0]));

        let json = load.end().json();
        adds_up(&json);
        assert_eq!(json["outages"].as_array().unwrap().len(), 1, "{json:#}");
        let failed = whole(&json, "/outages/0/failed");
        assert_eq!(whole(&json, "/operations/failed"), failed);
        assert!(failed <= 1 && number(&json, "/outages/0/downtime_seconds") < 6.0, "{json:#}");
        // The test's own look at the process list, and perhaps the statement that was cut off.
        let said = whole(&json, "/requests/select/weighin");
        let server_said = whole(&json, "/requests/select/server");
        assert!((said + 1..=said + 1 + failed).contains(&server_said), "{json:#}");
    }
}

#[test]
fn a_lost_connection_ends_the_load_where_that_is_wanted() {
    for io in ["epoll", "io_uring"] {
        let place = Workplace::new();
        let server = prepared(&place);
        let arguments = ["--clients=4", "--duration=60s", "--on-lost-connection=stop", "--io", io];
        let load = point_selects(&place, &server, &arguments);
        host::local::os::kill(server.sandbox.pid()).unwrap();
        load.end().refused(3, &["127.0.0.1", "error log"]);
    }
}
