//! Machines that lie, and directories that others had a hand in.

use super::channel::Channel;
use super::ssh::{Program, greet, start_script};
use super::wire::{HELLO, Hello, Order};
use model::{FailureKind, SshHost, Stop};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

fn host() -> SshHost {
    SshHost { name: "far".to_owned(), destination: "u@far".to_owned() }
}

fn shell(script: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", script]);
    shell
}

/// Runs a script that says what a machine says before it is an agent; why there is none.
fn refused(script: &str, stop: &Stop) -> model::Failure {
    match greet(&host(), &mut shell(script), stop) {
        Ok(_) => panic!("there is an agent"),
        Err(failure) => failure,
    }
}

#[test]
fn a_machine_that_asks_for_weighin_and_takes_nothing_holds_nobody_up() {
    let stop = Stop::default();
    let (asked, requests) = (Instant::now(), stop.clone());
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        requests.request();
    });
    let failure = refused("echo weighin-needed $(uname -sm); exec sleep 600", &stop);
    assert!(failure.is_stop(), "{failure}");
    assert!(asked.elapsed() < Duration::from_secs(300), "{:?}", asked.elapsed());
}

#[test]
fn weighin_is_sent_once() {
    let twice = "for i in 1 2; do echo weighin-needed $(uname -sm); done; exec cat > /dev/null";
    let failure = refused(twice, &Stop::default());
    assert!(failure.message.contains("a second time"), "{failure}");
    let hello = format!("{HELLO}{}", serde_json::to_string(&Hello::own()).unwrap());
    let early = format!("echo weighin-needed $(uname -sm); echo '{hello}'; exec sleep 600");
    let failure = refused(&early, &Stop::default());
    assert!(failure.message.contains("did not take all of it"), "{failure}");
}

#[test]
fn an_agent_that_reads_nothing_is_lost_though_the_pipe_is_full() {
    let hello = format!("{HELLO}{}", serde_json::to_string(&Hello::own()).unwrap());
    let script = format!("echo '{hello}'; exec sleep 600");
    let agent = greet(&host(), &mut shell(&script), &Stop::default()).ok().unwrap();
    let channel = Channel::open("far", agent, "");
    let long = Order::StartWeighin("x".repeat(1 << 20));
    let asked = channel.ask::<()>(long, Duration::from_secs(600), &Stop::default());
    let failure = asked.unwrap_err();
    assert_eq!(failure.kind, FailureKind::HostLost, "{failure}");
    assert!(failure.message.contains("silent"), "{failure}");
}

/// What is copied in these tests.
const AGENT: &str = "#!/bin/sh\necho runs $1 $2 in $(ls | wc -l)\n";

/// Starts the copy in a cache directory, and copies that where it is asked for; what it printed.
fn start(cache: &Path, sent: &str) -> String {
    let script = start_script(&Program::from_text(AGENT.as_bytes()));
    let mut child = shell(&script)
        .env("XDG_CACHE_HOME", cache)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // One that has what it needs reads nothing.
    let _ = child.stdin.take().unwrap().write_all(sent.as_bytes());
    let done = child.wait_with_output().unwrap();
    format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr))
}

fn copy_in(directory: &Path) -> std::path::PathBuf {
    let mut entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let is_copy = |path: &std::path::PathBuf| path.to_string_lossy().contains("/weighin-");
    entries.find(is_copy).unwrap()
}

#[test]
fn a_copy_that_another_account_could_change_is_replaced() {
    let cache = tempfile::tempdir().unwrap();
    let own = cache.path().join("weighin");
    let runs = "runs agent --stdio in 1\n";
    let first = start(cache.path(), AGENT);
    assert!(first.contains("weighin-needed ") && first.ends_with(runs), "{first}");
    assert_eq!(start(cache.path(), ""), format!("\n{runs}"), "it is there");
    let copy = copy_in(&own);

    let foreign = cache.path().join("foreign");
    fs::write(&foreign, AGENT).unwrap();
    let again = |what: &str| {
        let said = start(cache.path(), AGENT);
        assert!(said.contains("weighin-needed ") && said.ends_with(runs), "{what}: {said}");
        let is = fs::symlink_metadata(&copy).unwrap();
        assert!(is.is_file() && is.mode() & 0o777 == 0o700, "{what}");
        assert_eq!(is.uid(), fs::metadata(&own).unwrap().uid(), "{what}");
    };
    fs::write(&copy, "echo stale").unwrap();
    again("another text");
    fs::remove_file(&copy).unwrap();
    symlink(&foreign, &copy).unwrap();
    again("a link to the same text");
    assert_eq!(fs::read_to_string(&foreign).unwrap(), AGENT);
    // Who gave it that mode may have it open.
    fs::set_permissions(&own, fs::Permissions::from_mode(0o777)).unwrap();
    if chown(&copy, Some(65_534), None).is_ok() {
        again("the same text of another account");
    }
    assert_eq!(fs::metadata(&own).unwrap().mode() & 0o777, 0o700);
}

#[test]
fn the_digest_of_a_copy_is_taken_again_when_it_was_changed() {
    let cache = tempfile::tempdir().unwrap();
    let started = |sha256sum: &str| {
        let script = start_script(&Program::from_text(AGENT.as_bytes()));
        let mut shell = shell(&format!("sha256sum() {{ {sha256sum}; }}; {script}"));
        let done = shell.env("XDG_CACHE_HOME", cache.path()).stdin(Stdio::null()).output().unwrap();
        String::from_utf8(done.stdout).unwrap()
    };
    let runs = "\nruns agent --stdio in 1\n";
    assert!(start(cache.path(), AGENT).ends_with(&runs[1..]));
    assert_eq!(started("echo another"), runs, "it is known");
    // The same text, but who knows that.
    fs::write(copy_in(&cache.path().join("weighin")), AGENT).unwrap();
    assert!(started("echo another").contains("weighin-needed "), "it is not known any more");
    assert!(start(cache.path(), AGENT).ends_with(&runs[1..]));
    let known = cache.path().join("weighin").read_dir().unwrap().map(|entry| entry.unwrap().path());
    let known = known.into_iter().find(|path| path.to_string_lossy().contains("/.known-")).unwrap();
    fs::write(&known, "1 2 3").unwrap();
    assert_eq!(started("command sha256sum"), runs, "by its digest");
    assert_eq!(started("echo another"), runs, "and known by that");
    fs::remove_file(&known).unwrap();
    symlink("/dev/null", &known).unwrap();
    assert_eq!(started("command sha256sum"), runs);
    assert!(known.symlink_metadata().unwrap().is_file());
}

#[test]
fn a_directory_of_others_and_a_copy_cut_off_are_refused() {
    let cache = tempfile::tempdir().unwrap();
    let own = cache.path().join("weighin");
    let said = start(cache.path(), &AGENT[..20]);
    assert!(said.ends_with("weighin-damaged\n"), "{said}");
    assert_eq!(fs::read_dir(&own).unwrap().count(), 0, "nothing is left of it");
    fs::remove_dir(&own).unwrap();

    let elsewhere = cache.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::set_permissions(&elsewhere, fs::Permissions::from_mode(0o755)).unwrap();
    symlink(&elsewhere, &own).unwrap();
    assert!(start(cache.path(), AGENT).ends_with("weighin-refused\n"));
    assert_eq!(fs::metadata(&elsewhere).unwrap().mode() & 0o777, 0o755, "it is as it was");
    fs::remove_file(&own).unwrap();
    fs::create_dir(&own).unwrap();
    if chown(&own, Some(65_534), None).is_ok() {
        assert!(start(cache.path(), AGENT).ends_with("weighin-refused\n"));
        assert_eq!(fs::read_dir(&own).unwrap().count(), 0);
    }
}

#[test]
fn a_machine_without_a_program_that_checks_the_copy_says_so() {
    let script = start_script(&Program::from_text(AGENT.as_bytes()));
    let lacking = format!("PATH=/nonexistent; {script}");
    let failure = refused(&lacking, &Stop::default());
    assert!(failure.message.contains("sha256sum"), "{failure}");
}
