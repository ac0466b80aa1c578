//! One signal ends every command, whatever it waits for.

use crate::support::{Started, Workplace, fake_server, server_study, silent_after_login, wait_for};
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};
use test_support::write_program;

/// Waits until the process sleeps in its main thread, in what it was to be caught in, and has said what it does
/// at SIGTERM.
fn wait_until_it_waits(started: &Started) {
    const SIGTERM: u64 = 1 << 14;
    let status = format!("/proc/{}/status", started.pid());
    let asleep = || {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let field = |name| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let caught = field("SigCgt:").and_then(|caught| u64::from_str_radix(caught, 16).ok());
        field("State:").is_some_and(|state| state.starts_with('S'))
            && caught.is_some_and(|caught| caught & SIGTERM != 0)
    };
    // Twice in a row: it may have slept over something shorter.
    wait_for("it to wait", || {
        asleep() && {
            std::thread::sleep(Duration::from_millis(150));
            asleep()
        }
    });
}

fn fifo(place: &Workplace, name: &str) {
    assert!(Command::new("mkfifo").arg(place.path(name)).status().unwrap().success());
}

#[test]
fn files_that_nobody_writes_to() {
    let place = Workplace::new();
    fifo(&place, "study.toml");
    for arguments in [
        &["plan", "study.toml"][..],
        &["check", "study.toml"],
        &["run", "study.toml"],
        &["report", "study.toml"],
        &["import", "auto", "study.toml"],
    ] {
        let started = place.start(arguments);
        wait_until_it_waits(&started);
        started.stopped_by_one_signal();
    }
    assert!(place.files(".weighin").is_empty());
}

/// Every command that connects to a server of that URL.
fn stop_all(place: &Workplace, url: &str, workload: &str) {
    let study = server_study(url, 1, "");
    let study = match workload {
        "key_value" => study
            .replace("url =", "kind = \"redis\"\nurl =")
            .replace("\"oltp_point_select\"\ntable_size", "\"key_value\"\nkeys"),
        _ => study,
    };
    place.write("lone.toml", study);
    let named = format!("--workload={workload}");
    let mut all: Vec<Vec<&str>> = vec![
        vec!["load", url, &named],
        vec!["load", url, &named, "--clients=4", "--load-generators=2"],
        vec!["load", url, &named, "--slo=p95 < 20ms"],
        vec!["prepare", url],
        vec!["cleanup", url],
        vec!["check", "lone.toml"],
        vec!["run", "lone.toml"],
    ];
    let port = url.rsplit_once(':').unwrap().1.split('/').next().unwrap();
    let port = format!("--mysql-port={port}");
    if workload != "key_value" {
        for command in ["prepare", "run", "cleanup", "prewarm"] {
            all.push(vec!["sysbench", "--mysql-host=127.0.0.1", &port, "oltp_insert", command]);
        }
    }
    // Each as soon as it waits: it gives up by itself after a while.
    std::thread::scope(|scope| {
        for arguments in &all {
            scope.spawn(|| {
                let started = place.start(arguments);
                wait_until_it_waits(&started);
                started.stopped_by_one_signal();
            });
        }
    });
    assert!(place.files(".weighin").is_empty(), "no trial was recorded");
}

#[test]
fn servers_that_say_nothing() {
    let place = Workplace::new();
    let silent = || fake_server(Vec::new(), |_| Vec::new());
    stop_all(&place, &format!("mysql://me@127.0.0.1:{}/db", silent()), "oltp_point_select");
    stop_all(&place, &format!("redis://127.0.0.1:{}", silent()), "key_value");
}

#[test]
fn servers_that_say_nothing_after_the_login() {
    let place = Workplace::new();
    let url = format!("mysql://me@127.0.0.1:{}/db", silent_after_login());
    stop_all(&place, &url, "oltp_point_select");
}

#[test]
fn a_rate_that_cannot_be_kept_up_with() {
    let place = Workplace::new();
    fs::create_dir(place.path("disk")).unwrap();
    let prepared = place.weighin(&["prepare", "./disk", "--data=1MiB"]);
    prepared.done();
    let load =
        ["load", "./disk", "--data=1MiB", "--rate=10000000", "--duration=720h", "--warmup=720h"];
    let started = place.start(&load);
    started.wait_for_load();
    std::thread::sleep(Duration::from_millis(500));
    started.stopped_by_one_signal();
}

#[test]
fn filling_a_volume() {
    let place = Workplace::new();
    fs::create_dir(place.path("disk")).unwrap();
    // Once more where a slow machine with a fast disk gets to the signal when all is filled.
    for _ in 0..5 {
        let mut started = place.start(&["prepare", "./disk", "--data=4GiB"]);
        let begun = || fs::read_dir(place.path("disk")).unwrap().next().is_some();
        wait_for("files", begun);
        started.signal("STOP");
        if started.is_running() {
            started.signal("TERM");
            let asked = Instant::now();
            started.signal("CONT");
            started.stopped_since(asked);
            return;
        }
        started.end().done();
        place.weighin(&["cleanup", "./disk"]).done();
    }
    panic!("the disk is always full before a signal comes");
}

/// A private server that never comes up, and is gone afterwards.
#[test]
fn private_servers_that_do_not_start() {
    let place = Workplace::new();
    fs::create_dir(place.path("bin")).unwrap();
    let script = "#!/bin/sh\ncase \"$*\" in *--version*) \
                  echo 'Redis server v=7.0.15 sha=0:0 malloc=libc bits=64 build=0';; \
                  *) echo up >>\"$0.started\"; exec sleep 600;; esac\n";
    write_program(&place.path("bin/redis-server"), script);
    place.write(
        "lone.toml",
        "[study]\nname = \"lone\"\n[[target]]\nname = \"one\"\nkind = \"redis\"\nsandbox = {}\n\
         [[test]]\nworkload = \"key_value\"\nkeys = 10\nclients = 1\n",
    );
    for command in ["check", "run"] {
        let mut line = place.command(&[command, "lone.toml"]);
        let path = std::env::var("PATH").unwrap();
        line.env("PATH", format!("{}:{path}", place.path("bin").display()));
        let started = Started::new(line);
        let begun = place.path("bin/redis-server.started");
        wait_for("the server's start", || begun.exists());
        started.stopped_by_one_signal();
        fs::remove_file(begun).unwrap();
        place.assert_no_server_left();
    }
    assert!(place.files(".weighin").is_empty());
}

#[test]
fn a_second_signal_ends_at_once() {
    let place = Workplace::new();
    let url = format!("mysql://me@127.0.0.1:{}/db", silent_after_login());
    let started = place.start(&["load", &url, "--workload=oltp_point_select"]);
    wait_until_it_waits(&started);
    started.signal("INT");
    started.stopped_by_one_signal();
}
