//! The task `catch_up`, from the study file to every report.

use super::by_url::Pair;
use crate::support::{Server, Workplace, wait_for};
use model::{FailureKind, Metric, TrialRecord, signal};
use std::path::Path;
use std::process::{Child, Command};

fn number(record: &TrialRecord, metric: Metric) -> f64 {
    let outcome = record.outcome().unwrap_or_else(|| panic!("{:?}", record.end));
    outcome.metric(metric).unwrap_or_else(|| panic!("no {metric:?} in {outcome:?}")).value
}

/// How many heartbeats a trial has at the most: ten a second.
pub fn heartbeats(record: &TrialRecord) -> f64 {
    10.0 * seconds(record) + 3.0
}

/// How long a trial took with everything.
fn seconds(record: &TrialRecord) -> f64 {
    (record.finished_at.0 - record.started_at.0) as f64 / 1e3
}

fn trials(place: &Workplace, store: &str) -> Vec<TrialRecord> {
    store::Store::open(&place.path(store)).unwrap().dataset().unwrap().trials
}

#[test]
fn a_private_replica_catches_up_and_every_report_says_how() {
    let place = Workplace::new();
    place.write(
        "study.toml",
        "[study]\nname = \"catching-up\"\nrepeats = 2\nsample_every = \"100ms\"\n\
         [[target]]\nname = \"pair\"\n[target.sandbox]\nreplicas = 1\n\
         settings = { innodb_flush_log_at_trx_commit = 0 }\n\
         [[test]]\nname = \"catch-up\"\ntask = \"catch_up\"\nclients = 2\ntable_size = 1000\n\
         backlog_transactions = 4000\n",
    );
    place.weighin(&["run", "study.toml", "--store", "kept.weighin"]).done();
    place.assert_no_server_left();
    let trials = trials(&place, "kept.weighin");
    assert_eq!(trials.len(), 2);
    for record in &trials {
        let took = number(record, Metric::CatchUpTime);
        let written = number(record, Metric::BacklogTime);
        let transactions = number(record, Metric::BacklogTransactions);
        assert!(took > 0.0 && written > 0.0);
        // Deadlocks wrote nothing.
        let most = 4000.0 + heartbeats(record);
        assert!((3800.0..=most).contains(&transactions), "{transactions}");
        assert!(number(record, Metric::BacklogSize) > 100.0 * transactions);
        assert!((number(record, Metric::LagApplied) - written / took).abs() < 1e-9);
        assert!((number(record, Metric::ApplyRate) - transactions / took).abs() < 1e-6);
        let marks = &record.outcome().unwrap().marks;
        let names: Vec<&str> = marks.iter().map(|mark| mark.name.as_str()).collect();
        assert_eq!(names, ["backlog written", "applier started", "caught up"]);
        assert!((marks[2].at_seconds - marks[1].at_seconds - took).abs() < 1e-6, "{marks:?}");
        // The lag grows while the backlog is written, which takes many samples.
        let lag =
            |sample: &model::Sample| sample.counters.as_ref()?.get(signal::REPLICA_LAG).copied();
        let most = record.sampling.samples.iter().filter_map(lag).max().unwrap_or_default();
        assert!(most > 0 && most as f64 <= 1e3 * (seconds(record) + 1.0), "{most} ms");
    }
    for format in ["html", "markdown", "json", "csv"] {
        let file = format!("report.{format}");
        let format_option = format!("--format={format}");
        place.weighin(&["report", "kept.weighin", &format_option, "--out", &file]).done();
        let text = std::fs::read_to_string(place.path(&file)).unwrap();
        let parts: &[&str] = match format {
            "html" => &["catch-up time", "replication lag, s", "caught up", "applier started"],
            "markdown" => {
                &["catch-up time, s", "lag applied per second", "Catching up: the appliers"]
            }
            "json" => &["catch_up_s", "backlog_transactions", "replica_cpu_percent"],
            _ => &["catch_up_s", "lag_applied_s_per_s", "backlog_bytes"],
        };
        for part in parts {
            assert!(text.contains(part), "no {part} in {format}: {text}");
        }
        assert!(!text.contains("something else wrote"), "{format}");
    }
}

/// A process of its own that waits by hand for positions of the primary, which a program hands to it
/// that also starts the applier.
struct Probe {
    waits: Child,
    /// What weighin starts appliers with.
    start_applier: String,
}

impl Probe {
    fn start(place: &Workplace, pair: &Pair) -> Self {
        let client = |server: &Server| {
            let port = server.sandbox.port();
            format!("mariadb --no-defaults -h127.0.0.1 -P{port} -ubench --batch -N -e")
        };
        let (primary, replica) = (client(&pair.primary), client(&pair.replica));
        let directory = place.path("");
        let pipe = directory.join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let waits = format!(
            "exec 3<>pipe; while read -r began position <&3; do \
             {replica} \"SELECT MASTER_GTID_WAIT('$position', 600)\" >>waited; \
             echo \"$began $(date +%s%N)\" >>times; done"
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &waits]).current_dir(&directory).env("MYSQL_PWD", "secret");
        let waits = shell.spawn().unwrap();
        let starts = format!(
            "began=$(date +%s%N)\nexport MYSQL_PWD=secret\n\
             position=$({primary} 'SELECT @@gtid_binlog_pos')\n\
             echo \"$began $position\" >{}\n{replica} 'START SLAVE SQL_THREAD'\n",
            pipe.display()
        );
        place.write("start.sh", starts);
        Self { waits, start_applier: place.path("start.sh").display().to_string() }
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        let _ = self.waits.kill();
        let _ = self.waits.wait();
    }
}

/// What the probe noted, in seconds.
fn noted(times: &Path) -> Vec<f64> {
    let text = std::fs::read_to_string(times).unwrap_or_default();
    let seconds = |line: &str| {
        let (began, ended) = line.split_once(' ')?;
        let nanos = ended.trim().parse::<i64>().ok()? - began.parse::<i64>().ok()?;
        Some(nanos as f64 / 1e9)
    };
    text.lines().filter_map(seconds).collect()
}

#[allow(clippy::print_stdout, reason = "how close it comes is worth knowing")]
fn report(off: &[f64], by_hand: &[f64]) {
    println!("off by {off:?} of {by_hand:?} s by hand");
}

#[test]
fn catch_up_time_is_that_of_waiting_for_the_primarys_position_by_hand() {
    const REPEATS: usize = 3;
    let pair = Pair::start();
    let place = Workplace::new();
    // What the replica applies is slow there alone, so that it takes far longer than to start a client.
    pair.primary.weighin(&place, "prepare", &["--tables", "1", "--table-size", "1000"]).done();
    wait_for("the table", || pair.replica.query("SHOW TABLES LIKE 'sbtest1'").len() == 1);
    pair.replica
        .execute("CREATE TRIGGER slow BEFORE UPDATE ON sbtest1 FOR EACH ROW DO SLEEP(0.005)");
    let probe = Probe::start(&place, &pair);
    let test = "task = \"catch_up\"\nclients = 4\ntable_size = 1000\nbacklog_transactions = 600";
    let program = &probe.start_applier;
    let control =
        format!("[target.replication]\nstart_applier = [\"sh\", \"{program}\"]\ntrusted = true\n");
    let study = pair.study_with(&place, REPEATS, &control, test);
    place.write("pair.toml", study);
    place.weighin(&["run", "pair.toml", "--store", "kept.weighin"]).done();
    let times = place.path("times");
    wait_for("the last wait by hand", || noted(&times).len() >= REPEATS);
    let by_hand = noted(&times);
    let waited = std::fs::read_to_string(place.path("waited")).unwrap();
    assert_eq!(waited.split_whitespace().collect::<Vec<_>>(), ["0"; REPEATS]);
    let trials = trials(&place, "kept.weighin");
    assert_eq!(trials.len(), REPEATS);
    let mut off = Vec::new();
    for (record, by_hand) in trials.iter().zip(&by_hand) {
        let ours = number(record, Metric::CatchUpTime);
        let figure = record.outcome().unwrap().metric(Metric::CatchUpTime).unwrap();
        assert!(figure.resolution <= 0.001, "{figure:?}");
        assert!(*by_hand > 1.0, "too short to tell anything: {by_hand} s");
        off.push((ours - by_hand).abs() / by_hand);
    }
    off.sort_by(f64::total_cmp);
    // By hand it takes a client that is started, which a busy machine delays: the least disturbed
    // of the repeats shows whether both are the same time.
    assert!(off[0] <= 0.02, "{off:?}, by hand {by_hand:?}");
    report(&off, &by_hand);
}

#[test]
fn replicas_that_do_not_catch_up_or_differ_are_failures_with_the_reason() {
    let pair = Pair::start();
    let place = Workplace::new();
    let test = "task = \"catch_up\"\nclients = 2\ntable_size = 500\nbacklog_transactions = 200";
    let study = |control: &str| pair.study_with(&place, 1, control, test);
    let failure = |name: &str, control: &str| {
        place.write("pair.toml", study(control));
        let ran = place.weighin(&["run", "pair.toml", "--store", name]);
        let trial = trials(&place, name).remove(0);
        trial.failure().unwrap_or_else(|| panic!("{:?} {}", trial.end, ran.err)).clone()
    };
    // The user's own statement has the last word, also where it starts nothing.
    let idle = failure("idle.weighin", "[target.replication]\nstart_applier = \"SELECT 1\"\n");
    assert_eq!(idle.kind, FailureKind::Replication);
    assert!(idle.message.contains("pair, replica 1 does not apply"), "{idle}");
    pair.replica.execute("START SLAVE SQL_THREAD");

    // A row that only the replica has. Statements that do not meet it go on.
    pair.replica.execute("INSERT INTO sbtest1 VALUES (1000000, 1, 'c', 'pad')");
    let differ = failure("differ.weighin", "");
    assert_eq!(differ.kind, FailureKind::Replication);
    for part in ["the data of pair, replica 1 differ", "501 rows in place of 500"] {
        assert!(differ.message.contains(part), "{differ}");
    }

    // No rows where changes of rows look for them.
    pair.primary.execute("SET GLOBAL binlog_format = 'ROW'");
    pair.replica.execute("DELETE FROM sbtest1");
    let broken = failure("broken.weighin", "");
    assert_eq!(broken.kind, FailureKind::Replication);
    for part in ["replication to pair, replica 1 is broken", "sbtest1"] {
        assert!(broken.message.contains(part), "{broken}");
    }
}

#[test]
fn a_backlog_of_bytes_is_met_and_one_that_takes_too_long_is_a_failure_with_what_was_left() {
    let pair = Pair::start();
    let place = Workplace::new();
    // By places in binary logs, as old groups do.
    let logged = pair.primary.query("SHOW MASTER STATUS").remove(0);
    let (file, offset) = {
        let mut fields = logged.split('\t');
        (fields.next().unwrap().to_owned(), fields.next().unwrap().to_owned())
    };
    for sql in [
        "STOP SLAVE".to_owned(),
        format!(
            "CHANGE MASTER TO MASTER_LOG_FILE = '{file}', MASTER_LOG_POS = {offset}, \
             MASTER_USE_GTID = no"
        ),
        "START SLAVE".to_owned(),
    ] {
        pair.replica.execute(&sql);
    }
    let test = |keys: &str| {
        let test = format!("task = \"catch_up\"\nclients = 2\ntable_size = 500\n{keys}");
        pair.study_with(&place, 1, "", &test)
    };
    // So many that a busy machine does not write as much again before it hears that they are there.
    place.write("bytes.toml", test("backlog_bytes = \"3MiB\""));
    place.weighin(&["run", "bytes.toml", "--store", "bytes.weighin"]).done();
    let record = trials(&place, "bytes.weighin").remove(0);
    let bytes = number(&record, Metric::BacklogSize);
    let least = f64::from(3 << 20);
    assert!((least..2.0 * least).contains(&bytes), "{bytes}");

    // The replica alone is slow: it would take 20 seconds or more.
    let slow = "CREATE TRIGGER slow BEFORE UPDATE ON sbtest1 FOR EACH ROW DO SLEEP(0.05)";
    pair.replica.execute(slow);
    let keys = "workload = \"oltp_update_index\"\nbacklog_transactions = 400\ntimeout = \"10s\"";
    place.write("slow.toml", test(keys));
    place.weighin(&["run", "slow.toml", "--store", "slow.weighin"]);
    let trial = trials(&place, "slow.weighin").remove(0);
    let failure = trial.failure().unwrap_or_else(|| panic!("{:?}", trial.end));
    assert_eq!(failure.kind, FailureKind::TimedOut);
    for part in ["pair, replica 1 did not catch up within 10 s", "transactions of the backlog"] {
        assert!(failure.message.contains(part), "{failure}");
    }
    assert!(failure.remedy.contains("`timeout`"), "{failure}");
}

#[test]
fn an_applier_that_was_stopped_is_started_when_weighin_is_told_to_end() {
    let pair = Pair::start();
    let place = Workplace::new();
    let test = "task = \"catch_up\"\nclients = 1\ntable_size = 500\nbacklog_time = \"120s\"";
    place.write("pair.toml", pair.study_with(&place, 1, "", test));
    let applies = || pair.replica.query("SHOW ALL SLAVES STATUS").join("").contains("\tYes\tYes\t");
    wait_for("the pair", applies);
    let run = place.start(&["run", "pair.toml"]);
    wait_for("the applier to be stopped", || !applies());
    run.stopped_by_one_signal();
    wait_for("the applier to run", applies);
}
