//! Results files that a stranger has made, or in which a user keeps tables of their own: what is not
//! weighin's is neither read nor run, and what weighin's tables are not is refused.

use rusqlite::Connection;
use std::path::{Path, PathBuf};
use store::{Store, StoreError};
use tempfile::TempDir;
use test_support::varied::{facts, host, plan, record, study};

/// A query without end that could be the name of a table.
const ENDLESS: &str = "(WITH RECURSIVE n(position) AS (SELECT 1 UNION ALL SELECT position + 1 FROM n) \
                       SELECT max(position) AS position, 1 AS number FROM n)";

/// A search that takes days, in one step of SQLite's.
const SLOW: &str = "instr(printf('%.*c', 60000000, 'a'), printf('%.*c', 30000000, 'a') || 'b')";

fn new_store(directory: &TempDir) -> PathBuf {
    let path = directory.path().join("run.weighin");
    let mut store = Store::create(&path, &study(), &plan(), &host(), "1", 1.0).unwrap();
    store.record_target(&facts("durable")).unwrap();
    for trial in plan().trials().take(6) {
        store.append(&record(trial, 3)).unwrap();
    }
    path
}

fn change(path: &Path, statements: &str) {
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch("PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF")
        .and_then(|()| connection.execute_batch(statements))
        .unwrap_or_else(|error| panic!("{statements}: {error}"));
}

/// Rewrites what SQLite keeps of a table.
fn declare(path: &Path, of: &str, sql: &str) {
    let connection = Connection::open(path).unwrap();
    connection.pragma_update(None, "writable_schema", true).unwrap();
    let changed = connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", [sql, of]);
    assert_eq!(changed, Ok(1), "{of}");
}

#[test]
fn what_is_a_users_own_does_no_harm() {
    let directory = TempDir::new().unwrap();
    let path = new_store(&directory);
    let written = Store::open(&path).unwrap().dataset().unwrap();
    let whole = std::fs::read(&path).unwrap();
    let with_name = |name: &str| {
        let name = name.replace('"', "\"\"");
        format!(
            "CREATE TABLE \"{name}\" (position INTEGER, number INTEGER PRIMARY KEY);
             INSERT INTO \"{name}\" (position) VALUES (1), (2)"
        )
    };
    for own in [
        with_name(ENDLESS),
        with_name("trial; DROP TABLE trial --"),
        with_name("x\" UNION SELECT * FROM trial --"),
        with_name("a\nb\u{1b}[2J"),
        with_name("my_notes"),
        "CREATE TABLE my_notes (position INTEGER, remark TEXT); INSERT INTO my_notes VALUES (1, 'x')"
            .to_owned(),
        "CREATE TABLE \"my notes\" (position INTEGER PRIMARY KEY, remark TEXT)".to_owned(),
        "CREATE TABLE mine (position REFERENCES trial); INSERT INTO mine VALUES (1), (999)".to_owned(),
        "CREATE TABLE mine (id INTEGER REFERENCES target ON DELETE RESTRICT ON UPDATE RESTRICT);
         INSERT INTO mine VALUES (1)"
            .to_owned(),
        "CREATE TABLE mine (id REFERENCES digest); INSERT INTO mine VALUES ('x')".to_owned(),
        "CREATE TABLE t (a); CREATE TABLE log (b);
         CREATE TRIGGER more AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); END"
            .to_owned(),
        "CREATE VIEW mine AS SELECT * FROM trial JOIN load USING (position)".to_owned(),
        format!("CREATE VIEW mine AS SELECT * FROM {ENDLESS}"),
        "CREATE INDEX by_failure ON trial (failure COLLATE NOCASE DESC, recording_bytes)".to_owned(),
        "CREATE TABLE t (a UNIQUE); CREATE UNIQUE INDEX i ON t (a + 1) WHERE a > 0".to_owned(),
        format!("CREATE TABLE t (a, b TEXT NOT NULL AS ('x')); INSERT INTO t VALUES ({})", 1),
        "CREATE TABLE t (a DEFAULT (hex(randomblob(4))), b CHECK (b LIKE 'x%'), c AS (upper(b)));
         INSERT INTO t (b) VALUES ('x')"
            .to_owned(),
        // With pages that are free.
        "CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(100000)); DROP TABLE t".to_owned(),
        "CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(100000)); DELETE FROM t".to_owned(),
        "ANALYZE".to_owned(),
        "ANALYZE; UPDATE sqlite_stat1 SET stat = '9 9 9 9'; INSERT INTO sqlite_stat1 VALUES ('x', 'y', 0)"
            .to_owned(),
        "PRAGMA auto_vacuum = FULL; VACUUM".to_owned(),
        "PRAGMA page_size = 512; VACUUM".to_owned(),
    ] {
        change(&path, &own);
        let read = Store::open(&path).and_then(|store| store.dataset());
        let read = read.unwrap_or_else(|error| panic!("{own}: {error}"));
        assert!(read == written, "{own}: other results");
        let mut store = Store::resume(&path).unwrap_or_else(|error| panic!("{own}: {error}"));
        let next = record(plan().trials().nth(6).unwrap(), 3);
        store
            .append(&next)
            .and_then(|()| store.record_target(&facts("durable")))
            .unwrap_or_else(|error| panic!("{own}: {error}"));
        drop(store);
        let read = Store::open(&path).unwrap().dataset().unwrap();
        assert_eq!(read.trials.len(), written.trials.len() + 1, "{own}");
        std::fs::write(&path, &whole).unwrap();
    }
}

/// How a program compares text, or what it computes, need not be known to read what is beside it.
#[test]
fn what_only_another_program_understands_is_left_alone() {
    let directory = TempDir::new().unwrap();
    let path = new_store(&directory);
    let written = Store::open(&path).unwrap().dataset().unwrap();
    change(&path, "CREATE TABLE t (a TEXT UNIQUE); INSERT INTO t VALUES ('x'); CREATE TABLE v (a)");
    for (table, declared) in [
        ("t", "CREATE TABLE t (a TEXT COLLATE icu_de UNIQUE)"),
        ("t", "CREATE TABLE t (a TEXT UNIQUE CHECK (spellfix1_phonehash(a) > 0))"),
        ("t", "CREATE TABLE t (a TEXT UNIQUE, b TEXT AS (my_function(a)))"),
        ("v", "CREATE VIRTUAL TABLE v USING my_module(a, b)"),
    ] {
        declare(&path, table, declared);
        let read = Store::open(&path).and_then(|store| store.dataset());
        assert!(read.unwrap_or_else(|error| panic!("{declared}: {error}")) == written);
        drop(Store::resume(&path).unwrap_or_else(|error| panic!("{declared}: {error}")));
    }
}

#[test]
fn tables_that_are_not_as_weighin_makes_them_are_named() {
    let directory = TempDir::new().unwrap();
    let path = new_store(&directory);
    let whole = std::fs::read(&path).unwrap();
    let sql: String = Connection::open(&path)
        .unwrap()
        .query_row("SELECT sql FROM sqlite_schema WHERE name = 'note'", [], |row| row.get(0))
        .unwrap();
    let with = |from: &str, to: &str| {
        assert!(sql.contains(from), "{sql}");
        sql.replace(from, to)
    };
    for other in [
        with("STRICT", "STRICT, WITHOUT ROWID"),
        with(") STRICT", ")"),
        with("text TEXT NOT NULL", &format!("text TEXT NOT NULL CHECK ({SLOW} = 0)")),
        with("text TEXT NOT NULL", &format!("text TEXT NOT NULL AS ({SLOW})")),
        with("text TEXT NOT NULL", &format!("text TEXT NOT NULL DEFAULT ({SLOW})")),
        with("text TEXT", "text TEXT COLLATE NOCASE"),
        with("text", "\"text\""),
        with("CREATE TABLE", "create table"),
        with(") STRICT", ") STRICT -- more"),
        format!("CREATE VIEW note AS SELECT 1 AS number, 2 AS at_ms, 'x' AS text FROM {ENDLESS}"),
        "CREATE VIRTUAL TABLE note USING fts5(number, at_ms, text)".to_owned(),
        "CREATE TABLE note (".to_owned(),
        format!("{sql}\0 and more"),
    ] {
        declare(&path, "note", &other);
        assert_damaged(&path, &other, "note");
        std::fs::write(&path, &whole).unwrap();
    }
    let view = format!("CREATE VIEW trial_summary AS SELECT 1 FROM {ENDLESS}");
    for (change_of_it, word) in [
        (format!("DROP VIEW trial_summary; {view}"), "trial_summary"),
        ("DROP VIEW trial_summary".to_owned(), "trial_summary is missing"),
        (
            "CREATE TRIGGER t AFTER UPDATE ON digest BEGIN DELETE FROM trial; END".to_owned(),
            "digest",
        ),
        (
            "CREATE TRIGGER t INSTEAD OF DELETE ON trial_summary BEGIN SELECT 1; END".to_owned(),
            "trigger",
        ),
        ("CREATE UNIQUE INDEX i ON trial (failure, position)".to_owned(), "index, i, on"),
        ("CREATE INDEX i ON trial (failure) WHERE position > 3".to_owned(), "index, i, on"),
        ("CREATE INDEX i ON trial (failure || 'x')".to_owned(), "index, i, on"),
        ("PRAGMA legacy_alter_table = ON; ALTER TABLE note RENAME TO notes".to_owned(), "note"),
        ("ALTER TABLE note ADD COLUMN more INTEGER DEFAULT 1".to_owned(), "note"),
    ] {
        change(&path, &change_of_it);
        assert_damaged(&path, &change_of_it, word);
        std::fs::write(&path, &whole).unwrap();
    }
}

#[track_caller]
fn assert_damaged(path: &Path, change: &str, word: &str) {
    for result in [Store::open(path), Store::resume(path)] {
        let error = result.expect_err(change);
        assert!(matches!(error, StoreError::Damaged { .. }), "{change}: {error:?}");
        assert!(error.to_string().contains(word), "{change}: {error}");
    }
}

/// SQLite reads statistics together with the schema, whatever their table is made of.
#[test]
fn statistics_that_would_have_to_be_computed_are_not() {
    let directory = TempDir::new().unwrap();
    let path = new_store(&directory);
    let written = Store::open(&path).unwrap().dataset().unwrap();
    change(&path, "ANALYZE");
    declare(
        &path,
        "sqlite_stat1",
        &format!("CREATE TABLE sqlite_stat1(tbl, idx, x, stat AS ({SLOW}))"),
    );
    assert!(Store::open(&path).unwrap().dataset().unwrap() == written);
    drop(Store::resume(&path).unwrap());
    assert!(Store::open(&path).unwrap().dataset().unwrap() == written);
}

#[test]
fn a_schema_without_end_is_not_read_to_its_end() {
    let directory = TempDir::new().unwrap();
    let path = new_store(&directory);
    let tables: String = (0..5000).map(|n| format!("CREATE TABLE t{n} (a);")).collect();
    change(&path, &format!("BEGIN; {tables} COMMIT"));
    assert_damaged(&path, "5000 tables", "more tables, views and indexes than");
}

/// Whatever stands in the header, the file is read as it is or refused.
#[test]
fn settings_of_a_file_are_not_obeyed() {
    let directory = TempDir::new().unwrap();
    let path = new_store(&directory);
    let written = Store::open(&path).unwrap().dataset().unwrap();
    for setting in [
        "PRAGMA default_cache_size = 2147483647",
        "PRAGMA schema_version = 4000000000",
        "PRAGMA incremental_vacuum",
    ] {
        change(&path, setting);
        assert!(Store::open(&path).unwrap().dataset().unwrap() == written, "{setting}");
        drop(Store::resume(&path).unwrap());
        assert!(Store::open(&path).unwrap().dataset().unwrap() == written, "{setting}");
    }
    change(&path, "PRAGMA application_id = 1");
    assert!(matches!(Store::open(&path), Err(StoreError::NotAStore(_))));
}
