//! The tables of a store, and how a store of an earlier format is brought to the current one.

use crate::StoreError;
use crate::digest::Digests;
use crate::error::Access;
use rusqlite::backup::Backup;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use std::collections::BTreeMap;
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

/// Reads the format of a store, and whether it is the last of `scripts` or one before it. Refuses
/// other files, later formats, damaged files, and those whose tables are not weighin's.
pub(crate) fn check(
    connection: &Connection,
    path: &Path,
    scripts: &[&str],
) -> Result<Age, StoreError> {
    let sqlite = |error| StoreError::from_sqlite(path, Access::Read, error);
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
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
    let damaged = |detail| Err(StoreError::Damaged { path: path.to_path_buf(), detail });
    let health: String =
        connection.pragma_query_value(None, "quick_check", |row| row.get(0)).map_err(sqlite)?;
    if health != "ok" {
        return damaged(health);
    }
    match differs(connection, of_store).map_err(sqlite)? {
        Some(difference) => damaged(difference),
        None if of_store.len() < scripts.len() => Ok(Age::Older),
        None => Ok(Age::Current),
    }
}

/// Whether the format of a store is the one that is written, or one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Age {
    Older,
    Current,
}

/// The columns of a table in their order, each with what matters of its declaration.
type Columns = Vec<(String, String, i64, i64, i64)>;
type Tables = BTreeMap<String, Columns>;

/// What of the tables is not as these scripts make it. Tables, views and indexes that a user has
/// added do no harm; a trigger could change what weighin writes.
fn differs(connection: &Connection, scripts: &[&str]) -> rusqlite::Result<Option<String>> {
    let trigger: Option<String> = connection
        .query_row("SELECT name FROM sqlite_schema WHERE type = 'trigger'", [], |row| row.get(0))
        .optional()?;
    if let Some(trigger) = trigger {
        return Ok(Some(format!("it has a trigger, {trigger}, which is not weighin's")));
    }
    let found = tables(connection)?;
    let difference = own(scripts)?.iter().find_map(|(table, columns)| {
        let reason = match found.get(table) {
            None => "is missing",
            Some(found) if found != columns => "has other columns than it must have",
            Some(_) => return None,
        };
        Some(format!("the table {table} {reason}"))
    });
    if difference.is_some() {
        return Ok(difference);
    }
    // Of a row that refers to none that is there: the tables and, where it has one, the row's number.
    connection
        .query_row("SELECT \"table\", rowid, parent FROM pragma_foreign_key_check", [], |row| {
            let (table, number, parent): (String, Option<i64>, String) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            let number = number.map_or_else(String::new, |number| format!(" {number}"));
            Ok(format!("{table}: row{number} belongs to a row of {parent} that is not there"))
        })
        .optional()
}

/// The tables as these scripts make them.
fn own(scripts: &[&str]) -> rusqlite::Result<Tables> {
    let own = Connection::open_in_memory()?;
    own.pragma_update(None, "foreign_keys", false)?;
    scripts.iter().try_for_each(|script| own.execute_batch(script))?;
    tables(&own)
}

fn tables(connection: &Connection) -> rusqlite::Result<Tables> {
    let mut statement = connection.prepare(
        "SELECT tables.name, columns.name, columns.type, columns.\"notnull\", columns.pk,
         columns.hidden FROM pragma_table_list AS tables
         JOIN pragma_table_xinfo(tables.name) AS columns
         WHERE tables.schema = 'main' AND tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'
         ORDER BY tables.name, columns.cid",
    )?;
    let mut rows = statement.query([])?;
    let mut tables = Tables::new();
    while let Some(row) = rows.next()? {
        let column = (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?);
        tables.entry(row.get(0)?).or_default().push(column);
    }
    Ok(tables)
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
    Digests::of(&transaction)?.write_all(&transaction)?;
    transaction.commit()
}

/// A copy in memory, brought to the last format of `scripts`: reading must not change the file.
pub(crate) fn migrated_copy(source: &Connection, scripts: &[&str]) -> rusqlite::Result<Connection> {
    let mut copy = Connection::open_in_memory()?;
    Backup::new(source, &mut copy)?.run_to_completion(ALL_PAGES, Duration::ZERO, None)?;
    migrate(&mut copy, scripts, |_| Ok(()))?;
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Store, run, trial};
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

        let mut connection = Connection::open(&path).unwrap();
        assert_eq!(check(&connection, &path, SCRIPTS).unwrap(), Age::Current);
        assert_eq!(check(&connection, &path, LATER).unwrap(), Age::Older);
        let copy = migrated_copy(&connection, LATER).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), before);
        migrate(&mut connection, LATER, |_| Ok(())).unwrap();
        for connection in [&copy, &connection] {
            assert_eq!(check(connection, &path, LATER).unwrap(), Age::Current);
            Digests::of(connection).unwrap().check_all(connection).unwrap();
            let remark: String = connection
                .query_row("SELECT remark FROM trial JOIN more USING (position)", [], |row| {
                    row.get(0)
                })
                .unwrap();
            assert_eq!(remark, "none");
            assert_eq!(run::select(connection).unwrap().1, plan());
            for (planned, written) in plan().trials().zip(&records) {
                assert_eq!(trial::select(connection, planned).unwrap().as_ref(), Some(written));
            }
        }
        drop(connection);

        let error = Store::open(&path).unwrap_err().to_string();
        assert!(error.contains("format 2") && error.contains("up to 1"), "{error}");
    }
}
