//! Tables of weighin's own that no load runs on.

use super::inspect;
use crate::client::Connection;
use model::Failure;
use sql::tables::{TableInfo, mark, refuse_beside};

/// Such a table.
pub(crate) struct OwnTable {
    pub(crate) name: &'static str,
    /// As SQL.
    pub(crate) columns: &'static str,
    /// What it is for: its comment says so.
    pub(crate) purpose: &'static str,
}

/// What is there of that name.
pub(crate) fn named(control: &mut Connection, table: &str) -> Result<Option<TableInfo>, Failure> {
    Ok(inspect::tables(control)?.into_iter().find(|found| found.name == table))
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
    check_room(control, database, own)?;
    drop_own(control, own.name)?;
    make(control, own, "")
}

/// Makes such a table, with its rows: all of it or none.
pub(crate) fn make(control: &mut Connection, own: &OwnTable, rows: &str) -> Result<(), Failure> {
    let OwnTable { name, columns, purpose } = own;
    let comment = mark::of_purpose(purpose);
    let sql =
        format!("CREATE TABLE {name} ({columns}); COMMENT ON TABLE {name} IS '{comment}'; {rows}");
    run(control, &sql, &format!("cannot make the table {name}"))
}

/// Drops it, where it is weighin's.
///
/// # Errors
/// Whatever the server says.
pub(crate) fn drop_own(control: &mut Connection, table: &str) -> Result<(), Failure> {
    match named(control, table)? {
        Some(found) if mark::is_ours(&found.comment) => {
            run(control, &format!("DROP TABLE {table}"), &format!("cannot drop the table {table}"))
        }
        _ => Ok(()),
    }
}

fn run(control: &mut Connection, sql: &str, doing: &str) -> Result<(), Failure> {
    control.execute_long(sql).map(drop).map_err(|error| error.failure(doing))
}
