//! Loads of many connections, over everything that a connection can be made over.

use crate::support::{Workplace, adds_up, far_proxy, prepared, whole};
use std::net::Ipv4Addr;
use std::time::Duration;

fn loads(clients: &str, url: impl Fn(&crate::support::Server) -> String) {
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
