//! The installed sysbench on a private server.

use crosscheck::sysbench::{Driver, Server, Sysbench, Task};
use crosscheck::{Address, SqlLoad};
use host::local::sandbox::{Sandbox, SandboxOptions};
use model::{FailureKind, Oltp, OltpMix};
use std::cell::RefCell;
use std::fs;
use std::time::Duration;

const NEVER: &dyn Fn() -> bool = &|| false;
const SECOND: Duration = Duration::from_secs(1);

fn sandbox() -> Sandbox {
    system::register([&mysql::SYSTEM, &redis::SYSTEM]);
    Sandbox::start(SandboxOptions { name: "crosscheck".to_owned(), ..SandboxOptions::default() })
        .unwrap()
}

fn server(sandbox: &Sandbox, address: Address) -> Server {
    Server {
        address,
        user: "weighin".to_owned(),
        password: sandbox.password().reveal().as_bytes().to_vec(),
        database: "sbtest".to_owned(),
        driver: Driver::Mysql { compression: false },
    }
}

fn over_tcp(sandbox: &Sandbox) -> Server {
    server(sandbox, Address::Tcp(([127, 0, 0, 1], sandbox.port()).into()))
}

fn load(clients: u32, duration: Duration) -> SqlLoad {
    SqlLoad { clients, rate: None, duration, seed: Some(7) }
}

fn workload() -> Oltp {
    Oltp { tables: 2, table_size: 1000, ..Oltp::preset(OltpMix::ReadWrite) }
}

#[test]
fn tables_are_made_run_on_and_dropped() {
    let sandbox = sandbox();
    let sysbench = Sysbench::find(&host::this_machine()).unwrap();
    let (workload, tcp) = (workload(), over_tcp(&sandbox));
    sysbench.run(&tcp, &workload, &Task::Prepare { threads: 2 }, NEVER).unwrap().unwrap();

    let socket = server(&sandbox, Address::Unix(sandbox.socket().to_owned()));
    for server in [&tcp, &socket] {
        let load = load(2, SECOND);
        let measured = sysbench.load(server, &workload, load, NEVER).unwrap().unwrap();
        let figures = &measured.figures;
        assert!(figures.transactions > 0);
        // Each transaction holds 20 statements; one that lost a conflict was begun again.
        assert!(figures.queries >= 20 * figures.transactions);
        assert!(figures.elapsed >= SECOND && measured.elapsed >= figures.elapsed);
        assert!(figures.cpu_seconds > 0.0 && figures.latency_p95_ms.is_some());
    }

    sysbench.run(&tcp, &workload, &Task::Cleanup, NEVER).unwrap().unwrap();
    let failure = sysbench.load(&tcp, &workload, load(2, SECOND), NEVER).unwrap_err();
    assert_eq!(failure.kind, FailureKind::MissingTables, "{failure:?}");
}

#[test]
fn the_password_is_in_no_process_list_and_a_stop_is_obeyed() {
    let sandbox = sandbox();
    let sysbench = Sysbench::find(&host::this_machine()).unwrap();
    let (workload, server) = (workload(), over_tcp(&sandbox));
    sysbench.run(&server, &workload, &Task::Prepare { threads: 1 }, NEVER).unwrap().unwrap();

    // Asked to stop as soon as sysbench is seen running: its arguments, and its environment.
    let seen = RefCell::new(None);
    let stop = || {
        let mut seen = seen.borrow_mut();
        if seen.is_none() {
            *seen = running(sandbox.port());
        }
        seen.is_some()
    };
    let long = Duration::from_secs(600);
    let ended = sysbench.load(&server, &workload, load(2, long), &stop).unwrap();
    assert!(ended.is_none(), "{ended:?}");
    let text = seen.into_inner().expect("sysbench was running");
    assert!(text.contains("--mysql-user=weighin"), "{text}");
    assert!(!text.contains(sandbox.password().reveal()), "the password is in plain sight");
    assert_eq!(running(sandbox.port()), None, "sysbench was not killed");
}

/// Arguments and environment of the sysbench that runs on this port.
fn running(port: u16) -> Option<String> {
    let port = format!("--mysql-port={port}");
    fs::read_dir("/proc").unwrap().flatten().find_map(|process| {
        let read = |file| fs::read(process.path().join(file)).unwrap_or_default();
        let arguments = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
        let found = arguments.contains("sysbench") && arguments.contains(&port);
        found.then(|| arguments + &String::from_utf8_lossy(&read("environ")))
    })
}

#[test]
fn trouble_is_told_apart() {
    let sandbox = sandbox();
    let sysbench = Sysbench::find(&host::this_machine()).unwrap();
    let workload = workload();
    let kind = |server: &Server| {
        let failure = sysbench.load(server, &workload, load(1, SECOND), NEVER).unwrap_err();
        assert!(!failure.message.is_empty() && !failure.remedy.is_empty(), "{failure:?}");
        failure.kind
    };
    let good = over_tcp(&sandbox);
    assert_eq!(kind(&good), FailureKind::MissingTables);
    let wrong = Server { password: b"it's wrong".to_vec(), ..good.clone() };
    assert_eq!(kind(&wrong), FailureKind::AccessDenied);
    let elsewhere = Server { database: "nowhere".to_owned(), ..good.clone() };
    assert_eq!(kind(&elsewhere), FailureKind::MissingDatabase);
    let nobody = Server { address: Address::Unix("/no/such/socket".into()), ..good };
    assert_eq!(kind(&nobody), FailureKind::Unreachable);
}
