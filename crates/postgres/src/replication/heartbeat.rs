//! The row by which weighin sees how far replicas are behind.

use crate::client::Connection;
use model::Failure;
use sql::tables::OwnTable;

/// The table of a group with that row. What is done to it counts as no work of a load: each transaction of
/// weighin's beside one writes the row once, where it is one.
pub(crate) const HEARTBEAT: OwnTable = OwnTable {
    name: "weighin_heartbeat",
    columns: "id smallint NOT NULL PRIMARY KEY, beat bigint NOT NULL",
    purpose: "heartbeat",
};

/// Writes the row twice and leaves it as it is: for this transaction and for the question after it.
pub(super) fn stay() -> String {
    let once = format!("UPDATE {} SET beat = beat WHERE id = 1", HEARTBEAT.name);
    format!("{once}; {once}")
}

/// Makes the table and its row where they are missing.
pub(super) fn prepare(connection: &mut Connection) -> Result<(), Failure> {
    HEARTBEAT.make_where_missing(connection, &write(0))
}

pub(super) fn write(number: u64) -> String {
    format!(
        "INSERT INTO {} VALUES (1, {number}) ON CONFLICT (id) DO UPDATE SET beat = excluded.beat",
        HEARTBEAT.name
    )
}

pub(super) fn read() -> String {
    format!("SELECT beat FROM {} WHERE id = 1", HEARTBEAT.name)
}
