//! Tables of weighin's own that no load runs on.

use super::{inspect, mark};
use crate::client::Connection;
use model::Failure;
use sql::tables::{TableInfo, refuse_beside};

/// Such a table.
pub(crate) struct OwnTable {
    pub(crate) name: &'static str,
    /// As SQL.
    pub(crate) columns: &'static str,
    /// What it is for: its comment says so.
    pub(crate) purpose: &'static str,
}

/// Whether such a table may be made; changes nothing.
///
/// # Errors
/// `ForeignTables` where the database holds tables of others.
pub(crate) fn check_room(
    control: &mut Connection,
    database: &str,
    own: &OwnTable,
) -> Result<(), Failure> {
    let present = inspect::tables(control)?;
    refuse_beside(&present, database, &format!("the table {}", own.name))
}

/// Makes such a table anew.
///
/// # Errors
/// `ForeignTables` where the database holds tables of others, and whatever the server says.
pub(crate) fn make_own(
    control: &mut Connection,
    database: &str,
    own: &OwnTable,
) -> Result<(), Failure> {
    let OwnTable { name: table, columns, purpose } = own;
    let present = inspect::tables(control)?;
    refuse_beside(&present, database, &format!("the table {table}"))?;
    if is_there(&present, table) {
        run(control, &format!("DROP TABLE {table}"))?;
    }
    run(control, &definition(table, columns, purpose))
}

/// What makes a table by which it is tried what an account may do.
pub(crate) fn trial_table(name: &str) -> String {
    definition(name, "id INT NOT NULL PRIMARY KEY, k INT NOT NULL", "a trial of rights")
}

fn definition(table: &str, columns: &str, purpose: &str) -> String {
    let comment = mark::of_purpose(purpose);
    format!("CREATE TABLE {table} ({columns}) ENGINE=InnoDB COMMENT='{comment}'")
}

/// Drops it, where it is weighin's.
///
/// # Errors
/// Whatever the server says.
pub(crate) fn drop_own(control: &mut Connection, table: &str) -> Result<(), Failure> {
    match is_there(&inspect::tables(control)?, table) {
        true => run(control, &format!("DROP TABLE {table}")),
        false => Ok(()),
    }
}

/// Whether a table of that name is there that is weighin's.
fn is_there(present: &[TableInfo], table: &str) -> bool {
    present.iter().any(|found| found.name == table && mark::is_ours(&found.comment))
}

fn run(control: &mut Connection, sql: &str) -> Result<(), Failure> {
    control.execute(sql).map(drop).map_err(|e| e.failure(&format!("cannot run «{sql}»")))
}
