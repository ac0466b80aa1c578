//! Loads of many connections, over everything that a connection can be made over.

use crate::support::{Workplace, adds_up, prepared, whole};

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
