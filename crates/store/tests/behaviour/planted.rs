//! What others may have put beside a store, or in its place: nothing of theirs is written, and
//! nothing of theirs becomes part of the results.

use model::{Note, UnixMillis};
use std::fs;
use std::os::unix::fs::{MetadataExt, chown, symlink};
use std::path::{Path, PathBuf};
use store::{Store, StoreError};
use tempfile::TempDir;
use test_support::varied::{host, plan, record, study};

/// An account that is neither this one nor root.
const NOBODY: u32 = 65_534;

/// A directory with somebody's file, and the path of a store beside it.
struct Place {
    directory: TempDir,
    canary: PathBuf,
    store: PathBuf,
}

impl Place {
    fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let canary = directory.path().join("precious");
        fs::write(&canary, "12345").unwrap();
        let store = directory.path().join("run.weighin");
        Self { directory, canary, store }
    }

    fn with_store() -> Self {
        let place = Self::new();
        let mut store = create(&place.store).unwrap();
        store.append(&record(plan().trials().next().unwrap(), 1)).unwrap();
        drop(store);
        place
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        self.directory.path().join(format!("run.weighin{suffix}"))
    }

    fn assert_untouched(&self) {
        assert_eq!(fs::read_to_string(&self.canary).unwrap(), "12345");
    }
}

fn create(path: &Path) -> Result<Store, StoreError> {
    Store::create(path, &study(), &plan(), &host(), "1", 1.0)
}

fn assert_refused(result: Result<Store, StoreError>, words: &str) {
    let error = result.unwrap_err();
    assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
    assert!(error.to_string().contains(words), "{words}: {error}");
}

#[test]
fn a_lock_that_is_somebodys_file_is_not_written() {
    let place = Place::with_store();
    let lock = place.beside(".lock");
    let new = place.directory.path().join("new.weighin");
    symlink(&place.canary, place.directory.path().join("new.weighin.lock")).unwrap();
    symlink(&place.canary, &lock).unwrap();
    assert_refused(Store::resume(&place.store), "run.weighin.lock is a symbolic link");
    assert_refused(create(&new), "new.weighin.lock is a symbolic link");
    fs::remove_file(&lock).unwrap();
    fs::hard_link(&place.canary, &lock).unwrap();
    assert_refused(Store::resume(&place.store), "hard links");
    fs::remove_file(&lock).unwrap();
    fs::write(&lock, "somebody's notes").unwrap();
    assert_refused(Store::resume(&place.store), "is not a lock file");
    assert_eq!(fs::read_to_string(&lock).unwrap(), "somebody's notes");
    assert!(!new.exists());
    place.assert_untouched();
    // What a killed run left is no obstacle.
    fs::write(&lock, "4194304").unwrap();
    Store::resume(&place.store).unwrap();
}

#[test]
fn a_new_store_takes_no_name_that_is_there() {
    let place = Place::new();
    // Where earlier versions put the unfinished store.
    symlink(&place.canary, place.beside(".new")).unwrap();
    drop(create(&place.store).unwrap());
    place.assert_untouched();
    let dangling = place.directory.path().join("dangling.weighin");
    symlink(place.directory.path().join("absent"), &dangling).unwrap();
    let error = create(&dangling).unwrap_err();
    assert!(matches!(error, StoreError::Exists(_)), "{error}");
    assert!(!place.directory.path().join("absent").exists());
    // The log of another store would be played into this one.
    let other = place.directory.path().join("other.weighin");
    fs::write(place.directory.path().join("other.weighin-wal"), "log").unwrap();
    assert_refused(create(&other), "other.weighin-wal is left of another store");
    assert!(!other.exists());
}

#[test]
fn what_sqlite_would_take_from_beside_a_store_must_be_its_owners() {
    let place = Place::with_store();
    let before = fs::read(&place.store).unwrap();
    let is_root = fs::metadata(&place.store).unwrap().uid() == 0;
    for side in ["-journal", "-wal", "-shm"] {
        let path = place.beside(side);
        symlink(&place.canary, &path).unwrap();
        for result in [Store::open(&place.store), Store::resume(&place.store)] {
            assert_refused(result, &format!("run.weighin{side} is a symbolic link"));
        }
        fs::remove_file(&path).unwrap();
        fs::hard_link(&place.canary, &path).unwrap();
        assert_refused(Store::resume(&place.store), "hard links");
        fs::remove_file(&path).unwrap();
        if is_root {
            fs::write(&path, "planted").unwrap();
            chown(&path, Some(NOBODY), None).unwrap();
            for result in [Store::open(&place.store), Store::resume(&place.store)] {
                assert_refused(result, "belongs to user 65534");
            }
            fs::remove_file(&path).unwrap();
        }
    }
    place.assert_untouched();
    assert_eq!(fs::read(&place.store).unwrap(), before);
    Store::resume(&place.store).unwrap();
}

/// A journal that another account plants is rolled back into the store by whoever opens it next.
#[test]
fn a_planted_journal_changes_no_result() {
    let place = Place::with_store();
    if fs::metadata(&place.store).unwrap().uid() != 0 {
        eprintln!("not tested: only root can give files away");
        return;
    }
    let before = fs::read(&place.store).unwrap();
    // A journal with the pages of a forged store, as of a writer that was killed.
    let forged = place.directory.path().join("forged");
    fs::copy(&place.store, &forged).unwrap();
    let connection = rusqlite::Connection::open(&forged).unwrap();
    for statements in [
        "PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; UPDATE run SET scale = 0.25",
        "PRAGMA cache_size = 1; BEGIN; UPDATE run SET scale = 1",
        "CREATE TABLE filler AS SELECT hex(randomblob(200000))",
    ] {
        connection.execute_batch(statements).unwrap();
    }
    let journal = place.beside("-journal");
    fs::copy(place.directory.path().join("forged-journal"), &journal).unwrap();
    drop(connection);
    // SQLite by itself takes it in.
    let fooled = place.directory.path().join("fooled");
    fs::copy(&place.store, &fooled).unwrap();
    fs::copy(&journal, place.directory.path().join("fooled-journal")).unwrap();
    let scale: f64 = rusqlite::Connection::open(&fooled)
        .unwrap()
        .query_row("SELECT scale FROM run", [], |row| row.get(0))
        .unwrap();
    assert_eq!(scale, 0.25);
    chown(&journal, Some(NOBODY), None).unwrap();
    for result in [Store::open(&place.store), Store::resume(&place.store)] {
        assert_refused(result, "run.weighin-journal belongs to user 65534");
    }
    assert_eq!(fs::read(&place.store).unwrap(), before);
}

#[test]
fn a_store_named_by_a_link_is_locked_where_it_lies() {
    let place = Place::with_store();
    let elsewhere = TempDir::new().unwrap();
    let link = elsewhere.path().join("link.weighin");
    symlink(&place.store, &link).unwrap();
    let writer = Store::resume(&link).unwrap();
    let error = Store::resume(&place.store).unwrap_err();
    assert!(matches!(error, StoreError::InUse { .. }), "{error}");
    drop(writer);
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
    assert_eq!(Store::open(&link).unwrap().completed().len(), 1);
}

#[test]
fn a_store_that_is_discarded_is_gone_with_all_beside_it() {
    let place = Place::new();
    let mut store = create(&place.store).unwrap();
    store.add_note(&Note { at: UnixMillis(1), text: "to be forgotten".to_owned() }).unwrap();
    assert!(place.beside("-wal").exists());
    store.discard();
    let names: Vec<_> = fs::read_dir(place.directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["precious"]);
}

/// `.cargo/config.toml` says what of SQLite is built: a build without it would have all.
#[test]
fn sqlite_has_nothing_that_only_files_from_elsewhere_would_reach() {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    let refused = |statement: &str| connection.execute_batch(statement).unwrap_err().to_string();
    for module in ["fts3", "fts4", "fts5", "rtree", "geopoly", "dbstat"] {
        let error = refused(&format!("CREATE VIRTUAL TABLE {module}_table USING {module}(a)"));
        assert!(error.contains("no such module"), "{module}: {error}");
    }
    let error = refused("SELECT load_extension('/no/such')");
    assert!(error.contains("no such function"), "{error}");
}
