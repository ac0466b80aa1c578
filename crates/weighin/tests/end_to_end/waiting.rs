//! No wait without a word: what weighin waits for, who holds it, and what is left behind.

use crate::support::{Frozen, Workplace, shared_directory, wait_for};
use crate::volumes::volumes_can_be_built;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use test_support::write_program;

/// A study of a Redis server that writes to a volume of its own, for so long that a slow machine, too, does
/// something meanwhile.
const STUDY: &str = "[study]\nname = \"held\"\nrepeats = 1\n\
    [[target]]\nname = \"built\"\nkind = \"redis\"\n[target.sandbox]\n\
    settings = { save = \"\" }\n\
    volume = { size = \"64MiB\" }\n\
    [[test]]\nworkload = \"key_value\"\nkeys = 100\nclients = 1\nrate = 50\nwarmup = \"100ms\"\n\
    duration = \"8s\"\n";

/// A process in a mount namespace of its own, which has copies of all mounts.
struct Elsewhere(Child);

impl Elsewhere {
    /// `where_to` is where it works.
    fn start(where_to: &str) -> Self {
        let mut child = Command::new("unshare")
            .args(["--mount", "--propagation", "private"])
            .args(["sh", "-c", "cd \"$0\" && echo here && exec cat", where_to])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut said = std::io::BufReader::new(child.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut said, &mut line).unwrap();
        assert_eq!(line, "here\n");
        Self(child)
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Where the volume of the only sandbox is mounted, once it is.
fn mounted(place: &Workplace) -> PathBuf {
    let sandboxes = place.sandboxes().to_str().unwrap();
    let mut found = None;
    wait_for("a volume", || {
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
        let points = mounts.lines().filter_map(|line| line.split(' ').nth(1));
        found = points.filter(|point| point.starts_with(sandboxes)).map(PathBuf::from).next();
        found.is_some()
    });
    found.unwrap()
}

/// For how long something has been waited for, as the word about it says at its end.
fn seconds_of(said: &str) -> u64 {
    let (_, time) = said.rsplit_once('(').unwrap();
    time.strip_suffix(" s)").unwrap().parse().unwrap()
}

#[test]
fn a_copy_of_a_volumes_mount_holds_nothing() {
    if !volumes_can_be_built() {
        return;
    }
    let place = Workplace::new();
    place.write("study.toml", STUDY);
    let mut run = place.start(&["run", "study.toml"]);
    mounted(&place);
    run.wait_for_line("1/1");
    let _elsewhere = Elsewhere::start("/");
    let ran = run.end();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!ran.err.contains("could not be removed"), "{}", ran.err);
    place.assert_no_server_left();
}

#[test]
fn a_volume_that_is_held_keeps_nobody_from_the_report_and_its_holder_is_named() {
    if !volumes_can_be_built() {
        return;
    }
    let place = Workplace::new();
    place.write("study.toml", STUDY);
    let run = place.start(&["run", "study.toml"]);
    let point = mounted(&place);
    let holder = Elsewhere::start(point.to_str().unwrap());
    let ran = run.end();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("Report:"), "{}", ran.out);
    let home = point.parent().unwrap().to_str().unwrap();
    let named = format!("held by process {} (cat)", holder.pid());
    let waits = format!("waiting for {home} to be removed, {named}");
    assert!(ran.err.contains(&waits), "{}", ran.err);
    let left = format!("{home} could not be removed yet, {named}");
    assert!(ran.err.contains(&left), "{}", ran.err);
    let remedy =
        format!("kill {}; umount '{home}/volume'; losetup --detach /dev/loop", holder.pid());
    assert!(ran.err.contains(&remedy), "{}", ran.err);

    // The next run names it, and does not wait for it.
    let next = place.weighin(&["run", "study.toml"]);
    assert_eq!(next.code, Some(0), "{next:?}");
    let again = format!("an earlier run left something behind: {home}");
    assert!(next.err.contains(&again), "{}", next.err);

    drop(holder);
    place.assert_no_server_left();
}

#[test]
fn a_machine_that_ssh_does_not_reach_is_waited_for_with_a_word() {
    let place = Workplace::new();
    write_program(&place.path("ssh"), "#!/bin/sh\nexec sleep 600\n");
    place.write(
        "study.toml",
        "[study]\nname = \"far\"\n[[target]]\nname = \"a\"\nurl = \"mysql://u@192.0.2.1/sbtest\"\n\
         ssh = \"slow\"\n[[test]]\nworkload = \"oltp_point_select\"\nclients = 1\n",
    );
    let mut command = place.command(&["hosts", "study.toml"]);
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", place.path("").display()));
    let mut run = crate::support::Started::new(command);
    let said = run.wait_for_line("waiting for ssh to reach slow (");
    assert!(seconds_of(&said) >= 2, "{said}");
    run.kill();
}

#[test]
fn what_is_written_to_a_volume_is_told_before_and_what_stays_afterwards() {
    let place = Workplace::new();
    let volume = shared_directory();
    place.write(
        "study.toml",
        format!(
            "[study]\nname = \"disk\"\nrepeats = 1\n[[target]]\nname = \"disk\"\nkind = \"storage\"\n\
             volumes = [{:?}]\n[[test]]\nworkload = \"storage\"\nblock = \"4KiB\"\nqueue_depth = 1\n\
             reads = 100\nvms = 2\ndata = \"40MiB\"\nwarmup = \"100ms\"\nduration = \"1s\"\n",
            volume.path()
        ),
    );
    let written = format!("disk: 8.00\u{a0}MiB of disk space in {}", volume.path().display());
    let planned = place.weighin(&["plan", "study.toml", "--scale", "0.1"]).done();
    assert!(planned.contains(&written) && planned.contains("are free there"), "{planned}");
    let scaled = [
        "4.00\u{a0}MiB in place of 40.0\u{a0}MiB for each virtual machine",
        "is the load that is measured and stays: 2 virtual machines, with 8.00\u{a0}MiB in all",
    ];
    assert!(scaled.iter().all(|words| planned.contains(words)), "{planned}");
    let whole = place.weighin(&["plan", "study.toml"]).done();
    assert!(!whole.contains("--scale"), "{whole}");
    let ran = place.weighin(&["run", "study.toml", "--scale", "0.1"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.err.contains(&written) && ran.err.contains("are free there"), "{}", ran.err);
    assert!(scaled.iter().all(|words| ran.err.contains(words)), "{}", ran.err);
    let stays = format!("of data stay in {} for the next run", volume.path().display());
    assert!(ran.err.contains(&stays), "{}", ran.err);
    assert!(ran.err.contains("weighin cleanup study.toml"), "{}", ran.err);
    place.weighin(&["cleanup", "study.toml"]).done();
    assert_eq!(fs::read_dir(volume.path()).unwrap().count(), 0);
}

#[test]
fn a_server_that_does_not_end_is_waited_for_with_a_word_in_the_log_too() {
    let place = Workplace::new();
    place.write(
        "study.toml",
        "[study]\nname = \"stopped\"\nrepeats = 1\n[[target]]\nname = \"a\"\nkind = \"redis\"\n\
         sandbox = { settings = { save = \"\" } }\n[[test]]\nworkload = \"key_value\"\nkeys = 100\n\
         clients = 1\nwarmup = \"100ms\"\nduration = \"15s\"\n",
    );
    // The server has stopped by far the most of that time.
    let mut run = place.start(&["run", "study.toml", "--log", "run.log"]);
    let frozen = Frozen::under_load(&run);
    let homes = fs::read_dir(place.sandboxes()).unwrap().flatten();
    let mut servers =
        homes.flat_map(|home| host::local::os::processes_working_in(&home.path().join("data")));
    let pid = servers.next().unwrap();
    assert!(Command::new("kill").args(["-STOP", &pid.to_string()]).status().unwrap().success());
    drop(frozen);
    // What is under way is waited for first, then the server.
    let of_the_server = format!("waiting for the server of target \"a\" (process {pid})");
    for waits in ["waiting up to 30 s for what is still under way (", &of_the_server] {
        let said = run.wait_for_line(waits);
        // By what the wait itself says: how soon a busy machine shows a line is not what is tested.
        assert!(seconds_of(&said) >= 2, "{said}");
        let log = fs::read_to_string(place.path("run.log")).unwrap();
        let logged = log.lines().find(|line| line.ends_with(&said));
        assert!(logged.is_some_and(|line| line.contains("Z waiting for ")), "{said} in {log}");
    }
    let ran = run.end();
    assert!(ran.out.contains("Report:"), "{}", ran.out);
    place.assert_no_server_left();
}
