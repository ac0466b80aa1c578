//! The row by which weighin sees how far replicas are behind.

use super::super::tables;
use crate::client::Connection;
use model::{Failure, FailureKind};

/// Makes the table and its row where they are missing.
pub(super) fn prepare(connection: &mut Connection) -> Result<(), Failure> {
    match tables::heartbeat(connection)? {
        Some(true) => return Ok(()),
        Some(false) => {
            return Err(Failure::new(
                FailureKind::ForeignTables,
                format!("weighin did not make the table {} of this database", tables::HEARTBEAT),
                "use a database of its own for weighin (CREATE DATABASE)",
            ));
        }
        None => {}
    }
    let name = tables::HEARTBEAT;
    let comment = tables::HEARTBEAT_COMMENT;
    for sql in [
        format!(
            "CREATE TABLE {name} (id TINYINT UNSIGNED NOT NULL PRIMARY KEY, \
             beat BIGINT UNSIGNED NOT NULL) ENGINE = InnoDB COMMENT = '{comment}'"
        ),
        write(0),
    ] {
        connection.execute_long(&sql).map_err(|error| error.failure("cannot make heartbeats"))?;
    }
    Ok(())
}

/// Counts as no statement of a load: that is why it is a `REPLACE`.
pub(super) fn write(number: u64) -> String {
    format!("REPLACE INTO {} VALUES (1, {number})", tables::HEARTBEAT)
}

pub(super) fn read() -> String {
    format!("SELECT beat FROM {} WHERE id = 1", tables::HEARTBEAT)
}
