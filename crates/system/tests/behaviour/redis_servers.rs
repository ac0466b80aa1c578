//! Private Redis servers, and the connection to them.

use crate::support::start_sandbox;
use host::local::os::ProcessIdentity;
use host::local::sandbox::{Sandbox, SandboxOptions};
use model::{Endpoint, FailureKind, PasswordSource, ServerAddress, ServerKey, Stop, System, Tls};
use redis::Guest;
use redis::client::RedisConnection;
use redis::protocol::Value;
use std::io::{Read, Write};
use std::net::TcpListener;
use system::client::Secret;

fn options(settings: &[(&str, &str)]) -> SandboxOptions {
    SandboxOptions {
        system: System::Redis,
        name: "cache".to_owned(),
        settings: settings.iter().map(|&(n, v)| (n.to_owned(), v.to_owned())).collect(),
        ..SandboxOptions::default()
    }
}

fn connect(sandbox: &Sandbox) -> RedisConnection {
    let password = Secret::new(sandbox.password().reveal());
    RedisConnection::open(sandbox.address(), &password).unwrap()
}

#[test]
fn a_server_keeps_its_settings_and_its_data_when_it_starts_again() {
    let mut sandbox = start_sandbox(options(&[("appendonly", "ON"), ("save", "")])).unwrap();
    let mut connection = connect(&sandbox);
    assert_eq!(connection.command(&[b"SET", b"k", b"v"]).unwrap(), Value::Status("OK".into()));
    let setting = connection.command(&[b"CONFIG", b"GET", b"appendonly"]).unwrap();
    let Value::Array(pair) = setting else { panic!("{setting:?}") };
    assert_eq!(pair[1].text().as_deref(), Some("yes"));
    let first = sandbox.pid();
    sandbox.restart().unwrap();
    assert_ne!(sandbox.pid(), first);
    assert_eq!(connect(&sandbox).command(&[b"GET", b"k"]).unwrap(), Value::Bytes(b"v".to_vec()));
}

#[test]
fn nothing_is_left_when_it_is_dropped() {
    let sandbox = start_sandbox(options(&[])).unwrap();
    let server = ProcessIdentity::for_pid(sandbox.pid()).unwrap();
    let data = sandbox.data_directory().to_owned();
    assert!(data.exists());
    drop(sandbox);
    assert!(!server.exists() && !data.exists());
}

#[test]
fn the_password_is_asked_for_and_is_in_no_argument() {
    let sandbox = start_sandbox(options(&[])).unwrap();
    for password in ["", "wrong"] {
        let refused = RedisConnection::open(sandbox.address(), &Secret::new(password)).unwrap_err();
        assert_eq!(refused.kind, FailureKind::AccessDenied, "{refused}");
        assert!(!refused.remedy.is_empty());
    }
    let arguments = std::fs::read(format!("/proc/{}/cmdline", sandbox.pid())).unwrap();
    assert!(!String::from_utf8_lossy(&arguments).contains(sandbox.password().reveal()));
}

#[test]
fn a_setting_that_the_server_does_not_know_is_told_in_its_words() {
    let failure = start_sandbox(options(&[("appendfsync", "sometimes")])).unwrap_err();
    assert_eq!(failure.kind, FailureKind::SandboxStart);
    assert!(failure.message.contains("appendfsync"), "{failure}");
}

#[test]
fn a_server_of_another_kind_is_recognised() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        // Until the other side has closed.
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let address = ServerAddress {
        endpoint: Endpoint::Tcp { host: "127.0.0.1".to_owned(), port },
        user: None,
        database: String::new(),
        password: PasswordSource::OptionFile,
        tls: Tls::Off,
        compression: false,
        server_key: ServerKey::default(),
        auth: model::AuthMethods::default(),
    };
    let failure = RedisConnection::open(&address, &Secret::default()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable, "{failure}");
    assert!(failure.remedy.contains("6379"), "{failure:?}");
    server.join().unwrap();
}

#[test]
fn a_guest_may_touch_only_the_keys_of_a_prefix_and_is_gone_afterwards() {
    let sandbox = start_sandbox(options(&[])).unwrap();
    let mut own = connect(&sandbox);
    let mut other = connect(&sandbox);
    let guest = Guest::admit(&mut own, "weighin:").unwrap();
    let address = ServerAddress { user: Some(guest.user().into()), ..sandbox.address().clone() };
    let mut visitor = RedisConnection::open(&address, guest.password()).unwrap();
    visitor.command(&[b"SET", b"weighin:1", b"v"]).unwrap();
    let forbidden: [&[&[u8]]; 4] = [
        &[b"GET", b"other"],
        &[b"CONFIG", b"GET", b"requirepass"],
        &[b"FLUSHALL"],
        &[b"ACL", b"LIST"],
    ];
    for command in forbidden {
        let refused = visitor.command(command).unwrap_err().to_string();
        assert!(refused.starts_with("NOPERM"), "{refused}");
    }
    let password = Secret::new(guest.password().bytes());
    drop(guest);
    assert!(visitor.command(&[b"GET", b"weighin:1"]).is_err(), "its connections are closed");
    let gone = RedisConnection::open(&address, &password).unwrap_err();
    assert_eq!(gone.kind, FailureKind::AccessDenied, "{gone}");
    let Value::Array(users) = other.command(&[b"ACL", b"USERS"]).unwrap() else { panic!() };
    assert_eq!(users.len(), 1, "{users:?}");
}

#[test]
fn an_account_that_may_make_no_others_has_no_guests() {
    let sandbox = start_sandbox(options(&[])).unwrap();
    let mut own = connect(&sandbox);
    let rights: [&[u8]; 8] =
        [b"ACL", b"SETUSER", b"poor", b"on", b">secret", b"~*", b"+@all", b"-acl"];
    own.command(&rights).unwrap();
    let address = ServerAddress { user: Some("poor".into()), ..sandbox.address().clone() };
    let mut poor = RedisConnection::open(&address, &Secret::new("secret")).unwrap();
    let failure = Guest::admit(&mut poor, "weighin:").unwrap_err();
    assert_eq!(failure.kind, FailureKind::NotPermitted, "{failure}");
    assert!(failure.remedy.contains("ACL SETUSER"), "{failure}");
}

/// A server that does not end when it is told to would be waited for, and killed as one that hangs.
#[test]
fn whoever_is_to_stop_does_not_wait_for_a_server() {
    let stop = Stop::default();
    let options = SandboxOptions { stop: stop.clone(), ..options(&[]) };
    let mut sandbox = start_sandbox(options).unwrap();
    let server = ProcessIdentity::for_pid(sandbox.pid()).unwrap();
    let suspend = std::process::Command::new("sh")
        .args(["-c", &format!("kill -s STOP {}", sandbox.pid())])
        .status();
    assert!(suspend.unwrap().success());
    let asking = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(200));
        stop.request();
    });
    let stopped = sandbox.stop().unwrap_err();
    assert!(stopped.is_stop(), "{stopped}");
    asking.join().unwrap();
    assert!(!server.exists());
    let again = sandbox.start_again().unwrap_err();
    assert!(again.is_stop(), "{again}");
}
