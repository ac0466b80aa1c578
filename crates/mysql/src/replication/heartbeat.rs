//! The row by which weighin sees how far replicas are behind.

use crate::client::Connection;
use model::Failure;
use sql::tables::OwnTable;

/// The table of a group with that row.
pub(crate) const HEARTBEAT: OwnTable = OwnTable {
    name: "weighin_heartbeat",
    columns: "id TINYINT UNSIGNED NOT NULL PRIMARY KEY, beat BIGINT UNSIGNED NOT NULL",
    purpose: "heartbeat",
};

/// Makes the table and its row where they are missing.
pub(super) fn prepare(connection: &mut Connection) -> Result<(), Failure> {
    HEARTBEAT.make_where_missing(connection, &write(0))
}

/// Counts as no statement of a load: that is why it is a `REPLACE`.
pub(super) fn write(number: u64) -> String {
    format!("REPLACE INTO {} VALUES (1, {number})", HEARTBEAT.name)
}

pub(super) fn read() -> String {
    format!("SELECT beat FROM {} WHERE id = 1", HEARTBEAT.name)
}
