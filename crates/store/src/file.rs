//! The file of a store: made complete or not at all, connected to.

use crate::error::Access;
use crate::guard::{Opened, TimeLimit, harden};
use crate::{StoreError, beside, run, schema};
use files::{Directory, Unfinished};
use model::{Plan, ReadLimit, RunInfo, Study};
use rusqlite::{Connection, OpenFlags};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::time::Duration;

/// How long to wait for another program, such as `sqlite3`, that has the file for a moment.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
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

/// Opens an existing file, by a path without links; reading it has the time of that limit.
pub(crate) fn connect(
    path: &Path,
    access: OpenFlags,
    reading: ReadLimit,
) -> Result<Opened, StoreError> {
    beside::check_all(path)?;
    let connect = || {
        // A connection never leaves its thread without being moved, so SQLite needs no locks.
        let flags = OpenFlags::SQLITE_OPEN_NOFOLLOW | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, access | flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        let limit = TimeLimit::by(reading.clock);
        harden(&mut connection, &limit)?;
        Ok(Opened { connection, limit })
    };
    connect().map_err(|error| StoreError::from_sqlite(path, Access::Read, error))
}
