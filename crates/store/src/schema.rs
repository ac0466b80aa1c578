//! The tables of a store, and how a store of an earlier format is brought to the current one.

use crate::StoreError;
use crate::digest;
use crate::error::{Access, code};
use crate::expected::{Expected, quoted};
use crate::guard::{Opened, harden};
use model::ReadBudget;
use rusqlite::backup::Backup;
use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior};
use std::path::Path;
use std::time::Duration;

/// Marks an SQLite file as a store of weighin: the letters `wghn`.
const APPLICATION_ID: i64 = 0x7767_686e;

/// Pages that are copied at a time: all, since nobody waits.
const ALL_PAGES: std::ffi::c_int = std::ffi::c_int::MAX;

/// Scripts that each lead from one format to the next; the first makes the tables of an empty
/// store. The number of a format is that of the scripts that lead to it.
///
/// A released script is never changed: a new format is a new script at the end.
pub(crate) const SCRIPTS: &[&str] = &[include_str!("schema/0001_tables.sql")];

/// Reads the format of a store, whether it is the last of `scripts` or one before it. Refuses other files, later formats, damaged files, and those whose tables are not weighin's.
pub(crate) fn check(
    opened: &Opened,
    path: &Path,
    scripts: &[&str],
    access: Access,
    budget: &ReadBudget,
) -> Result<Age, StoreError> {
    let Opened { connection, limit } = opened;
    let sqlite = |error| StoreError::from_sqlite(path, Access::Read, error);
    let damaged = |detail| StoreError::Damaged { path: path.to_path_buf(), detail };
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    // Both stand in the header: SQLite has not read a table's declaration yet.
    let application_id = number("application_id").map_err(sqlite)?;
    if application_id != APPLICATION_ID {
        return Err(StoreError::NotAStore(path.to_path_buf()));
    }
    let found = number("user_version").map_err(sqlite)?;
    let known = usize::try_from(found).ok().filter(|found| *found > 0);
    let Some(of_store) = known.and_then(|found| scripts.get(..found)) else {
        let path = path.to_path_buf();
        return Err(StoreError::OtherFormat { path, found, known: scripts.len() });
    };
    {
        let _limited = limit.begin_schema(budget);
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())).map_err(
            |error| match code(&error) {
                Some(ErrorCode::OperationInterrupted) => {
                    damaged("it has more tables, views and indexes than weighin reads".to_owned())
                }
                _ => sqlite(error),
            },
        )?;
    }
    let _limited = limit.begin(budget);
    let expected = Expected::from_scripts(of_store).map_err(sqlite)?;
    if let Some(problem) = problem(connection, &expected, access).map_err(sqlite)? {
        return Err(damaged(problem));
    }
    Ok(if of_store.len() < scripts.len() { Age::Older } else { Age::Current })
}

/// Whether the format of a store is the one that is written, or one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Age {
    Older,
    Current,
}

/// What is wrong with the tables of a file. Those of a user's own are not looked at: whatever is in
/// them, weighin never reads it.
fn problem(
    connection: &Connection,
    expected: &Expected,
    access: Access,
) -> rusqlite::Result<Option<String>> {
    if let Some(difference) = expected.difference(connection)? {
        return Ok(Some(difference));
    }
    for table in expected.tables() {
        let check = format!("PRAGMA quick_check({})", quoted(table));
        let health: String = connection.query_row(&check, [], |row| row.get(0))?;
        if health != "ok" {
            return Ok(Some(health));
        }
        // Of a row that refers to none that is there: the tables and, where it has one, the row's number.
        let orphan = connection
            .prepare_cached("SELECT rowid, parent FROM pragma_foreign_key_check(?)")?
            .query_row([table], |row| {
                let (number, parent): (Option<i64>, String) = (row.get(0)?, row.get(1)?);
                let number = number.map_or_else(String::new, |number| format!(" {number}"));
                Ok(format!("{table}: row{number} belongs to a row of {parent} that is not there"))
            })
            .optional()?;
        if orphan.is_some() {
            return Ok(orphan);
        }
    }
    match access {
        Access::Read => Ok(None),
        Access::Write => unsafe_to_write(connection),
    }
}

/// What keeps a file from being written to: a page that is taken for free and holds something would be
/// overwritten.
fn unsafe_to_write(connection: &Connection) -> rusqlite::Result<Option<String>> {
    match connection.query_row("PRAGMA quick_check", [], |row| row.get::<_, String>(0)) {
        // What else it says is of values in a user's own tables.
        Ok(health) => Ok(Some(health).filter(|health| health.starts_with("***"))),
        Err(error) if code(&error) != Some(ErrorCode::Unknown) => Err(error),
        // Where such a table has columns that SQLite cannot compute here, free pages go unchecked.
        Err(error) => {
            let free: i64 =
                connection.pragma_query_value(None, "freelist_count", |row| row.get(0))?;
            Ok((free > 0).then(|| {
                format!(
                    "whether its {free} free pages are free cannot be checked beside tables that are not \
                     weighin's ({error}); VACUUM in the program sqlite3 removes them"
                )
            }))
        }
    }
}

/// Brings a store, or an empty database, to the last format of `scripts`, fills it, and writes the
/// digests of what it then holds; all or nothing.
pub(crate) fn migrate(
    connection: &mut Connection,
    scripts: &[&str],
    fill: impl FnOnce(&Connection) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    // A script may make a table anew that others refer to. The caller turns this on again.
    connection.pragma_update(None, "foreign_keys", false)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for script in scripts.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(script)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", scripts.len() as i64)?;
    fill(&transaction)?;
    digest::write_all(&transaction)?;
    transaction.commit()
}

/// A copy in memory, brought to the last format of `scripts`: reading must not change the file.
pub(crate) fn migrated_copy(source: &Opened, scripts: &[&str]) -> rusqlite::Result<Opened> {
    let mut copy = Connection::open_in_memory()?;
    Backup::new(&source.connection, &mut copy)?.run_to_completion(
        ALL_PAGES,
        Duration::ZERO,
        None,
    )?;
    harden(&mut copy, &source.limit)?;
    migrate(&mut copy, scripts, |_| Ok(()))?;
    Ok(Opened { connection: copy, limit: source.limit.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Store, file, run, trial};
    use model::{ReadLimit, Trial};
    use rusqlite::OpenFlags;
    use test_support::varied::{host, plan, record, study};

    /// A format that a later version may bring: one more column and one more table.
    const LATER: &[&str] = &[
        SCRIPTS[0],
        "ALTER TABLE trial ADD COLUMN remark TEXT NOT NULL DEFAULT 'none';
         CREATE TABLE more (position INTEGER PRIMARY KEY REFERENCES trial) STRICT;
         INSERT INTO more SELECT position FROM trial",
    ];

    #[test]
    fn a_store_of_an_earlier_format_is_read_and_resumed_in_the_later_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.weighin");
        let mut store = Store::create(&path, &study(), &plan(), &host(), "1", 1.0).unwrap();
        let records: Vec<_> = plan().trials().take(3).map(|trial| record(trial, 3)).collect();
        records.iter().for_each(|record| store.append(record).unwrap());
        drop(store);
        let before = std::fs::read(&path).unwrap();

        let mut opened =
            file::connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE, ReadLimit::NONE).unwrap();
        let age = |opened: &Opened, scripts| {
            check(opened, &path, scripts, Access::Write, &ReadBudget::default()).unwrap()
        };
        assert_eq!(age(&opened, SCRIPTS), Age::Current);
        assert_eq!(age(&opened, LATER), Age::Older);
        let copy = migrated_copy(&opened, LATER).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), before);
        migrate(&mut opened.connection, LATER, |_| Ok(())).unwrap();
        for opened in [&copy, &opened] {
            assert_eq!(age(opened, LATER), Age::Current);
            let connection = &opened.connection;
            digest::check_all(connection, &ReadBudget::default()).unwrap();
            let remark: String = connection
                .query_row("SELECT remark FROM trial JOIN more USING (position)", [], |row| {
                    row.get(0)
                })
                .unwrap();
            assert_eq!(remark, "none");
            assert_eq!(run::select(connection).unwrap().1, plan());
            let (planned, mut read) = (plan(), Vec::new());
            let planned: Vec<&Trial> = planned.trials().collect();
            let mut keep = |_: &Trial, record| {
                read.push(record);
                Ok(())
            };
            trial::each(connection, &planned, &ReadBudget::default(), &mut keep).unwrap();
            assert_eq!(read, records);
        }
        drop(opened);

        let error = Store::open(&path).unwrap_err().to_string();
        assert!(error.contains("format 2") && error.contains("up to 1"), "{error}");
    }
}
