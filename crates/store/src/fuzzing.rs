//! Changes any cell of a store and makes its digests fit again, for tests and the crate `fuzz`
//! alone: whoever knows how the digests are made can do so too.

use crate::digest::Digests;
use rusqlite::types::Value;
use rusqlite::{Connection, Result, params, params_from_iter};
use std::path::Path;

/// One change. Numbers beyond what there is start again from the first.
#[derive(Clone, Debug)]
pub struct Edit {
    /// Which table, in the order of their names.
    pub table: usize,
    /// Which row.
    pub row: usize,
    /// Which column.
    pub column: usize,
    /// What the cell becomes; without it the row is deleted.
    pub cell: Option<Cell>,
}

/// A value that a cell can have.
#[derive(Clone, Debug)]
pub enum Cell {
    /// None.
    Null,
    /// A whole number.
    Integer(i64),
    /// Another number.
    Real(f64),
    /// Text; it need not be valid.
    Text(Vec<u8>),
    /// Bytes.
    Blob(Vec<u8>),
}

/// Makes changes to a store that nobody has open; those that SQLite refuses are left out.
///
/// # Errors
/// When it is no store, or the digests cannot be written.
pub fn edit(path: &Path, edits: &[Edit]) -> std::result::Result<(), String> {
    let make = || {
        let connection = Connection::open(path)?;
        connection.execute_batch(
            "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; PRAGMA foreign_keys = OFF;
             PRAGMA ignore_check_constraints = ON; BEGIN",
        )?;
        let tables = tables(&connection)?;
        for edit in edits {
            let (table, columns, keys) = &tables[edit.table % tables.len()];
            let _ = change(&connection, table, columns, keys, edit);
        }
        renew_digests(&connection)?;
        connection.execute_batch("COMMIT")
    };
    make().map_err(|error: rusqlite::Error| error.to_string())
}

/// Makes the digests fit what the tables hold.
///
/// # Errors
/// When it is no store, or cannot be written.
pub fn renew_digests(connection: &Connection) -> Result<()> {
    connection.execute("DELETE FROM digest", [])?;
    Digests::of(connection)?.write_all(connection)
}

/// The name of a table, its columns, and those that its rows are found by.
type Table = (String, Vec<String>, String);

fn tables(connection: &Connection) -> Result<Vec<Table>> {
    let mut names = connection.prepare(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
         AND name NOT LIKE 'sqlite_%' AND name <> 'digest' ORDER BY name",
    )?;
    let names: Vec<String> = names.query_map([], |row| row.get(0))?.collect::<Result<_>>()?;
    names
        .into_iter()
        .map(|name| {
            let list = |query: &str| -> Result<Vec<String>> {
                connection.prepare(query)?.query_map([&name], |row| row.get(0))?.collect()
            };
            let columns = list("SELECT name FROM pragma_table_info(?) ORDER BY cid")?;
            let keys =
                list("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk")?.join(", ");
            Ok((name, columns, if keys.is_empty() { "rowid".to_owned() } else { keys }))
        })
        .collect()
}

fn change(
    connection: &Connection,
    table: &str,
    columns: &[String],
    keys: &str,
    edit: &Edit,
) -> Result<usize> {
    let count = format!("SELECT count(*) FROM {table}");
    let rows: i64 = connection.query_row(&count, [], |row| row.get(0))?;
    let row = edit.row as i64 % rows.max(1);
    let the_row = format!("WHERE ({keys}) = (SELECT {keys} FROM {table} LIMIT 1 OFFSET ?)");
    let Some(cell) = &edit.cell else {
        return connection.execute(&format!("DELETE FROM {table} {the_row}"), [row]);
    };
    let column = &columns[edit.column % columns.len().max(1)];
    let update = format!("UPDATE {table} SET \"{column}\" = ? {the_row}");
    match cell {
        // Bound as text, bytes that are no UTF-8 would be refused here and not when they are read.
        Cell::Text(text) => {
            let update = update.replacen("= ?", "= CAST(? AS TEXT)", 1);
            connection.execute(&update, params![text, row])
        }
        Cell::Null => connection.execute(&update, params_from_iter([Value::Null, row.into()])),
        Cell::Integer(value) => connection.execute(&update, params![value, row]),
        Cell::Real(value) => connection.execute(&update, params![value, row]),
        Cell::Blob(bytes) => connection.execute(&update, params![bytes, row]),
    }
}
