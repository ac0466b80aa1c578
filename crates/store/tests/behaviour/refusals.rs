//! Files that cannot be used, each with a message that says why and leaves them as they are.

use model::{LONGEST_TIME, Sample};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::{Store, StoreError};
use tempfile::TempDir;
use test_support::varied::{host, plan, record, study};

fn create(path: &Path) -> Result<Store, StoreError> {
    Store::create(path, &study(), &plan(), &host(), "1", 1.0)
}

/// A finished store with all trials.
fn full_store(directory: &TempDir) -> PathBuf {
    let path = directory.path().join("run.weighin");
    let mut store = create(&path).expect("a new file");
    for trial in plan().trials() {
        store.append(&record(trial, 3)).expect("a planned trial");
    }
    path
}

#[test]
fn an_existing_file_is_not_overwritten() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("notes.txt");
    std::fs::write(&path, "precious").unwrap();
    let error = create(&path).unwrap_err();
    assert!(matches!(error, StoreError::Exists(_)), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
}

#[test]
fn what_is_no_store_is_refused_and_left_alone() {
    let directory = TempDir::new().unwrap();
    let foreign = directory.path().join("foreign.sqlite");
    Connection::open(&foreign)
        .unwrap()
        .execute_batch("CREATE TABLE t (a); PRAGMA user_version = 1")
        .unwrap();
    let text = directory.path().join("text");
    std::fs::write(&text, "not a database ".repeat(100)).unwrap();
    let empty = directory.path().join("empty");
    std::fs::write(&empty, "").unwrap();
    for path in [&foreign, &text, &empty] {
        let before = std::fs::read(path).unwrap();
        for result in [Store::open(path), Store::resume(path)] {
            let error = result.unwrap_err();
            assert!(matches!(error, StoreError::NotAStore(_)), "{error}");
        }
        assert_eq!(std::fs::read(path).unwrap(), before);
    }
    assert!(matches!(Store::open(directory.path()), Err(StoreError::NotAStore(_))));
    assert!(matches!(Store::open(&directory.path().join("no")), Err(StoreError::Missing(_))));
    assert!(matches!(Store::resume(&directory.path().join("no")), Err(StoreError::Missing(_))));
}

#[test]
fn a_store_of_another_format_is_refused_with_both_numbers() {
    let directory = TempDir::new().unwrap();
    let path = full_store(&directory);
    for format in [99, 0, -1] {
        Connection::open(&path).unwrap().pragma_update(None, "user_version", format).unwrap();
        let before = std::fs::read(&path).unwrap();
        for result in [Store::open(&path), Store::resume(&path)] {
            let error = result.unwrap_err().to_string();
            let expected = format!(
                "{} has format {format}, and this weighin knows formats up to 1: \
                 use the weighin that wrote it, or run the study again",
                path.display()
            );
            assert_eq!(error, expected);
        }
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}

#[test]
fn damage_is_noticed() {
    let directory = TempDir::new().unwrap();
    let path = full_store(&directory);
    let whole = std::fs::read(&path).unwrap();
    let page = 4096;
    assert!(whole.len() > 20 * page, "enough pages to damage");
    // A file cut short, and pages overwritten behind the header.
    let mut overwritten = whole.clone();
    overwritten[page..8 * page].fill(0xa5);
    for bytes in [&whole[..whole.len() / 2], &overwritten[..]] {
        std::fs::write(&path, bytes).unwrap();
        for result in [Store::open(&path), Store::resume(&path)] {
            let error = result.unwrap_err();
            assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
        }
    }
}

#[test]
fn a_value_that_makes_no_sense_is_damage() {
    let directory = TempDir::new().unwrap();
    let path = full_store(&directory);
    Connection::open(&path).unwrap().execute("UPDATE trial SET document = '{}'", []).unwrap();
    let error = Store::open(&path).unwrap().dataset().unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    // Nobody may make files in /proc, not even root.
    let error = create(Path::new("/proc/run.weighin")).unwrap_err();
    assert!(matches!(error, StoreError::NotWritable { .. }), "{error}");
    assert!(error.to_string().contains("/proc/run.weighin"), "{error}");
    let error = create(Path::new("/nonexistent/run.weighin")).unwrap_err();
    assert!(matches!(error, StoreError::NotWritable { .. }), "{error}");
}

#[test]
fn a_record_that_could_not_be_read_again_is_not_kept_and_costs_no_other() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("run.weighin");
    let mut store = create(&path).unwrap();
    let plan = plan();
    let mut trials = plan.trials();
    let (first, second) = (trials.next().unwrap(), trials.next().unwrap());
    store.append(&record(first, 3)).unwrap();
    let with_sample = |change: fn(&mut Sample)| {
        let mut record = record(second, 3);
        let mut sample = Sample::default();
        change(&mut sample);
        record.sampling.samples.push(sample);
        record
    };
    for unfit in [
        with_sample(|sample| sample.length = LONGEST_TIME * 2),
        with_sample(|sample| sample.length = Duration::MAX),
        with_sample(|sample| sample.client.rss_bytes = u64::MAX),
    ] {
        let error = store.append(&unfit).unwrap_err();
        assert!(matches!(error, StoreError::NotKept { .. }), "{error}");
        assert!(error.to_string().contains("cannot be kept: "), "{error}");
        assert_eq!(store.dataset().unwrap().trials.len(), 1);
    }
    store.append(&record(second, 3)).unwrap();
    drop(store);
    assert_eq!(Store::open(&path).unwrap().dataset().unwrap().trials.len(), 2);
}
