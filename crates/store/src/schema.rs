use crate::StoreError;
use crate::error::Access;
use rusqlite::{Connection, TransactionBehavior};
use std::path::Path;

/// Marks an SQLite file as a store of weighin: the letters `wghn`.
const APPLICATION_ID: i64 = 0x7767_686e;

/// Scripts that each lead from one format to the next; the first makes an empty store.
///
/// A released script is never changed: a new format is a new script at the end.
const MIGRATIONS: [&str; 17] = [
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
];

/// The format that this version writes.
pub(crate) const CURRENT: i64 = MIGRATIONS.len() as i64;

/// The format of a store, which is from 1 to [`CURRENT`]; refuses other files and damaged ones.
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
    let health: String =
        connection.pragma_query_value(None, "quick_check", |row| row.get(0)).map_err(sqlite)?;
    if health != "ok" || found < 1 {
        return Err(StoreError::Damaged { path: path.to_path_buf(), detail: health });
    }
    Ok(found)
}

/// Brings a store, or an empty database, to the current format; all or nothing.
pub(crate) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    // A table that others refer to is made anew on the way. The caller turns this on again.
    connection.pragma_update(None, "foreign_keys", false)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for script in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(script)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", CURRENT)?;
    transaction.commit()
}
