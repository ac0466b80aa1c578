//! A run that is killed at any moment loses no completed trial, and lets go of its store.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;
use store::{Store, StoreError};
use tempfile::TempDir;
use test_support::varied::{host, plan, record, study};

/// Where the writer process below finds the path of its store.
const STORE: &str = "WEIGHIN_TEST_STORE";
const SALT: u64 = 11;

/// Not a test: what the tests below start in a process of its own. Creates a store, or resumes
/// it, appends every missing trial, says so after each, and then waits for its end.
#[test]
#[ignore = "started by the other tests in a process of its own"]
fn writer_process() {
    let Some(path) = std::env::var_os(STORE).map(PathBuf::from) else { return };
    let mut store = if path.exists() {
        Store::resume(&path).unwrap()
    } else {
        Store::create(&path, &study(), &plan(), &host(), "1", 1.0).unwrap()
    };
    println!("\nready");
    let done = store.completed();
    for trial in plan().trials().filter(|trial| !done.contains(&trial.key)) {
        store.append(&record(trial, SALT)).unwrap();
        println!("appended");
    }
    println!("all");
    // Ends when the other side closes the pipe, or kills this process.
    let _ = std::io::stdin().read_line(&mut String::new());
}

/// The writer process; killed when dropped.
struct Writer {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Writer {
    fn start(path: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().expect("the test's own path"))
            .args(["--ignored", "--exact", "crash::writer_process", "--nocapture"])
            .env(STORE, path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the test can start itself");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        Self { child, lines }
    }

    /// Waits until the writer has said something that often.
    fn wait_for(&mut self, word: &str, times: usize) {
        let said = self.lines.by_ref().filter(|line| line.as_deref().is_ok_and(|l| l == word));
        assert_eq!(said.take(times).count(), times, "the writer ended before it said {word}");
    }

    /// Waits until it has appended so many trials, or all that were missing; how many.
    fn wait_for_appended(&mut self, times: usize) -> usize {
        let mut appended = 0;
        while appended < times {
            match self.lines.next().expect("the writer waits").expect("it is read").as_str() {
                "appended" => appended += 1,
                "all" => break,
                _ => {}
            }
        }
        appended
    }

    fn kill(mut self) {
        self.child.kill().expect("the writer runs");
        self.child.wait().expect("it was started here");
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_run_killed_at_any_moment_keeps_every_appended_trial_whole() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("run.weighin");
    let mut kept = 0;
    // Each round is killed somewhere in the middle of the next append.
    for round in 0..5 {
        let mut writer = Writer::start(&path);
        writer.wait_for("ready", 1);
        // On a busy machine a writer may have come to its end before it was killed.
        let appended = writer.wait_for_appended(round % 3);
        writer.kill();

        let health: String = rusqlite::Connection::open(&path)
            .unwrap()
            .pragma_query_value(None, "integrity_check", |row| row.get(0))
            .unwrap();
        assert_eq!(health, "ok");
        let trials = Store::open(&path).unwrap().dataset().unwrap().trials;
        assert!(trials.len() >= kept + appended, "{} of {kept} + {appended}", trials.len());
        let expected: Vec<_> =
            plan().trials().take(trials.len()).map(|trial| record(trial, SALT)).collect();
        assert_eq!(trials, expected);
        kept = trials.len();
    }
    let mut store = Store::resume(&path).unwrap();
    let done = store.completed();
    for trial in plan().trials().filter(|trial| !done.contains(&trial.key)) {
        store.append(&record(trial, SALT)).unwrap();
    }
    assert_eq!(store.dataset().unwrap().missing().count(), 0);
}

/// What a run may take is counted from its beginning.
#[test]
fn a_run_that_was_killed_before_its_first_record_begins_when_it_goes_on() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("run.weighin");
    let planned = Store::create(&path, &study(), &plan(), &host(), "1", 1.0).unwrap().run().clone();
    std::thread::sleep(Duration::from_millis(20));
    let mut resumed = Store::resume(&path).unwrap();
    let began = resumed.run().started_at;
    assert!(began > planned.started_at);
    resumed.append(&record(plan().trials().next().unwrap(), SALT)).unwrap();
    drop(resumed);
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(Store::resume(&path).unwrap().run().started_at, began);
    assert_eq!(Store::open(&path).unwrap().dataset().unwrap().run.started_at, began);
}

#[test]
fn a_second_writer_is_told_who_holds_the_store_until_that_one_is_killed() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("run.weighin");
    let mut writer = Writer::start(&path);
    writer.wait_for("ready", 1);
    let error = Store::resume(&path).unwrap_err();
    assert!(matches!(error, StoreError::InUse { .. }), "{error}");
    assert!(error.to_string().contains(&format!("process {}", writer.child.id())), "{error}");
    let error = Store::create(&path, &study(), &plan(), &host(), "1", 1.0).unwrap_err();
    assert!(matches!(error, StoreError::InUse { .. }), "{error}");
    assert_eq!(Store::open(&path).unwrap().study(), &study());
    writer.kill();
    assert_eq!(Store::resume(&path).unwrap().study(), &study());
}
