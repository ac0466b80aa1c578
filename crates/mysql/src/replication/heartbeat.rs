//! The row by which weighin sees how far replicas are behind.

use crate::client::Connection;
use model::{Failure, FailureKind};
use sql::tables::OwnTable;

/// The table of a group with that row.
pub(crate) const HEARTBEAT: OwnTable = OwnTable {
    name: "weighin_heartbeat",
    columns: "id TINYINT UNSIGNED NOT NULL PRIMARY KEY, beat BIGINT UNSIGNED NOT NULL",
    purpose: "heartbeat",
};

/// Makes the table and its row where they are missing.
pub(super) fn prepare(connection: &mut Connection) -> Result<(), Failure> {
    match HEARTBEAT.is_ours(connection)? {
        Some(true) => return Ok(()),
        Some(false) => {
            return Err(Failure::new(
                FailureKind::ForeignTables,
                format!("weighin did not make the table {} of this database", HEARTBEAT.name),
                "use a database of its own for weighin (CREATE DATABASE)",
            ));
        }
        None => {}
    }
    for sql in [HEARTBEAT.definition::<Connection>(), write(0)] {
        connection.execute_long(&sql).map_err(|error| error.failure("cannot make heartbeats"))?;
    }
    Ok(())
}

/// Counts as no statement of a load: that is why it is a `REPLACE`.
pub(super) fn write(number: u64) -> String {
    format!("REPLACE INTO {} VALUES (1, {number})", HEARTBEAT.name)
}

pub(super) fn read() -> String {
    format!("SELECT beat FROM {} WHERE id = 1", HEARTBEAT.name)
}
