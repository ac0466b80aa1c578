//! Failovers of PostgreSQL between servers that weighin did not start, against a relay that sees every
//! acknowledgement.

use super::pair::Proxy;
use super::relay::{self, OF_POSTGRESQL, Relay};
use super::{ATTEMPTS, agree, number, only_trial, value};
use crate::support::{Workplace, shared_directory, wait_for};
use model::Metric;
use std::collections::BTreeSet;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use test_support::free_port;

/// The account `nobody`, as which servers run where root runs the tests.
const NOBODY: u32 = 65534;

/// Where Debian has the programs of its newest version.
pub(super) fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").expect("PostgreSQL is installed");
    let mut versions: Vec<PathBuf> = versions.map(|entry| entry.unwrap().path()).collect();
    versions.sort();
    versions.pop().expect("a version of PostgreSQL").join("bin")
}

/// A program of PostgreSQL.
fn program(name: &str, directory: &Path) -> Command {
    unprivileged(&programs().join(name), directory)
}

/// A program that does not run as root.
pub(super) fn unprivileged(program: &Path, directory: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(directory).stdin(Stdio::null()).stdout(Stdio::null());
    if rustix::process::getuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

/// Makes a directory one of the account as which such programs run.
pub(super) fn as_nobody(directory: &Path) {
    if rustix::process::getuid().is_root() {
        chown(directory, Some(NOBODY), Some(NOBODY)).unwrap();
    }
}

fn succeeds(mut command: Command) {
    let output = command.stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A server, whose whole data is in a directory; it lets everybody in.
struct Cluster {
    port: u16,
    process: Child,
}

impl Cluster {
    fn start(directory: PathBuf, port: u16) -> Self {
        let sockets = directory.parent().unwrap().to_owned();
        let mut command = program("postgres", &sockets);
        command.arg("-D").arg(&directory).args(["-p", &port.to_string()]);
        command.args(["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"]);
        command.arg("-c").arg(format!("unix_socket_directories={}", sockets.display()));
        let process = command.stderr(Stdio::null()).spawn().unwrap();
        let cluster = Self { port, process };
        wait_for("the server", || cluster.try_ask("SELECT 1").is_some());
        cluster
    }

    fn client(&self, sql: &str) -> Command {
        let mut command = Command::new("psql");
        command.args(["-X", "-A", "-t", "-h", "127.0.0.1", "-p", &self.port.to_string()]);
        command.args(["-U", "probe", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-c", sql]);
        command
    }

    fn try_ask(&self, sql: &str) -> Option<String> {
        let output = self.client(sql).stderr(Stdio::null()).output().unwrap();
        let said = || String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success().then(said)
    }

    fn ask(&self, sql: &str) -> String {
        self.try_ask(sql).unwrap_or_else(|| panic!("it refuses {sql}"))
    }

    /// A command of the shell that writes what a query gives.
    fn asks(&self, query: &str) -> String {
        let port = self.port;
        format!("psql -X -A -t -h 127.0.0.1 -p {port} -U probe -d postgres -c \"{query}\"")
    }

    /// Lines of the shell that wait until a query gives true.
    fn waits_for(&self, query: &str) -> String {
        let asks = self.asks(query);
        format!("for look in $(seq 600); do\n[ \"$({asks})\" = t ] && break\nsleep 0.05\ndone\n")
    }

    /// A line of the shell that has it carry out a statement.
    fn says(&self, sql: &str) -> String {
        format!(
            "psql -X -q -h 127.0.0.1 -p {} -U probe -d postgres -v ON_ERROR_STOP=1 -c \"{sql}\" >&2\n",
            self.port
        )
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // At once, with all its processes.
        let kill = format!("kill -s QUIT {}", self.process.id());
        let _ = Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status();
        let _ = self.process.wait();
    }
}

/// A primary and a replica that follows it.
struct Pair {
    primary: Cluster,
    replica: Cluster,
    // Dropped after the servers.
    _directory: tempfile::TempDir,
}

impl Pair {
    fn start(synchronous: bool) -> Self {
        let directory = shared_directory();
        let home = directory.path().join("servers");
        std::fs::create_dir(&home).unwrap();
        as_nobody(&home);
        let mut initialise = program("initdb", &home);
        initialise.args(["-D", "primary", "-U", "probe", "-A", "trust", "--no-sync"]);
        succeeds(initialise);
        let primary = Cluster::start(home.join("primary"), free_port());
        let mut copy = program("pg_basebackup", &home);
        copy.args(["-h", "127.0.0.1", "-p", &primary.port.to_string(), "-U", "probe"]);
        copy.args(["-D", "replica", "-R", "-X", "stream", "-c", "fast", "--no-sync"]);
        succeeds(copy);
        let replica = Cluster::start(home.join("replica"), free_port());
        let follows = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'";
        wait_for("the replica", || primary.ask(follows) == "1");
        // What the probe wrote is still to be found afterwards.
        primary.ask(
            "CREATE FUNCTION keep() RETURNS event_trigger LANGUAGE plpgsql \
             AS $$ BEGIN RAISE EXCEPTION 'it is kept'; END $$; \
             CREATE EVENT TRIGGER keep ON sql_drop EXECUTE FUNCTION keep()",
        );
        if synchronous {
            primary.ask("ALTER SYSTEM SET synchronous_standby_names = '*'");
            primary.ask("SELECT pg_reload_conf()");
            let waits = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
            wait_for("synchronous replication", || primary.ask(waits) == "1");
        }
        Self { primary, replica, _directory: directory }
    }

    /// What kills the primary with all its processes, and promotes the replica; which, unless it
    /// `replicates_to_the_end`, has not received the last hundred writes.
    fn switch_script(&self, replicates_to_the_end: bool) -> String {
        let pid = self.primary.process.id();
        let cut = match replicates_to_the_end {
            true => String::new(),
            false => {
                let cut = self.replica.says("ALTER SYSTEM SET primary_conninfo = ''");
                let cut = cut + &self.replica.says("SELECT pg_reload_conf()");
                let received =
                    self.replica.waits_for("SELECT count(*) = 0 FROM pg_stat_wal_receiver");
                let count = "SELECT count(*) FROM weighin_failover";
                let written =
                    self.primary.waits_for(&format!("SELECT ($count) + 100 <= ({count})"));
                let ask = self.primary.asks(count);
                format!("{cut}{received}count=$({ask})\n{written}")
            }
        };
        let promote = self.replica.says("SELECT pg_promote()");
        // None of its processes sees another one end.
        format!(
            "set -e\n{cut}children=$(cat /proc/{pid}/task/{pid}/children)\n\
             kill -9 {pid} $children 2>/dev/null || true\nsleep 0.3\n{promote}"
        )
    }

    fn ids_on_replica(&self) -> BTreeSet<u64> {
        let rows = self.replica.ask("SELECT id FROM weighin_failover");
        rows.lines().map(|row| row.parse().unwrap()).collect()
    }
}

/// Runs a failover of a new pair, and holds what weighin says against what the relay saw and what the new
/// primary has. Gives the downtimes of weighin and of the relay, and how many writes were lost.
fn compare(synchronous: bool, replicates_to_the_end: bool) -> ([f64; 2], usize) {
    let mut seen = Vec::new();
    for _ in 0..ATTEMPTS {
        let (downtimes, pauses, lost) = compare_once(synchronous, replicates_to_the_end);
        if agree(&downtimes, pauses) {
            return (downtimes, lost);
        }
        seen.push((downtimes, pauses));
    }
    panic!("downtimes and pauses before: {seen:?}");
}

/// The same, with how long weighin was kept waiting before.
fn compare_once(synchronous: bool, replicates_to_the_end: bool) -> ([f64; 2], f64, usize) {
    let place = Workplace::new();
    let pair = Pair::start(synchronous);
    let proxy = Proxy::between(&place, [pair.primary.port, pair.replica.port]);
    let relay = Relay::to_port(proxy.port, OF_POSTGRESQL);
    place.write("switch.sh", pair.switch_script(replicates_to_the_end));
    place.write(
        "switch.toml",
        format!(
            "[study]\nname = \"switch\"\nrepeats = 1\n\
             [[target]]\nname = \"pair\"\nurl = \"postgresql://probe@127.0.0.1:{}/postgres\"\n\
             [[test]]\nname = \"loss\"\ntask = \"failover\"\nrate = 300\nat = \"2s\"\n\
             command = [\"sh\", \"switch.sh\"]\ntrusted = true\n",
            relay.port
        ),
    );
    place.weighin(&["run", "switch.toml"]).done();
    let acknowledged = relay.acknowledged();
    let record = only_trial(&place);
    let outcome = record.outcome().unwrap_or_else(|| panic!("{:?}", record.end));
    // Every acknowledgement that the relay let through, and no other, is in weighin's account.
    assert_eq!(number(outcome, "acknowledged writes"), acknowledged.len() as f64);
    let there = pair.ids_on_replica();
    let known: BTreeSet<u64> = acknowledged.iter().map(|(id, _)| *id).collect();
    let lost = known.difference(&there).count();
    assert_eq!(value(outcome, Metric::LostWrites), lost as f64, "{outcome:?}");
    let unacknowledged = there.difference(&known).count();
    assert_eq!(value(outcome, Metric::UnacknowledgedWrites), unacknowledged as f64);
    let downtime = value(outcome, Metric::Downtime);
    let of_relay = relay::longest_pause(&acknowledged);
    let pauses = number(outcome, "longest pause before");
    ([downtime, of_relay], pauses, lost)
}

#[test]
fn lost_and_unacknowledged_writes_are_what_a_relay_and_the_new_primary_say() {
    let (_, lost) = compare(true, true);
    assert_eq!(lost, 0, "replication is synchronous");
    let (_, lost) = compare(false, false);
    assert!(lost > 50, "the last hundred were not replicated: {lost}");
}

#[test]
#[ignore = "it takes minutes: make endurance"]
#[allow(clippy::print_stdout, reason = "figures for whoever runs it")]
fn twenty_kills_of_postgresql_are_what_a_relay_and_the_new_primary_say() {
    for kill in 0..20 {
        let ([own, relay], lost) = compare(kill % 2 == 0, kill % 4 != 3);
        println!(
            "kill {kill}: downtime {own:.3} s, relay {relay:.3} s; lost {lost}, as the relay says"
        );
    }
}

/// What `check` says of a study that writes to a server, in one line, with its exit code.
fn checked(place: &Workplace, port: u16, more: &str) -> (String, Option<i32>) {
    place.write(
        "looked.toml",
        format!(
            "[study]\nname = \"looked\"\nrepeats = 1\n\
             [[target]]\nname = \"pg\"\nurl = \"postgresql://probe@127.0.0.1:{port}/postgres\"\n{more}\
             [[test]]\nworkload = \"oltp_write_only\"\ntable_size = 100\nclients = 2\n"
        ),
    );
    let ran = place.weighin(&["check", "looked.toml"]);
    let words = format!("{} {}", ran.out, ran.err);
    (words.split_whitespace().collect::<Vec<_>>().join(" "), ran.code)
}

#[test]
fn what_replicas_and_slots_mean_for_a_run_is_found_before_it() {
    let place = Workplace::new();
    let pair = Pair::start(true);
    pair.primary.ask("SELECT pg_create_physical_replication_slot('forgotten', true)");
    let (said, code) = checked(&place, pair.primary.port, "");
    for words in [
        "commits wait for replicas (synchronous_standby_names = *)",
        "1 replication slots are used by nobody",
        "1 replicas that the study does not name are connected",
    ] {
        assert!(said.contains(words), "no {words:?} in {said}");
    }
    assert_ne!(code, Some(3), "{said}");

    let replica =
        format!("replicas = [\"postgresql://probe@127.0.0.1:{}/postgres\"]\n", pair.replica.port);
    let (said, _) = checked(&place, pair.primary.port, &replica);
    assert!(said.contains("1 replicas receive without a slot"), "{said}");
    assert!(!said.contains("does not name"), "{said}");

    let (said, code) = checked(&place, pair.replica.port, "");
    assert!(said.contains("is in recovery: it is a replica, and takes no writes"), "{said}");
    assert_eq!(code, Some(3), "{said}");
}
