//! The file of a store: made complete or not at all, connected to.

use crate::error::Access;
use crate::{StoreError, beside, run, schema};
use files::{Directory, Unfinished};
use model::{Plan, RunInfo, Study};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::time::Duration;

/// How long to wait for another program, such as `sqlite3`, that has the file for a moment.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest text or blob that a store may hold, in bytes: many times what a study file, a message
/// or a histogram can have.
const LONGEST_VALUE: i32 = 64 << 20;
/// Statements that are kept for a trial to write or read, its digest included.
const STATEMENTS: usize = 128;
/// Permissions of a store, without the umask.
const MODE: u32 = 0o644;

/// Makes a store that holds a run without trials: it appears complete or not at all. The caller has
/// the writer's lock.
pub(crate) fn create(
    path: &Path,
    study: &Study,
    plan: &Plan,
    run: &RunInfo,
) -> Result<(), StoreError> {
    // In memory: a file of SQLite's own would need names that others could take first.
    let make = || {
        let mut connection = Connection::open_in_memory()?;
        let fill = |connection: &Connection| run::insert(connection, study, plan, run);
        schema::migrate(&mut connection, schema::SCRIPTS, fill)?;
        Ok(connection.serialize("main")?.to_vec())
    };
    let bytes = make().map_err(|error| StoreError::from_sqlite(path, Access::Write, error))?;
    beside::check_none(path)?;
    let write = || {
        let (directory, name) = Directory::of_file(path)?;
        let mut file = Unfinished::begin(directory, name, MODE, None)?;
        file.write_all(&bytes)?;
        file.publish_new()
    };
    write().map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => StoreError::Exists(path.to_path_buf()),
        _ => StoreError::not_writable(path, &error),
    })
}

/// Opens an existing file, by a path without links.
pub(crate) fn connect(path: &Path, access: OpenFlags) -> Result<Connection, StoreError> {
    beside::check_all(path)?;
    let connect = || {
        // A connection never leaves its thread without being moved, so SQLite needs no locks.
        let flags = OpenFlags::SQLITE_OPEN_NOFOLLOW | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, access | flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
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
    // Without it a statement is planned anew for every value that it is bound to.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
}
