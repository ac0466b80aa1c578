use crate::StoreError;
use crate::error::Access;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

/// Marks an SQLite file as a store of weighin: the letters `wghn`.
const APPLICATION_ID: i64 = 0x7767_686e;

/// Scripts that each lead from one format to the next; the first makes an empty store.
///
/// A released script is never changed: a new format is a new script at the end.
const MIGRATIONS: [&str; 18] = [
    include_str!("migrations/0001_tables.sql"),
    include_str!("migrations/0002_summary.sql"),
    include_str!("migrations/0003_open_loop_and_outages.sql"),
    include_str!("migrations/0004_second_opinion.sql"),
    include_str!("migrations/0005_reported.sql"),
    include_str!("migrations/0006_key_value.sql"),
    include_str!("migrations/0007_search.sql"),
    include_str!("migrations/0008_conditions.sql"),
    include_str!("migrations/0009_generators.sql"),
    include_str!("migrations/0010_opinion_rounding.sql"),
    include_str!("migrations/0011_triggered.sql"),
    include_str!("migrations/0012_storage.sql"),
    include_str!("migrations/0013_opinion_parts.sql"),
    include_str!("migrations/0014_volume.sql"),
    include_str!("migrations/0015_bounds.sql"),
    include_str!("migrations/0016_level_unit.sql"),
    include_str!("migrations/0017_fleet_processors.sql"),
    include_str!("migrations/0018_digest.sql"),
];

/// The format that this version writes.
pub(crate) const CURRENT: i64 = MIGRATIONS.len() as i64;

/// The first format whose rows have digests.
pub(crate) const WITH_DIGESTS: i64 = 18;

/// The format of a store, which is from 1 to [`CURRENT`]; refuses other files, damaged ones, and
/// those whose tables are not weighin's.
pub(crate) fn check(connection: &Connection, path: &Path) -> Result<i64, StoreError> {
    let sqlite = |error| StoreError::from_sqlite(path, Access::Read, error);
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let application_id = number("application_id").map_err(sqlite)?;
    if application_id != APPLICATION_ID {
        return Err(StoreError::NotAStore(path.to_path_buf()));
    }
    let found = number("user_version").map_err(sqlite)?;
    if found > CURRENT {
        return Err(StoreError::Newer { path: path.to_path_buf(), found, known: CURRENT });
    }
    let scripts = usize::try_from(found).ok().and_then(|found| MIGRATIONS.get(..found));
    let damaged = |detail| Err(StoreError::Damaged { path: path.to_path_buf(), detail });
    let Some(scripts) = scripts.filter(|scripts| !scripts.is_empty()) else {
        return damaged(format!("there is no format {found}"));
    };
    let health: String =
        connection.pragma_query_value(None, "quick_check", |row| row.get(0)).map_err(sqlite)?;
    if health != "ok" {
        return damaged(health);
    }
    match differs(connection, scripts).map_err(sqlite)? {
        Some(difference) => damaged(difference),
        None => Ok(found),
    }
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

/// The tables as these scripts, which are the first of [`MIGRATIONS`], make them.
fn own(scripts: &[&str]) -> rusqlite::Result<&'static Tables> {
    static OWN: [OnceLock<Tables>; MIGRATIONS.len() + 1] =
        [const { OnceLock::new() }; MIGRATIONS.len() + 1];
    if let Some(known) = OWN[scripts.len()].get() {
        return Ok(known);
    }
    let own = Connection::open_in_memory()?;
    own.pragma_update(None, "foreign_keys", false)?;
    scripts.iter().try_for_each(|script| own.execute_batch(script))?;
    let tables = tables(&own)?;
    Ok(OWN[scripts.len()].get_or_init(|| tables))
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

/// Brings a store, or an empty database, to the current format, and then completes it; all or
/// nothing.
pub(crate) fn migrate(
    connection: &mut Connection,
    complete: impl FnOnce(&Connection) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    // A table that others refer to is made anew on the way. The caller turns this on again.
    connection.pragma_update(None, "foreign_keys", false)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for script in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(script)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", CURRENT)?;
    complete(&transaction)?;
    transaction.commit()
}
