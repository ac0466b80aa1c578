//! Private servers of PostgreSQL, which are several processes each.

use crate::support::start_sandbox;
use host::local::os::{self, ProcessIdentity};
use host::local::sandbox::{Sandbox, SandboxOptions};
use host::{PrivateServer, ServerAct};
use model::{Endpoint, FailureKind, System};
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn options(settings: &[(&str, &str)]) -> SandboxOptions {
    SandboxOptions {
        system: System::Postgres,
        name: "db".to_owned(),
        settings: settings.iter().map(|&(n, v)| (n.to_owned(), v.to_owned())).collect(),
        ..SandboxOptions::default()
    }
}

/// The server's own client, over TCP.
fn psql(sandbox: &Sandbox, sql: &str) -> Command {
    let Endpoint::Tcp { host, port } = &sandbox.address().endpoint else { panic!() };
    let mut command = Command::new("psql");
    command
        .args(["-X", "-A", "-t", "-h", host, "-p", &port.to_string()])
        .args(["-U", sandbox.address().user.as_deref().unwrap()])
        .args(["-d", &sandbox.address().database, "-c", sql])
        .env("PGPASSWORD", sandbox.password().reveal())
        .stdin(Stdio::null());
    command
}

fn answer(sandbox: &Sandbox, sql: &str) -> String {
    let output = psql(sandbox, sql).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A statement that keeps a process of the server busy, which asks nobody whether it is to end.
fn busy(sandbox: &Sandbox) -> Child {
    running(sandbox, "SELECT sum(random()) FROM generate_series(1, 1000000000)")
}

fn running(sandbox: &Sandbox, sql: &str) -> Child {
    let child = psql(sandbox, sql).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let runs = format!("SELECT count(*) FROM pg_stat_activity WHERE query = '{sql}'");
    while answer(sandbox, &runs) != "1" {}
    child
}

/// The processes of a server.
fn processes(sandbox: &Sandbox) -> Vec<ProcessIdentity> {
    let all = os::processes_working_in(sandbox.data_directory());
    let all: Vec<ProcessIdentity> = all.into_iter().filter_map(ProcessIdentity::for_pid).collect();
    assert!(all.len() > 3, "{all:?}");
    all
}

/// Who waits for children of others that were killed has its own time for it.
fn have_ended(processes: &[ProcessIdentity]) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while processes.iter().any(ProcessIdentity::exists) {
        assert!(Instant::now() < deadline, "{processes:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What processes have mapped of shared memory that outlives them: files, and numbers of segments.
fn shared(sandbox: &Sandbox) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut files, mut segments) = (BTreeSet::new(), BTreeSet::new());
    for pid in os::processes_working_in(sandbox.data_directory()) {
        for line in std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default().lines()
        {
            let fields: Vec<&str> = line.split_ascii_whitespace().collect();
            match fields.get(5) {
                Some(path) if path.starts_with("/dev/shm/") => {
                    files.insert((*path).to_owned());
                }
                Some(path) if path.starts_with("/SYSV") => {
                    segments.insert(fields[4].to_owned());
                }
                _ => {}
            }
        }
    }
    assert!(!files.is_empty() && !segments.is_empty(), "{files:?} {segments:?}");
    (files, segments)
}

fn are_gone((files, segments): &(BTreeSet<String>, BTreeSet<String>)) {
    let left: Vec<&String> = files.iter().filter(|file| Path::new(file).exists()).collect();
    let all = std::fs::read_to_string("/proc/sysvipc/shm").unwrap();
    let numbers = all.lines().filter_map(|line| line.split_ascii_whitespace().nth(1));
    let kept: Vec<&str> = numbers.filter(|number| segments.contains(*number)).collect();
    assert!(left.is_empty() && kept.is_empty(), "{left:?} {kept:?}");
}

#[test]
fn a_server_has_its_settings_and_keeps_its_data_when_it_starts_again() {
    let settings = [("shared_buffers", "48MB"), ("Synchronous-Commit", "OFF")];
    let mut sandbox = start_sandbox(options(&settings)).unwrap();
    assert_eq!(answer(&sandbox, "SHOW shared_buffers"), "48MB");
    assert_eq!(answer(&sandbox, "SHOW synchronous_commit"), "off");
    assert_eq!(answer(&sandbox, "SHOW max_connections"), "1100");
    answer(&sandbox, "CREATE TABLE t AS SELECT 7 AS a");
    let first = processes(&sandbox);
    sandbox.restart().unwrap();
    assert!(first.iter().all(|process| !process.exists()));
    assert_eq!(answer(&sandbox, "SELECT a FROM t"), "7");
}

/// Each has a socket by the name that all servers have for theirs, and a database with its own password.
#[test]
fn two_servers_of_one_template_are_apart() {
    let (one, other) = (start_sandbox(options(&[])).unwrap(), start_sandbox(options(&[])).unwrap());
    assert_ne!(one.password().reveal(), other.password().reveal());
    let data = |sandbox: &Sandbox| answer(sandbox, "SHOW data_directory");
    assert_ne!(data(&one), data(&other));
    let wrong = psql(&one, "SELECT 1").env("PGPASSWORD", other.password().reveal()).output();
    let wrong = wrong.unwrap();
    assert!(!wrong.status.success());
    let said = String::from_utf8_lossy(&wrong.stderr);
    assert!(said.contains("password authentication failed"), "{said}");
    std::os::unix::net::UnixStream::connect(one.socket()).unwrap();
    let arguments = std::fs::read(format!("/proc/{}/cmdline", one.pid())).unwrap();
    assert!(!String::from_utf8_lossy(&arguments).contains(one.password().reveal()));
}

#[test]
fn it_is_never_root() {
    let sandbox = start_sandbox(options(&[])).unwrap();
    // Workers come and go; the first process and those that write stay.
    let owners: Vec<u32> = os::processes_working_in(sandbox.data_directory())
        .into_iter()
        .filter_map(|pid| std::fs::metadata(format!("/proc/{pid}")).ok())
        .map(|process| process.uid())
        .collect();
    assert!(owners.len() > 3 && !owners.contains(&0), "{owners:?}");
}

#[test]
fn nothing_is_left_when_it_is_dropped_while_it_works() {
    let sandbox = start_sandbox(options(&[])).unwrap();
    let mut busy = busy(&sandbox);
    let (all, shared) = (processes(&sandbox), shared(&sandbox));
    let data = sandbox.data_directory().to_owned();
    drop(sandbox);
    have_ended(&all);
    assert!(!data.exists());
    are_gone(&shared);
    assert!(!busy.wait().unwrap().success());
}

/// One whose first process hangs ends none of the others, which wait for it.
#[test]
fn nothing_is_left_of_one_that_hangs_at_its_end() {
    let mut sandbox = start_sandbox(options(&[])).unwrap();
    let mut waits = running(&sandbox, "SELECT pg_sleep(1000)");
    let (all, shared) = (processes(&sandbox), shared(&sandbox));
    let first = sandbox.pid();
    os::freeze(first).unwrap();
    let asked = Instant::now();
    let failure = sandbox.stop().unwrap_err();
    assert_eq!(failure.kind, FailureKind::TimedOut, "{failure}");
    assert!(asked.elapsed() < Duration::from_secs(100));
    have_ended(&all);
    are_gone(&shared);
    waits.wait().unwrap();
    // Nothing of the old one keeps the next from its data.
    sandbox.start_again().unwrap();
    assert_eq!(answer(&sandbox, "SELECT 1"), "1");
}

#[test]
fn a_killed_server_starts_again_on_what_it_had_committed() {
    let mut sandbox = start_sandbox(options(&[])).unwrap();
    answer(&sandbox, "CREATE TABLE t AS SELECT 7 AS a");
    let mut busy = busy(&sandbox);
    sandbox.act(ServerAct::Kill).unwrap();
    sandbox.start_again().unwrap();
    assert_eq!(answer(&sandbox, "SELECT a FROM t"), "7");
    busy.wait().unwrap();
}

#[test]
fn settings_that_it_refuses_are_named_before_anything_is_made() {
    for (name, value, says) in [
        ("shared_bufers", "1GB", "did you mean \"shared_buffers\"?"),
        ("work_mem", "4 bananas", "Valid units for this parameter are"),
        ("checkpoint_timeout", "1ms", "outside the valid range"),
        ("innodb_doublewrite", "ON", "is unknown to PostgreSQL"),
        ("archive_command", "true", "needs trust"),
        ("listen_addresses", "*", "cannot be set for a sandbox"),
        ("log_directory", "/tmp", "cannot be set for a sandbox"),
    ] {
        let failure = start_sandbox(options(&[(name, value)])).unwrap_err();
        assert_eq!(failure.kind, FailureKind::SandboxStart);
        let said = format!("{failure} {}", failure.remedy);
        assert!(said.contains(name) && said.contains(says), "{failure:?}");
    }
}
