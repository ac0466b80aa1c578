//! Stores of older versions stay readable, and can be completed.

mod common;

use rusqlite::Connection;
use std::path::PathBuf;
use store::Store;
use tempfile::TempDir;

/// A store as version 1 of the format made it: two trials of four, one of them failed.
fn version_1(directory: &TempDir) -> PathBuf {
    let path = directory.path().join("old.weighin");
    Connection::open(&path)
        .and_then(|connection| connection.execute_batch(include_str!("fixtures/v1.sql")))
        .expect("the fixture is valid SQL");
    path
}

fn version(path: &PathBuf) -> i64 {
    Connection::open(path)
        .and_then(|sql| sql.pragma_query_value(None, "user_version", |row| row.get(0)))
        .expect("a database")
}

#[test]
fn an_old_store_is_read_without_changing_it() {
    let directory = TempDir::new().unwrap();
    let path = version_1(&directory);
    let before = std::fs::read(&path).unwrap();
    let dataset = Store::open(&path).unwrap().dataset().unwrap();
    assert_eq!(dataset.study.name, "durability");
    assert_eq!(dataset.targets[0].server.version, "10.11.6-MariaDB");
    assert_eq!(dataset.missing().count(), 2);
    let load = dataset.trials[0].load().unwrap();
    assert_eq!(load.measure.transactions, 4321);
    assert_eq!(load.latencies.count(), 3);
    assert_eq!(dataset.trials[1].failure().unwrap().message, "the server went away");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

/// The format of a store that is made now.
fn newest(directory: &TempDir) -> i64 {
    let path = directory.path().join("new.weighin");
    Store::create(&path, &common::study(), &common::plan(), &common::host(), "1", 1.0)
        .expect("a new file");
    version(&path)
}

#[test]
fn an_old_store_is_brought_to_the_current_format_when_resumed() {
    let directory = TempDir::new().unwrap();
    let path = version_1(&directory);
    let old = Store::open(&path).unwrap().dataset().unwrap();
    assert_eq!(version(&path), 1);
    let mut store = Store::resume(&path).unwrap();
    assert_eq!(store.dataset().unwrap(), old);
    let mut third = old.trials[1].clone();
    let planned = old.plan.trials().nth(2).unwrap();
    (third.key, third.position, third.seed) = (planned.key.clone(), planned.position, planned.seed);
    store.append(&third).unwrap();
    drop(store);
    assert_eq!(version(&path), newest(&directory));
    let summaries: i64 = Connection::open(&path)
        .unwrap()
        .query_row("SELECT count(*) FROM trial_summary WHERE outcome = 'failed'", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(summaries, 2);
}
