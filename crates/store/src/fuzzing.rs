//! Changes any cell of a store and makes its digests fit again, and any declaration of a table, for tests
//! and the crate `fuzz` alone: whoever knows how the digests are made can do so too.

use crate::digest::Digests;
use crate::expected::{Column, Expected};
use crate::guard::STATEMENTS;
use crate::schema::SCRIPTS;
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
        let tables = tables()?;
        for edit in edits {
            let (table, columns, keys) = &tables[edit.table % tables.len()];
            let _ = change(&connection, table, columns, keys, edit);
        }
        renew_digests(&connection)?;
        connection.execute_batch("COMMIT")
    };
    make().map_err(|error: rusqlite::Error| error.to_string())
}

/// What SQLite keeps of a table, an index, a view or a trigger.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// In which row of SQLite's own table it is put; beyond the last it becomes one more.
    pub row: usize,
    /// `table`, `index`, `view` or `trigger`, or whatever is written there.
    pub kind: String,
    /// Its name; without it and the kind only the text is replaced.
    pub name: Option<String>,
    /// The page where it begins.
    pub root: i64,
    /// What declares it.
    pub sql: Vec<u8>,
}

/// Changes the declarations of a store that nobody has open; nothing is carried out.
///
/// # Errors
/// When it is no store, or cannot be written.
pub fn declare(path: &Path, declarations: &[Declaration]) -> std::result::Result<(), String> {
    let make = || {
        let connection = Connection::open(path)?;
        connection.execute_batch(
            "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; PRAGMA writable_schema = ON; BEGIN",
        )?;
        for Declaration { row, kind, name, root, sql } in declarations {
            let row = *row as i64;
            let changed = match name {
                None => connection.execute(
                    "UPDATE sqlite_schema SET sql = CAST(? AS TEXT) WHERE rowid =
                     (SELECT rowid FROM sqlite_schema LIMIT 1 OFFSET ?)",
                    params![sql, row],
                )?,
                Some(_) => 0,
            };
            if changed == 0 {
                let name = name.as_deref().unwrap_or("more");
                connection.execute(
                    "INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql)
                     VALUES (?, ?, ?, ?, CAST(? AS TEXT))",
                    params![kind, name, name, root, sql],
                )?;
            }
        }
        connection.execute_batch("COMMIT")
    };
    make().map_err(|error: rusqlite::Error| error.to_string())
}

/// The most copies of a trial.
const MOST_TRIALS: u32 = 10_000;

/// Makes so many copies of a row of a store that nobody has open, with other numbers: a table that
/// SQLite does not let have them stays as it is.
///
/// # Errors
/// As [`edit`].
pub fn multiply(
    path: &Path,
    (table, row): (usize, usize),
    copies: u32,
) -> std::result::Result<(), String> {
    let make = || {
        let connection = Connection::open(path)?;
        // Of many trials each has the same queries for its digest.
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        connection.execute_batch(
            "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; PRAGMA foreign_keys = OFF;
             PRAGMA ignore_check_constraints = ON; BEGIN",
        )?;
        let tables = tables()?;
        let (table, columns, keys) = &tables[table % tables.len()];
        // A digest of each takes longer than all that is done with them.
        let copies = if table == "trial" { copies.min(MOST_TRIALS) } else { copies };
        let _ = copy_row(&connection, table, columns, keys, row, copies);
        renew_digests(&connection)?;
        connection.execute_batch("COMMIT")
    };
    make().map_err(|error: rusqlite::Error| error.to_string())
}

fn copy_row(
    connection: &Connection,
    table: &str,
    columns: &[String],
    keys: &str,
    row: usize,
    copies: u32,
) -> Result<usize> {
    let rows: i64 =
        connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?;
    // Tables without a primary key are numbered.
    let last = match keys {
        "rowid" => "number",
        keys => keys.rsplit(", ").next().unwrap_or(keys),
    };
    let same = |column: &String| match column == last {
        true => format!("(SELECT max({last}) FROM {table}) + copy.number"),
        false => format!("one.\"{column}\""),
    };
    let values: Vec<String> = columns.iter().map(same).collect();
    let insert = format!(
        "WITH RECURSIVE copy(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM copy LIMIT ?)
         INSERT INTO {table} SELECT {} FROM (SELECT * FROM {table} LIMIT 1 OFFSET ?) AS one, copy",
        values.join(", ")
    );
    connection.execute(&insert, params![copies, row as i64 % rows.max(1)])
}

/// Makes the digests fit what the tables hold.
///
/// # Errors
/// When it is no store, or cannot be written.
pub fn renew_digests(connection: &Connection) -> Result<()> {
    connection.execute("DELETE FROM digest", [])?;
    Digests::current()?.write_all(connection)
}

/// The name of a table, its columns, and those that its rows are found by.
type Table = (String, Vec<String>, String);

fn tables() -> Result<Vec<Table>> {
    let expected = Expected::of(SCRIPTS)?;
    let tables = expected.tables().iter().filter(|(name, _)| *name != "digest");
    let table = |(name, columns): (&String, &Vec<Column>)| {
        let mut keys: Vec<&Column> = columns.iter().filter(|column| column.key > 0).collect();
        keys.sort_by_key(|column| column.key);
        let keys: Vec<&str> = keys.iter().map(|column| column.name.as_str()).collect();
        let keys = if keys.is_empty() { "rowid".to_owned() } else { keys.join(", ") };
        (name.clone(), columns.iter().map(|column| column.name.clone()).collect(), keys)
    };
    Ok(tables.map(table).collect())
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
