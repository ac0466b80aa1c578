//! The installed tools for single keys on a private Redis server.

use crosscheck::key_value::{Guest, Memtier, RedisBenchmark, Server};
use crosscheck::{Address, Measured};
use host::local::sandbox::{Sandbox, SandboxOptions};
use model::{CrossCheckFigures, FailureKind, KeyOrder, KeyValue, System, Tls, ValueSize};
use redis::client::RedisConnection;
use redis::protocol::Value;
use std::cell::RefCell;
use std::time::Duration;
use system::client::Secret;

use workload::key_value::{KEY_DIGITS, KEY_PREFIX};

const NEVER: &dyn Fn() -> bool = &|| false;
const SECOND: Duration = Duration::from_secs(1);
const CLIENTS: u32 = 8;

fn sandbox(settings: &[(&str, &str)]) -> Sandbox {
    system::register([&mysql::SYSTEM, &redis::SYSTEM]);
    Sandbox::start(SandboxOptions {
        system: System::Redis,
        name: "crosscheck".to_owned(),
        settings: settings.iter().map(|&(n, v)| (n.to_owned(), v.to_owned())).collect(),
        ..SandboxOptions::default()
    })
    .unwrap()
}

fn connect(sandbox: &Sandbox) -> RedisConnection {
    let password = Secret::new(sandbox.password().reveal());
    RedisConnection::open(sandbox.address(), &password).unwrap()
}

fn server(sandbox: &Sandbox, guest: &redis::Guest<'_>) -> Server {
    Server {
        address: Address::Tcp(([127, 0, 0, 1], sandbox.port()).into()),
        database: 0,
        guest: Some(Guest {
            user: guest.user().to_owned(),
            password: String::from_utf8(guest.password().bytes().to_vec()).unwrap(),
        }),
        tls: Tls::Off,
        host: "localhost".to_owned(),
    }
}

fn workload(sets_to_gets: (u32, u32)) -> KeyValue {
    let value_size = ValueSize::Fixed(100);
    KeyValue { keys: 500, sets_to_gets, value_size, ..KeyValue::default() }
}

/// Writes weighin's keys.
fn fill(connection: &mut RedisConnection, workload: &KeyValue) {
    for key in 0..workload.keys {
        let key = format!("{KEY_PREFIX}{key:0KEY_DIGITS$}");
        connection.command(&[b"SET", key.as_bytes(), b"value"]).unwrap();
    }
}

/// How often the server was asked for a command, and how many of its keys were found and not.
fn counts(connection: &mut RedisConnection) -> [u64; 4] {
    let report = |connection: &mut RedisConnection, section: &str| {
        connection.command(&[b"INFO", section.as_bytes()]).unwrap().text().unwrap()
    };
    let all = report(connection, "commandstats") + &report(connection, "stats");
    ["cmdstat_set:calls=", "cmdstat_get:calls=", "keyspace_hits:", "keyspace_misses:"].map(|name| {
        let found = all.split(name).nth(1).map_or("0", |rest| rest);
        let digits: String = found.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap()
    })
}

/// Asks for as many commands as the server counted, all of them on keys that weighin wrote.
fn check(workload: &KeyValue, load: impl Fn(&Server, &KeyValue, u32) -> Measured) {
    let sandbox = sandbox(&[("save", "")]);
    let (mut own, mut control) = (connect(&sandbox), connect(&sandbox));
    fill(&mut control, workload);
    let guest = redis::Guest::admit(&mut own, KEY_PREFIX).unwrap();
    let server = server(&sandbox, &guest);
    // In a closed loop the clients are all under way, all the time; only where the tool is held up between
    // an answer and the next request it does not seem so.
    let busy = |figures: &CrossCheckFigures| {
        let under_way = figures.transactions_per_second * figures.latency_mean_ms / 1e3;
        under_way / f64::from(CLIENTS)
    };
    let loads = std::iter::repeat_with(|| {
        let before = counts(&mut control);
        (before, load(&server, workload, CLIENTS), counts(&mut control))
    });
    let mut loads = loads.take(10);
    let found = loads.find(|(_, measured, _)| (0.5..1.5).contains(&busy(&measured.figures)));
    let (before, measured, after) = found.expect("all clients are under way");
    let figures = &measured.figures;
    assert!(figures.transactions > 0 && figures.cpu_seconds > 0.0, "{figures:?}");
    assert!(measured.elapsed >= figures.elapsed, "{measured:?}");
    let grown = |index: usize| after[index] - before[index];
    let seen = grown(0) + grown(1);
    // Trial runs are counted by the server alone; a rate times a duration is a rounded count.
    let counted = figures.queries;
    assert!(counted > 0 && counted <= seen + seen / 100, "{counted} against the server's {seen}");
    assert_eq!(grown(3), 0, "keys were asked for that weighin never wrote");
    assert_eq!(control.command(&[b"DBSIZE"]).unwrap(), Value::Integer(workload.keys.into()));
}

#[test]
fn redis_benchmark_reads_and_writes_weighins_keys() {
    let tool = RedisBenchmark::find(&host::this_machine()).unwrap();
    let pipelined = KeyValue { pipeline: 4, ..workload((1, 0)) };
    for workload in [workload((1, 0)), workload((0, 1)), pipelined] {
        let load = |server: &Server, workload: &KeyValue, clients: u32| {
            tool.load(server, workload, clients, SECOND, None, NEVER).unwrap().unwrap()
        };
        check(&workload, load);
    }
}

#[test]
fn memtier_reads_and_writes_weighins_keys() {
    let Ok(tool) = Memtier::find(&host::this_machine()) else {
        println!("skipped: memtier_benchmark is not installed");
        return;
    };
    let pipelined = KeyValue { pipeline: 4, ..workload((1, 1)) };
    let sequential = KeyValue { order: KeyOrder::Sequential, ..workload((1, 3)) };
    for workload in [workload((1, 1)), workload((0, 1)), pipelined, sequential] {
        let load = |server: &Server, workload: &KeyValue, clients: u32| {
            tool.load(server, workload, clients, SECOND, NEVER).unwrap().unwrap()
        };
        check(&workload, load);
    }
}

/// Arguments and environment of the benchmark that reaches this port.
fn arguments(port: u16) -> Option<String> {
    let port = port.to_string();
    std::fs::read_dir("/proc").unwrap().flatten().find_map(|process| {
        let read = |file| std::fs::read(process.path().join(file)).unwrap_or_default();
        let arguments = String::from_utf8_lossy(&read("cmdline")).into_owned();
        let mut words = arguments.split('\0');
        let found = words.next().is_some_and(|program| program.contains("benchmark"))
            && words.any(|word| word == port);
        found.then(|| arguments.replace('\0', " ") + &String::from_utf8_lossy(&read("environ")))
    })
}

#[test]
fn the_servers_password_is_in_no_process_list_and_a_stop_is_obeyed() {
    let sandbox = sandbox(&[]);
    let mut own = connect(&sandbox);
    let guest = redis::Guest::admit(&mut own, KEY_PREFIX).unwrap();
    let server = server(&sandbox, &guest);
    let seen = RefCell::new(None);
    let stop = || {
        let mut seen = seen.borrow_mut();
        if seen.is_none() {
            *seen = arguments(sandbox.port());
        }
        seen.is_some()
    };
    let tool = RedisBenchmark::find(&host::this_machine()).unwrap();
    let workload = workload((1, 0));
    let ended = tool.load(&server, &workload, 2, 600 * SECOND, None, &stop).unwrap();
    assert!(ended.is_none(), "{ended:?}");
    let text = seen.into_inner().expect("redis-benchmark was running");
    assert!(text.contains(guest.user()), "{text}");
    assert!(!text.contains(sandbox.password().reveal()), "the password is in plain sight");
    assert_eq!(arguments(sandbox.port()), None, "redis-benchmark was not killed");
}

#[test]
fn trouble_is_told_apart() {
    let sandbox = sandbox(&[("maxmemory", "1mb"), ("maxmemory-policy", "noeviction")]);
    let mut own = connect(&sandbox);
    let guest = redis::Guest::admit(&mut own, KEY_PREFIX).unwrap();
    let good = server(&sandbox, &guest);
    let wrong = Guest { user: guest.user().to_owned(), password: "wrong".to_owned() };
    let refused = Server { guest: Some(wrong), ..good.clone() };
    let nobody = Server { address: Address::Unix("/no/such/socket".into()), ..good.clone() };
    let workload = workload((1, 0));
    let troubles = [
        (good, FailureKind::DiskFull),
        (refused, FailureKind::AccessDenied),
        (nobody, FailureKind::Unreachable),
    ];
    for (server, kind) in troubles {
        let tool = RedisBenchmark::find(&host::this_machine()).unwrap();
        let failure = tool.load(&server, &workload, 2, SECOND, None, NEVER).unwrap_err();
        assert_eq!(failure.kind, kind, "{failure:?}");
        assert!(!failure.remedy.is_empty(), "{failure:?}");
        // memtier_benchmark waits for ever when it is not let in.
        if let (Ok(tool), true) =
            (Memtier::find(&host::this_machine()), kind != FailureKind::AccessDenied)
        {
            let failure = tool.load(&server, &workload, 2, SECOND, NEVER).unwrap_err();
            assert_eq!(failure.kind, kind, "{failure:?}");
        }
    }
}
