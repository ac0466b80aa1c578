//! What PostgreSQL counted of a load agrees with what was sent, whoever else logs in meanwhile.

use crate::postgres::Server;
use crate::support::{Ran, Started, Workplace, wait_for};
use model::TrialRecord;
use std::process::{Child, Command, Stdio};

/// A workload that only the server's count of transactions vouches for.
fn select_only(server: &Server, seconds: u32) -> String {
    format!(
        r#"
[study]
name = "counted"
repeats = 1
[[target]]
name = "pg"
url = "{}"
password_env = "SECRET"
[[test]]
workload = "transactions"
set = {{ scale = 1 }}
setup = "tables.sql"
load = [
    {{ table = "pgbench_accounts", rows = 100_000, columns = {{ aid = "sequence", bid = {{ integer = [1, 1] }}, abalance = {{ integer = [0, 0] }} }} }},
]
writes = true
clients = 4
warmup = "500ms"
duration = "{seconds}s"
transaction = [{{ script = "builtin:select-only" }}]
"#,
        server.url("weighin")
    )
}

const ACCOUNTS: &str = "CREATE TABLE pgbench_accounts \
     (aid INT PRIMARY KEY, bid INT NOT NULL, abalance INT NOT NULL);\n";

/// A client that has logged in, and does nothing until it is dropped.
struct Idle(Child);

impl Idle {
    fn login(server: &Server) -> Self {
        let mut command = Command::new("psql");
        command
            .args(["-X", "-q", "-d", &server.url("weighin")])
            .env("PGPASSWORD", server.sandbox.password().reveal())
            .stdin(Stdio::piped())
            .stdout(Stdio::null());
        Self(command.spawn().unwrap())
    }
}

impl Drop for Idle {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// How many sessions of that name the database of the load has, asked in another.
fn sessions_of(server: &Server, name: &str) -> u64 {
    let sql = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = '{name}' \
         AND datname = 'sbtest'"
    );
    let output = Command::new("psql")
        .args(["-X", "-A", "-t", "-d"])
        .arg(server.url("weighin").replace("/sbtest", "/postgres"))
        .args(["-c", &sql])
        .env("PGPASSWORD", server.sandbox.password().reveal())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().parse().unwrap()
}

/// By how many more transactions the server counted than were acknowledged, and at most by itself.
fn excess(record: &TrialRecord) -> (i64, i64) {
    let (before, after) =
        (record.sampling.before.as_ref().unwrap(), record.sampling.after.as_ref().unwrap());
    let grown = |name: &str| {
        let read = |counters: &model::ServerCounters| counters.get(name).copied().unwrap_or(0);
        read(&after.counters) - read(&before.counters)
    };
    let expected = record.load().unwrap().requests.expected();
    let [(counter, sent)] = expected[..] else { panic!("{expected:?}") };
    (grown(counter) - sent as i64, grown(&model::signal::by_itself(counter)))
}

fn run(server: &Server, seconds: u32, meanwhile: impl FnOnce()) -> Vec<TrialRecord> {
    let place = Workplace::new();
    place.write("tables.sql", ACCOUNTS);
    place.write("counted.toml", select_only(server, seconds));
    let mut command = place.command(&["run", "counted.toml", "--allow-writes"]);
    command.env("SECRET", server.sandbox.password().reveal());
    let mut started = Started::new(command);
    wait_for("a load", || !started.is_running() || sessions_of(server, "weighin load") > 0);
    meanwhile();
    let ran: Ran = started.end();
    assert!(ran.code.is_some_and(|code| code <= 1), "{}\n{}", ran.out, ran.err);
    let records = place.store().dataset().unwrap().trials;
    assert!(records.iter().all(|record| record.load().is_some()), "{records:?}");
    records
}

#[test]
fn others_that_log_in_and_do_nothing_change_no_count() {
    let server = Server::start(&[("autovacuum", "off")]);
    let records = run(&server, 5, || {
        let idle: Vec<Idle> = (0..20).map(|_| Idle::login(&server)).collect();
        wait_for("others to have logged in", || sessions_of(&server, "psql") >= 20);
        drop(idle);
    });
    assert_eq!(excess(&records[0]), (0, 0));
    assert_eq!(excess(&run(&server, 2, || {})[0]), (0, 0));
}

#[test]
fn work_of_the_servers_own_is_told_from_that_of_others() {
    let server = Server::start(&[("autovacuum_naptime", "1s")]);
    let records = run(&server, 5, || {});
    let (more, by_itself) = excess(&records[0]);
    assert!((0..=by_itself).contains(&more), "{more} of {by_itself}");
    // A worker a second, and little more.
    let sampling = &records[0].sampling;
    let [before, after] =
        [&sampling.before, &sampling.after].map(|reading| reading.as_ref().unwrap().at_seconds);
    let most = 4.0 * (after - before) + 40.0;
    assert!(by_itself >= 8 && (by_itself as f64) < most, "{by_itself} of {most}");
}

/// A load by hand asks a server for nothing that it counts, but for its counters.
#[test]
fn the_server_counts_as_many_of_a_load_by_hand_as_were_sent() {
    for (name, value) in [("autovacuum", "off"), ("autovacuum_naptime", "1s")] {
        let server = Server::start(&[(name, value)]);
        let place = Workplace::new();
        let script = "\\startpipeline\nSELECT 1;\nSELECT 2;\n\\endpipeline\nSELECT 3;\n";
        place.write("three.sql", script);
        for turn in 0..6 {
            let url = server.url("weighin");
            let work = ["--script=three.sql", "--clients=3", "--transactions=60", "--warmup=0s"];
            let mut command = place.command(&[&["load", &url, "--json"], &work[..]].concat());
            command.env("PGPASSWORD", server.sandbox.password().reveal());
            let ran = Ran::of(command);
            let told: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
            let passed = told["checks"]["passed"].as_array().unwrap();
            let is_counted = passed.iter().any(|check| check == "server_counters");
            assert!(is_counted, "{name} {turn}: {}\n{}", told["checks"], ran.err);
        }
    }
}
