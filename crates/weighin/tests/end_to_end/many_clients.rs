//! Loads of many connections, over everything that a connection can be made over.

use crate::support::{Server, Workplace, adds_up, far_proxy, prepared, wait_for, whole};
use mysql::client::Connection;
use std::net::Ipv4Addr;
use std::time::Duration;

fn loads(clients: &str, url: impl Fn(&Server) -> String) {
    let place = Workplace::new();
    let server = prepared(&place);
    for io in ["epoll", "io_uring"] {
        let mut arguments = vec!["--workload=oltp_point_select", "--table-size=1000", "--json"];
        arguments.extend(["--clients", clients, "--duration=1s", "--io", io]);
        let json = server.weighin_at(&place, "load", &url(&server), &arguments).json();
        adds_up(&json);
        assert_eq!(whole(&json, "/clients").to_string(), clients);
        assert!(whole(&json, "/transactions") > 0 && whole(&json, "/errors") == 0, "{json:#}");
        let selects = &json["requests"]["select"];
        assert_eq!(selects["weighin"], selects["server"]);
    }
}

#[test]
fn three_hundred_clients_over_tcp() {
    loads("300", |server| server.url());
}

#[test]
fn three_hundred_clients_over_a_unix_socket() {
    loads("300", |server| server.socket_url());
}

#[test]
fn a_thousand_clients() {
    loads("1000", |server| server.url());
}

/// A server that has no room for all of eight clients beside the connections that are given back with it.
fn nearly_full(place: &Workplace) -> (Server, Vec<Connection>) {
    let server = Server::start_with(&[("max_connections", "16")]);
    server.weighin(place, "prepare", &["--table-size", "1000"]).done();
    let others = (0..10).map(|_| server.connect()).collect();
    (server, others)
}

#[test]
fn room_for_all_clients_is_waited_for() {
    let place = Workplace::new();
    let (server, mut others) = nearly_full(&place);
    let (url, password) = (server.url(), server.password_file());
    let mut arguments = vec!["load", &url, "--password-file", password.to_str().unwrap()];
    arguments.extend(["--workload=oltp_point_select", "--table-size=1000", "--clients=8"]);
    let load = place.start(&[&arguments[..], &["--duration=1s", "--json"]].concat());
    wait_for("a client that finds no room", || {
        let asked = "SHOW GLOBAL STATUS LIKE 'Connection_errors_max_connections'";
        let row = others[0].query(asked).unwrap().rows.remove(0);
        row[1].as_deref() != Some(b"0")
    });
    // As connections of an earlier load that the server has not ended yet.
    others.clear();
    let json = load.end().json();
    adds_up(&json);
    assert!(whole(&json, "/clients") == 8 && whole(&json, "/errors") == 0, "{json:#}");
}

#[test]
fn room_that_never_comes_is_told() {
    let place = Workplace::new();
    let (server, _others) = nearly_full(&place);
    let arguments = ["--workload=oltp_point_select", "--table-size=1000", "--clients=8"];
    let told = server.weighin(&place, "load", &arguments);
    told.refused(3, &["Too many connections", "raise the server's max_connections"]);
}

#[test]
fn a_load_ends_when_the_server_has_closed_its_connections() {
    let place = Workplace::new();
    let server = prepared(&place);
    for io in ["epoll", "io_uring"] {
        let waits_for_all = || {
            // A goodbye arrives later than it takes to give up a socket.
            let address = (Ipv4Addr::LOCALHOST, server.sandbox.port()).into();
            let way = far_proxy(address, Duration::from_millis(100));
            let url = format!("mysql://weighin@127.0.0.1:{}/sbtest", way.port());
            let mut arguments = vec!["--workload=oltp_point_select", "--table-size=1000", "--json"];
            arguments.extend(["--clients=16", "--duration=1s", "--io", io]);
            server.weighin_at(&place, "load", &url, &arguments).done();
            (0..200).any(|_| {
                std::thread::sleep(Duration::from_millis(25));
                way.ended_by_server() >= 16
            })
        };
        // It gives up a server that takes seconds for one, as on a busy machine.
        assert!((0..5).any(|_| waits_for_all()), "{io}: it does not wait for the server");
    }
}
