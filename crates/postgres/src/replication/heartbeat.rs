//! The row by which weighin sees how far replicas are behind.

use crate::client::Connection;
use crate::tables::{OwnTable, make, named};
use model::{Failure, FailureKind};
use sql::tables::mark;

/// The table. Loads do not count what is done to it: each transaction of weighin's beside them changes its
/// row once, where it is one.
pub(crate) const TABLE: &str = "weighin_heartbeat";
const OWN: OwnTable = OwnTable {
    name: TABLE,
    columns: "id smallint NOT NULL PRIMARY KEY, beat bigint NOT NULL",
    purpose: "heartbeats of replication",
};

/// Changes the row twice and leaves it as it is: for this transaction and for the question after it.
pub(super) const STAY: &str = "UPDATE weighin_heartbeat SET beat = beat WHERE id = 1; \
                               UPDATE weighin_heartbeat SET beat = beat WHERE id = 1";

/// Makes the table and its row where they are missing.
pub(super) fn prepare(connection: &mut Connection) -> Result<(), Failure> {
    if let Some(found) = named(connection, TABLE)? {
        if mark::is_ours(&found.comment) {
            return Ok(());
        }
        return Err(Failure::new(
            FailureKind::ForeignTables,
            format!("weighin did not make the table {TABLE} of this database"),
            "use a database of its own for weighin (CREATE DATABASE)",
        ));
    }
    make(connection, &OWN, &format!("INSERT INTO {TABLE} VALUES (1, 0)"))
}

pub(super) fn write(number: u64) -> String {
    format!("UPDATE {TABLE} SET beat = {number} WHERE id = 1")
}

pub(super) fn read() -> String {
    format!("SELECT beat FROM {TABLE} WHERE id = 1")
}
