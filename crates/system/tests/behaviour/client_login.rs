//! Logging in to a real server, and every way in which that can fail.

use crate::support::{Server, address, value};
use model::{Endpoint, Failure, FailureKind, PasswordSource, Stop};
use mysql::client::Connection;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;
use system::System;
use system::client::{Credentials, Limits, LoginEnvironment, Secret, SecretRules};

fn credentials(user: &str, password: &str) -> Credentials {
    Credentials::new(user, Secret::new(password))
}

#[test]
fn accounts_log_in_over_tcp_and_socket_with_each_plugin() {
    let server = Server::start(&[]);
    let mut admin = server.connect();
    admin.execute("INSTALL SONAME 'auth_ed25519'").unwrap();
    for statement in [
        "CREATE USER native@'%' IDENTIFIED BY 'n p''w'",
        "CREATE USER ed@'%' IDENTIFIED VIA ed25519 USING PASSWORD('e p''w')",
        "CREATE USER empty@'%' IDENTIFIED BY ''",
        "GRANT ALL ON sbtest.* TO native@'%', ed@'%', empty@'%'",
    ] {
        admin.execute(statement).unwrap();
    }
    for endpoint in [server.tcp(), server.socket()] {
        for (user, password) in [("native", "n p'w"), ("ed", "e p'w"), ("empty", "")] {
            let login = credentials(user, password);
            let mut connection = Connection::open(&address(endpoint.clone()), &login).unwrap();
            let id = connection.connection_id().to_string();
            assert_eq!(value(&mut connection, "SELECT CONNECTION_ID()"), id);
            assert!(value(&mut connection, "SELECT USER()").starts_with(user));
            assert_eq!(value(&mut connection, "SELECT DATABASE()"), "sbtest");
            let version = connection.server_version().to_owned();
            assert_eq!(value(&mut connection, "SELECT VERSION()"), version);
            assert_eq!(value(&mut connection, "SELECT @@character_set_client"), "utf8mb4");
        }
    }
    for user in ["native", "ed", "empty"] {
        let failure = server.refusal(&address(server.tcp()), user, "wrong");
        assert_eq!(failure.kind, FailureKind::AccessDenied, "{failure}");
        assert!(failure.message.contains(user) && failure.message.contains("1045"), "{failure}");
        assert!(!failure.message.contains("wrong"), "{failure}");
    }
}

#[test]
fn a_session_may_have_no_database() {
    let server = Server::start(&[]);
    let mut nowhere = address(server.tcp());
    nowhere.database.clear();
    let mut connection = Connection::open(&nowhere, &server.administrator()).unwrap();
    assert_eq!(connection.query("SELECT DATABASE()").unwrap().rows, [[None]]);
}

#[test]
fn refusals_name_the_cause_and_the_way_out() {
    let server = Server::start(&[("max_connections", "10")]);
    let mut admin = server.connect();
    admin.execute("CREATE USER limited@'%' IDENTIFIED BY 'p'").unwrap();

    let mut missing = address(server.tcp());
    missing.database = "no`such".to_owned();
    let failure = Connection::open(&missing, &server.administrator()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::MissingDatabase);
    assert!(failure.remedy.contains("CREATE DATABASE `no``such`"), "{}", failure.remedy);

    let failure = server.refusal(&address(server.tcp()), "limited", "p");
    assert_eq!(failure.kind, FailureKind::AccessDenied, "{failure}");
    assert!(failure.remedy.contains("GRANT ALL ON `sbtest`.* TO 'limited'@'%'"));

    let mut others = Vec::new();
    let failure = loop {
        assert!(others.len() <= 12, "the server has a limit of 10, and one for administrators");
        match Connection::open(&address(server.tcp()), &server.administrator()) {
            Ok(connection) => others.push(connection),
            Err(failure) => break failure,
        }
    };
    assert_eq!(failure.kind, FailureKind::TooFewConnections, "{failure}");
    assert!(failure.remedy.contains("max_connections"));
}

#[test]
fn the_message_says_where_a_wrong_password_came_from() {
    let server = Server::start(&[]);
    let mut address = address(server.tcp());
    address.user = Some("weighin".to_owned());
    address.password = PasswordSource::Environment("DB_PASSWORD".to_owned());
    let rules = &SecretRules::command_line(false);
    let variable = &|_: &str| Some("not it".into());
    let environment = LoginEnvironment { variable, option_files: Some(Vec::new()), rules };
    let resolve = |address: &_| mysql::SYSTEM.log_in(address, &environment).unwrap();
    let login = resolve(&address);
    let failure = Connection::open(&address, login.credentials()).unwrap_err();
    assert!(failure.message.contains("environment variable DB_PASSWORD"), "{failure}");
    assert!(!failure.message.contains("not it"), "{failure}");

    address.password = server.sandbox.address().password.clone();
    Connection::open(&address, resolve(&address).credentials()).unwrap();
}

/// Why connecting to a place fails that answers, however late, or refuses.
fn failure_at(endpoint: Endpoint) -> Failure {
    failure_within(Duration::from_secs(600), endpoint)
}

/// The same, with so long for the login.
fn failure_within(login: Duration, endpoint: Endpoint) -> Failure {
    let limits = Limits { connect: Duration::from_secs(600), login, ..Limits::default() };
    let login = credentials("u", "p");
    Connection::open_within(&address(endpoint), &login, limits, &Stop::default()).unwrap_err()
}

fn tcp(listener: &TcpListener) -> Endpoint {
    Endpoint::Tcp { host: "127.0.0.1".into(), port: listener.local_addr().unwrap().port() }
}

#[test]
fn places_without_a_server_are_told_apart() {
    // No port that another test may be given meanwhile.
    let endpoint = Endpoint::Tcp { host: "127.0.0.1".into(), port: 1 };
    let failure = failure_at(endpoint.clone());
    assert_eq!(failure.kind, FailureKind::Unreachable);
    assert!(failure.message.contains(&endpoint.to_string()), "{failure}");
    assert!(failure.message.contains("refused"), "{failure}");

    let failure = failure_at(Endpoint::Tcp { host: "no-such-host.invalid".into(), port: 3306 });
    assert_eq!(failure.kind, FailureKind::Unreachable);
    assert!(failure.message.contains("no-such-host.invalid is unknown"), "{failure}");

    let failure = failure_at(Endpoint::Socket("/nowhere/mysqld.sock".into()));
    assert_eq!(failure.kind, FailureKind::Unreachable);
    assert!(failure.message.contains("/nowhere/mysqld.sock"), "{failure}");

    let directory = tempfile::tempdir().unwrap();
    let stale = directory.path().join("stale.sock");
    drop(std::os::unix::net::UnixListener::bind(&stale).unwrap());
    let failure = failure_at(Endpoint::Socket(stale));
    assert!(failure.message.contains("no server listens on the socket"), "{failure}");
}

#[test]
fn something_else_that_listens_is_told_apart() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let failure = failure_within(Duration::from_secs(1), tcp(&silent));
    assert_eq!(failure.kind, FailureKind::TimedOut, "{failure}");

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = tcp(&listener);
    let other = std::thread::spawn(move || {
        listener.accept().unwrap().0.write_all(b"SSH-2.0-OpenSSH_9.2p1\r\n").unwrap();
        drop(listener.accept().unwrap());
    });
    let failure = failure_at(endpoint.clone());
    assert_eq!(failure.kind, FailureKind::Unreachable, "{failure}");
    assert!(failure.message.contains("does not speak the MySQL protocol"), "{failure}");
    let failure = failure_at(endpoint);
    assert_eq!(failure.kind, FailureKind::ServerLost, "{failure}");
    other.join().unwrap();
}

#[test]
fn a_connection_says_goodbye() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = Server::start(&[]);
    let port = server.sandbox.port();
    let endpoint = tcp(&listener);
    // Hands everything through and keeps what the client sends.
    let between = std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        // Not before: the server lets nobody wait for long with a login.
        let upstream = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
        let (mut from, mut to) = (upstream.try_clone().unwrap(), client.try_clone().unwrap());
        let replies = std::thread::spawn(move || std::io::copy(&mut from, &mut to));
        let (mut upstream, mut sent, mut buffer) = (upstream, Vec::new(), [0; 4096]);
        loop {
            match client.read(&mut buffer).unwrap() {
                0 => break,
                length => {
                    sent.extend_from_slice(&buffer[..length]);
                    // The server may have hung up on the goodbye already.
                    let _ = upstream.write_all(&buffer[..length]);
                }
            }
        }
        upstream.shutdown(std::net::Shutdown::Both).ok();
        let _ = replies.join();
        sent
    });
    let connection = Connection::open(&address(endpoint), &server.administrator()).unwrap();
    assert_eq!(
        connection.endpoint().to_string(),
        format!("127.0.0.1:{}", connection.ends().unwrap().peer().unwrap().port())
    );
    drop(connection);
    let sent = between.join().unwrap();
    assert!(sent.ends_with(b"\x01\0\0\0\x01"), "the last packet is COM_QUIT");
}

/// MariaDB lets such an account in, to set a new password and for nothing else, unless it is told to
/// refuse the login.
#[test]
fn an_expired_password_and_a_locked_account_are_named() {
    let server = Server::start(&[]);
    let mut admin = server.connect();
    admin.execute("CREATE USER old@'%' IDENTIFIED BY 'pw' PASSWORD EXPIRE").unwrap();
    admin.execute("GRANT ALL ON sbtest.* TO old@'%'").unwrap();
    let refused = || match Connection::open(&address(server.tcp()), &credentials("old", "pw")) {
        Err(failure) => failure,
        Ok(mut connection) => connection.query("SELECT 1").unwrap_err().failure("cannot look"),
    };
    for (setting, code) in [("OFF", "1820"), ("ON", "1862")] {
        admin.execute(&format!("SET GLOBAL disconnect_on_expired_password = {setting}")).unwrap();
        let failure = refused();
        assert_eq!(failure.kind, FailureKind::AccessDenied, "{failure}");
        for words in ["the password of the account has expired", code] {
            assert!(failure.message.contains(words), "{failure}");
        }
        assert!(failure.remedy.contains("ALTER USER"), "{}", failure.remedy);
    }
    admin.execute("ALTER USER old@'%' IDENTIFIED BY 'pw' ACCOUNT LOCK").unwrap();
    let failure = refused();
    assert!(failure.message.contains("the account is locked"), "{failure}");
    assert!(failure.remedy.contains("ACCOUNT UNLOCK"), "{}", failure.remedy);
}
