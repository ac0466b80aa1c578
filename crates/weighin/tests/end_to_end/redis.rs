//! Redis: loads by hand and studies, and what can be wrong with a server.

mod config;
mod disks;
mod events;
mod kin;
mod limits;
mod rights;
mod template;
mod trouble;
mod without_io_uring;
mod words;

use crate::support::{
    Ran, Started, Workplace, adds_up, certificates, number, shared_directory, wait_for, whole,
};
use host::local::sandbox::{Sandbox, SandboxOptions};
use model::{Resource, System, signal};
use redis::client::RedisConnection;
use redis::protocol::Value;
use std::collections::BTreeMap;
use system::client::Secret;

/// A server of its own for a test, which weighin knows only by its URL; gone when dropped.
struct Redis {
    sandbox: Sandbox,
    // Dropped after the server.
    _directory: tempfile::TempDir,
}

impl Redis {
    fn start(settings: &[(&str, &str)]) -> Self {
        let directory = shared_directory();
        weighin::systems::register();
        let sandbox = Sandbox::start(SandboxOptions {
            system: System::Redis,
            name: "test".to_owned(),
            settings: settings.iter().map(|&(n, v)| (n.to_owned(), v.to_owned())).collect(),
            // One of these servers has a certificate.
            trusted: true,
            directory: Some(directory.path().to_owned()),
            ..SandboxOptions::default()
        });
        Self { sandbox: sandbox.unwrap(), _directory: directory }
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.sandbox.port())
    }

    /// Runs `weighin COMMAND URL ARGUMENTS…` with the server's password.
    fn weighin_at(&self, place: &Workplace, command: &str, url: &str, arguments: &[&str]) -> Ran {
        let mut run = place.command(&[&[command, url], arguments].concat());
        run.env("REDISCLI_AUTH", self.sandbox.password().reveal());
        Ran::of(run)
    }

    fn weighin(&self, place: &Workplace, command: &str, arguments: &[&str]) -> Ran {
        self.weighin_at(place, command, &self.url(), arguments)
    }

    /// A short load with a result in JSON.
    fn load(&self, place: &Workplace, arguments: &[&str]) -> Ran {
        let usual = ["--workload=key_value", "--operations=2000", "--json"];
        self.weighin(place, "load", &[&usual, arguments].concat())
    }

    fn command(&self, words: &[&str]) -> Value {
        let password = Secret::new(self.sandbox.password().reveal());
        let mut control = RedisConnection::open(self.sandbox.address(), &password).unwrap();
        let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
        control.command(&words).unwrap()
    }

    /// Calls of `get` and `set` since the server began.
    fn calls(&self) -> BTreeMap<String, u64> {
        let report = self.command(&["INFO", "commandstats"]).text().unwrap();
        let of = |name: &str| {
            let line = report.lines().find(|line| line.starts_with(&format!("cmdstat_{name}:")));
            let calls = line.and_then(|line| line.split("calls=").nth(1)?.split(',').next());
            (name.to_owned(), calls.map_or(0, |calls| calls.parse().unwrap()))
        };
        ["get", "set"].map(of).into()
    }
}

#[test]
fn every_command_of_a_load_is_one_that_the_server_counted() {
    let place = Workplace::new();
    let server = Redis::start(&[("save", "")]);
    let made = server.weighin(&place, "prepare", &["--keys=1000", "--value-size=100"]).done();
    assert!(made.contains("Wrote 1,000 keys"), "{made}");
    let socket = format!("redis://?socket={}", server.sandbox.socket().display());
    for (url, more) in [
        (server.url(), &["--clients=1"][..]),
        (server.url(), &["--clients=16"]),
        (server.url(), &["--clients=16", "--pipeline=10", "--io=epoll"]),
        (socket, &["--clients=16", "--pipeline=10", "--ratio=1:3"]),
        (server.url(), &["--clients=16", "--pipeline=10", "--load-generators=3"]),
    ] {
        let before = server.calls();
        let usual = ["--workload=key_value", "--keys=1000", "--value-size=100", "--json"];
        let arguments = [&usual, more, &["--operations=2000"]].concat();
        let json = server.weighin_at(&place, "load", &url, &arguments).json();
        adds_up(&json);
        let after = server.calls();
        for name in ["get", "set"] {
            let grown = after[name] - before[name];
            assert!(grown > 0, "{more:?}");
            assert_eq!(whole(&json, &format!("/requests/{name}/weighin")), grown);
            assert_eq!(whole(&json, &format!("/requests/{name}/server")), grown);
        }
        assert_eq!(number(&json, "/key_value/hit_rate"), 1.0, "{json:#}");
    }
    assert_eq!(server.weighin(&place, "cleanup", &[]).done(), "Removed 1,000 keys.\n");
    assert_eq!(server.command(&["DBSIZE"]), Value::Integer(0));
    let misses = server.load(&place, &["--ratio=0:1"]).json();
    assert_eq!(number(&misses, "/key_value/hit_rate"), 0.0);
}

#[test]
fn loads_run_encrypted_and_check_the_certificate_where_asked() {
    let place = Workplace::new();
    let directory = certificates();
    let file = |name: &str| directory.path().join(name).display().to_string();
    let server = Redis::start(&[]);
    // The private server's own port stays; this is a second one.
    for (name, value) in [
        ("tls-cert-file", &*file("server.pem")),
        ("tls-key-file", &*file("server.key")),
        ("tls-auth-clients", "no"),
    ] {
        server.command(&["CONFIG", "SET", name, value]);
    }
    let port = test_support::free_port();
    server.command(&["CONFIG", "SET", "tls-port", &port.to_string()]);
    let url = format!("redis://localhost:{port}");
    let load = |tls: &[&str]| {
        let usual = ["--workload=key_value", "--operations=50", "--clients=4", "--json"];
        server.weighin_at(&place, "load", &url, &[&usual, tls].concat())
    };
    assert_eq!(load(&["--tls=unverified"]).json()["transactions"], 50);
    assert_eq!(load(&["--tls=unverified", "--load-generators=2"]).json()["transactions"], 50);
    let authority = format!("--tls-ca={}", file("ca.pem"));
    assert_eq!(load(&["--tls=verified", &authority]).json()["transactions"], 50);
    load(&["--tls=verified"]).refused(3, &["certificate"]);
}

#[test]
fn what_is_wrong_with_a_server_is_said_with_the_way_to_mend_it() {
    let place = Workplace::new();
    let server = Redis::start(&[]);
    let load = ["load", &server.url(), "--workload=key_value"];
    place.weighin(&load).refused(3, &["NOAUTH", "password_env"]);
    let mut wrong = place.command(&load);
    wrong.env("REDISCLI_AUTH", "wrong");
    Ran::of(wrong).refused(3, &["WRONGPASS", "help"]);

    server.command(&["ACL", "SETUSER", "reader", "on", "nopass", "~*", "+@read", "+@connection"]);
    let reader = server.url().replace("//", "//reader@");
    server
        .weighin_at(&place, "load", &reader, &["--workload=key_value"])
        .refused(3, &["permissions", "ACL SETUSER"]);

    server.command(&["SET", "foreign", "1"]);
    server.load(&place, &[]).refused(3, &["a key that is not weighin's", "empty database"]);
    server.weighin(&place, "prepare", &[]).refused(3, &["a key that is not weighin's"]);
    assert_eq!(server.weighin(&place, "cleanup", &[]).done(), "No keys of weighin's to remove.\n");
    assert_eq!(server.command(&["EXISTS", "foreign"]), Value::Integer(1));
    // One that has the name by which weighin knows its own.
    server.command(&["DEL", "foreign"]);
    server.command(&["SET", "weighin", "1"]);
    server.weighin(&place, "prepare", &[]).refused(3, &["a key that is not weighin's"]);
    let second = format!("{}/1", server.url());
    server.weighin_at(&place, "prepare", &second, &["--keys=10"]).done();
}

#[test]
fn options_of_the_other_kind_of_workload_are_refused() {
    let place = Workplace::new();
    let redis = ["load", "redis://localhost:1", "--workload=key_value"];
    for option in ["--tables=2", "--table-size=5", "--range-size=5", "--statements"] {
        let name = option.split('=').next().unwrap();
        place
            .weighin(&[&redis, &[option][..]].concat())
            .refused(2, &[&format!("{name} does not apply to key_value")]);
    }
    let sql = ["load", "mysql://u@localhost:1/db", "--workload=oltp_read_only"];
    for option in ["--keys=2", "--value-size=5", "--ratio=1:1", "--pipeline=2", "--expiry=5s"] {
        let name = option.split('=').next().unwrap();
        place
            .weighin(&[&sql, &[option][..]].concat())
            .refused(2, &[&format!("{name} does not apply to oltp_read_only")]);
    }
    place.weighin(&["load", "redis://localhost:1", "--workload=oltp_read_only"]).refused(
        2,
        &["oltp_read_only cannot run on the target `redis://localhost:1`, which is Redis"],
    );
    place.weighin(&["cleanup", "redis://localhost:1", "--also=t"]).refused(2, &["--also"]);
    place.weighin(&["prepare", "redis://localhost:1", "--tables=2"]).refused(2, &["--tables"]);
}

#[test]
fn a_server_that_is_killed_and_comes_back_is_an_outage() {
    let place = Workplace::new();
    let mut server = Redis::start(&[]);
    let url = server.url();
    let mut run = place.command(&["load", &url, "--workload=key_value", "--keys=1000", "--json"]);
    run.args(["--clients=4", "--rate=5000", "--duration=15s"]);
    run.env("REDISCLI_AUTH", server.sandbox.password().reveal());
    let load = Started::new(run);
    wait_for("commands", || server.calls()["get"] > 1_000);
    let port = server.sandbox.port();
    host::local::os::kill(server.sandbox.pid()).unwrap();
    server.sandbox.stop().unwrap();
    server.sandbox.start_again().unwrap();
    assert_eq!(server.sandbox.port(), port, "another program has taken the port");
    let json = load.end().json();
    adds_up(&json);
    assert_eq!(json["outages"].as_array().unwrap().len(), 1, "{json:#}");
    assert!(number(&json, "/outages/0/downtime_seconds") > 0.0, "{json:#}");
}

/// A study of targets with these keys each, twice, of a test with these keys and more.
fn study_of(targets: &[(&str, &str)], test: &str) -> String {
    let targets: String = targets
        .iter()
        .map(|(name, keys)| format!("[[target]]\nname = \"{name}\"\n{keys}\n"))
        .collect();
    format!(
        "[study]\nname = \"cache\"\nrepeats = 2\nseed = 3\n{targets}\
         [[test]]\nworkload = \"key_value\"\n{test}\n"
    )
}

/// The same of a test at 1 and 4 clients.
fn study(targets: &[(&str, &str)]) -> String {
    let test = "keys = 1_000\nvalue_size = 100\nclients = [1, 4]\nwarmup = \"100ms\"\n\
                duration = \"400ms\"";
    study_of(targets, test)
}

/// The keys of a target that is a private server with these settings, as in `save = ""`.
fn sandbox(settings: &str) -> String {
    sandbox_of("redis", settings)
}

/// The same of a kind of server.
fn sandbox_of(kind: &str, settings: &str) -> String {
    format!("kind = \"{kind}\"\nsandbox = {{ settings = {{ {settings} }} }}")
}

#[test]
fn a_study_of_two_ways_to_sync_the_log_ends_in_a_report() {
    let place = Workplace::new();
    let settings = |fsync: &str| {
        sandbox(&format!("appendonly = true, appendfsync = \"{fsync}\", save = \"\""))
    };
    let text = study(&[("always", &settings("always")), ("never", &settings("no"))]);
    place.write("cache.toml", text);
    let found = place.weighin(&["check", "cache.toml"]).done();
    assert!(found.contains("never: Redis") && found.contains("1,000 keys will be made"), "{found}");
    place.weighin(&["run", "cache.toml"]).done();
    let markdown = place.weighin(&["report", "cache.toml", "--format", "markdown"]).done();
    for part in ["50.0\u{a0}% writes on 1,000 keys", "appendfsync", "on 8 trials"] {
        let same = |text: &str| text.replace('\u{a0}', " ");
        assert!(same(&markdown).contains(&same(part)), "no {part:?} in:\n{markdown}");
    }
    let json = place.weighin(&["report", "cache.toml", "--format", "json"]).json();
    assert!(!json.to_string().contains("counters_disagree"), "{json:#}");
    place.assert_no_server_left();
}

#[test]
fn the_log_grows_by_the_commands_that_write() {
    let place = Workplace::new();
    let not = sandbox("save = \"\"");
    let logged = sandbox("appendonly = true, auto-aof-rewrite-percentage = 0, save = \"\"");
    let test = "keys = 1_000\nvalue_size = 400\nratio = \"1:0\"\nclients = [2]\nwarmup = \"100ms\"\n\
                duration = \"2s\"";
    place.write("cache.toml", study_of(&[("logged", &logged), ("not", &not)], test));
    place.weighin(&["run", "cache.toml"]).done();
    for trial in place.store().dataset().unwrap().trials {
        let load = trial.load().unwrap();
        let each = trial.used(Resource::LogBytes).map(|used| used.value);
        if trial.key.target == "not" {
            assert_eq!(each, None);
            continue;
        }
        // The log holds the commands as they were sent.
        let sent: u64 =
            [&load.warmup, &load.measure, &load.drain].iter().map(|phase| phase.sent_bytes).sum();
        let [before, after] = [&trial.sampling.before, &trial.sampling.after]
            .map(|reading| reading.as_ref().unwrap().counters[signal::LOG_WRITTEN]);
        let grown = (after - before) as f64;
        assert!((grown / sent as f64 - 1.0).abs() < 0.01, "{grown} of {sent}");
        assert!(each.is_some_and(|each| (200.0..900.0).contains(&each)), "{each:?}");
    }
    place.assert_no_server_left();
}

/// Says what `weighin check` says of a study of that server.
fn check(place: &Workplace, url: &str, password: &str) -> String {
    let name = "check.toml";
    std::fs::write(place.path(name), study(&[("cache", &format!("url = \"{url}\""))])).unwrap();
    let mut check = place.command(&["check", name]);
    check.env("REDISCLI_AUTH", password);
    let ran = Ran::of(check);
    assert_eq!(ran.code, Some(3), "{}", ran.out);
    ran.out
}

#[test]
fn replicas_are_refused_before_the_first_trial() {
    let place = Workplace::new();
    let server = Redis::start(&[]);
    server.command(&["REPLICAOF", "127.0.0.1", "1"]);
    let said = check(&place, &server.url(), server.sandbox.password().reveal());
    assert!(said.contains("is a replica") && said.contains("127.0.0.1:1"), "{said}");
    for command in ["load", "prepare"] {
        let keys = ["--workload=key_value", "--keys=10"];
        let arguments = if command == "load" { &keys[..] } else { &keys[1..] };
        server.weighin(&place, command, arguments).refused(3, &["is a replica", "127.0.0.1:1"]);
    }
}

/// A process that ends when this is dropped.
struct Child(std::process::Child);

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn nodes_of_clusters_are_refused_before_the_first_trial() {
    let place = Workplace::new();
    let directory = shared_directory();
    // Private servers are none, so this is one by hand; it listens on its socket alone.
    let socket = directory.path().join("socket");
    let mut server = std::process::Command::new("redis-server");
    server.args(["--cluster-enabled", "yes", "--port", "0", "--save", ""]);
    server.arg("--dir").arg(directory.path()).arg("--unixsocket").arg(&socket);
    let _server = Child(server.stdout(std::process::Stdio::null()).spawn().unwrap());
    wait_for("the server", || std::os::unix::net::UnixStream::connect(&socket).is_ok());
    let said = check(&place, &format!("redis://?socket={}", socket.display()), "");
    assert!(said.contains("is part of a cluster"), "{said}");
}

#[test]
fn a_load_by_hand_knows_the_process_of_the_server() {
    let place = Workplace::new();
    let redis = Redis::start(&[]);
    let load = ["--workload=key_value", "--duration=5s", "--clients=2", "--json"];
    let json = redis.weighin(&place, "load", &load).json();
    let not_made = json["checks"]["not_made"].as_array().unwrap();
    assert!(!not_made.iter().any(|check| check == "own_machine"), "{:#}", json["checks"]);
}
