//! The file of a store: made complete or not at all, connected to, copied.

use crate::digest::{Digests, Subject};
use crate::error::Access;
use crate::{StoreError, run, schema};
use model::{Plan, RunInfo, Study};
use rusqlite::backup::Backup;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long to wait for another program, such as `sqlite3`, that has the file for a moment.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest text or blob that a store may hold, in bytes: many times what a study file, a message
/// or a histogram can have.
const LONGEST_VALUE: i32 = 64 << 20;
/// Statements that are kept for a trial to write or read, its digest included.
const STATEMENTS: usize = 128;
/// Pages that are copied at a time: all, since nobody waits.
const ALL_PAGES: std::ffi::c_int = std::ffi::c_int::MAX;

/// Makes a store that holds a run without trials. The caller has the writer's lock, and nothing
/// is at the path.
pub(crate) fn create(
    path: &Path,
    study: &Study,
    plan: &Plan,
    run: &RunInfo,
) -> Result<(), StoreError> {
    let mut unfinished = OsString::from(path);
    unfinished.push(".new");
    let unfinished = PathBuf::from(unfinished);
    let written = write_new(&unfinished, study, plan, run)
        .map_err(|error| StoreError::from_sqlite(path, Access::Write, error))
        .and_then(|()| publish(&unfinished, path));
    if written.is_err() {
        // What is left of it is of no use; the error that matters is the first.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// Opens an existing file.
pub(crate) fn connect(path: &Path, access: OpenFlags) -> Result<Connection, StoreError> {
    if !path.exists() {
        return Err(StoreError::Missing(path.to_path_buf()));
    }
    if path.is_dir() {
        return Err(StoreError::NotAStore(path.to_path_buf()));
    }
    let connect = || {
        let connection = Connection::open_with_flags(path, access)?;
        connection.busy_timeout(PATIENCE)?;
        harden(&connection)?;
        Ok(connection)
    };
    connect().map_err(|error| StoreError::from_sqlite(path, Access::Read, error))
}

/// Trusts nothing that a file says: it may come from anybody.
fn harden(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
}

fn write_new(path: &Path, study: &Study, plan: &Plan, run: &RunInfo) -> rusqlite::Result<()> {
    // Left by a process that was killed just here; the lock says that nobody else uses it.
    let _ = fs::remove_file(path);
    let mut connection = Connection::open(path)?;
    schema::migrate(&mut connection, |connection| {
        run::insert(connection, study, plan, run)?;
        Digests::of(connection)?.write(connection, Subject::Run)
    })
}

/// Gives a finished file its name, for good.
fn publish(unfinished: &Path, path: &Path) -> Result<(), StoreError> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::rename(unfinished, path).and_then(|()| File::open(directory)?.sync_all()).map_err(|error| {
        StoreError::NotWritable { path: path.to_path_buf(), detail: error.to_string() }
    })
}

/// A copy in memory, brought to the current format: reading must not change the file.
pub(crate) fn migrated_copy(source: &Connection) -> rusqlite::Result<Connection> {
    let mut copy = Connection::open_in_memory()?;
    Backup::new(source, &mut copy)?.run_to_completion(ALL_PAGES, Duration::ZERO, None)?;
    schema::migrate(&mut copy, |copy| Digests::of(copy)?.write_all(copy))?;
    Ok(copy)
}
