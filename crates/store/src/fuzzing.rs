//! Changes any cell of a store, any value of its documents, and any declaration of a table, and makes its
//! digests fit again, for tests and the crate `fuzz` alone: whoever knows how the digests are made can do
//! so too.

use crate::digest;
use crate::expected::Expected;
use crate::recording::{Compressed, compress, inflate};
use crate::schema::SCRIPTS;
use crate::value::unfit;
use model::ReadBudget;
use rusqlite::types::Value;
use rusqlite::{Connection, Result, params, params_from_iter};
use serde_json::Value as Json;
use std::path::Path;

/// Columns that hold documents, each with its table.
pub const DOCUMENTS: [(&str, &str); 4] = [
    ("trial", "document"),
    ("trial", "recording"),
    ("target", "document"),
    ("instance", "document"),
];

/// One change. Numbers beyond what there is start again from the first.
#[derive(Clone, Debug)]
pub struct Edit {
    /// Which table, in the order of their names; after them come the [`DOCUMENTS`].
    pub table: usize,
    /// Which row.
    pub row: usize,
    /// Which column, or which value of a document.
    pub column: usize,
    /// What the cell becomes; without it the row is deleted, or what is in a value.
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
            let place = edit.table % (tables.len() + DOCUMENTS.len());
            let _ = match tables.get(place) {
                Some((table, columns, keys)) => change(&connection, table, columns, keys, edit),
                None => change_document(&connection, place - tables.len(), edit.row, |json| {
                    // Their values are more than a byte tells apart.
                    let mut left = edit.column * 37 % (1 + count(json));
                    if let Some(value) = nth(json, &mut left, &|_| true) {
                        *value = changed(value, edit.cell.as_ref());
                    }
                }),
            };
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
/// The most that copies in a document may take, in bytes.
const MOST_BYTES: usize = 16 << 20;

/// Makes so many copies of a row of a store that nobody has open, with other numbers: a table that
/// SQLite does not let have them stays as it is. After the tables come the [`DOCUMENTS`], of which the
/// list of that number in the first gets so many copies of its first element.
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
        connection.execute_batch(
            "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; PRAGMA foreign_keys = OFF;
             PRAGMA ignore_check_constraints = ON; BEGIN",
        )?;
        let tables = tables()?;
        let place = table % (tables.len() + DOCUMENTS.len());
        let _ = match tables.get(place) {
            Some((table, columns, keys)) => {
                // A digest of each takes longer than all that is done with them.
                let copies = if table == "trial" { copies.min(MOST_TRIALS) } else { copies };
                copy_row(&connection, table, columns, keys, row, copies)
            }
            None => change_document(&connection, place - tables.len(), 0, |json| {
                let mut left = row;
                let lists = |value: &Json| value.as_array().is_some_and(|list| !list.is_empty());
                if let Some(Json::Array(list)) = nth(json, &mut left, &lists) {
                    let one = list[0].clone();
                    let most = MOST_BYTES / one.to_string().len().max(1);
                    list.extend(std::iter::repeat_n(one, most.min(copies as usize)));
                }
            }),
        };
        renew_digests(&connection)?;
        connection.execute_batch("COMMIT")
    };
    make().map_err(|error: rusqlite::Error| error.to_string())
}

/// Changes a document in that row of its table.
fn change_document(
    connection: &Connection,
    place: usize,
    row: usize,
    work: impl FnOnce(&mut Json),
) -> Result<usize> {
    let (table, column) = DOCUMENTS[place];
    let those = format!("FROM {table} WHERE {column} IS NOT NULL");
    let rows: usize =
        connection.query_row(&format!("SELECT count(*) {those}"), [], |row| row.get(0))?;
    let size = if column == "recording" { "recording_bytes" } else { "NULL" };
    let (id, text, length): (i64, Value, Option<u64>) = connection.query_row(
        &format!("SELECT rowid, {column}, {size} {those} LIMIT 1 OFFSET ?"),
        [row % rows.max(1)],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    let text = match (text, length) {
        (Value::Text(text), None) => text.into_bytes(),
        (Value::Blob(bytes), Some(length)) => inflate(&bytes, length, &ReadBudget::default())?,
        _ => return Ok(0),
    };
    let mut json: Json = serde_json::from_slice(&text).map_err(unfit)?;
    work(&mut json);
    let text = json.to_string();
    if length.is_none() {
        let update = format!("UPDATE {table} SET {column} = ? WHERE rowid = ?");
        return connection.execute(&update, params![text, id]);
    }
    let Compressed { bytes, length } = compress(text.as_bytes())?;
    connection.execute(
        "UPDATE trial SET recording = ?, recording_bytes = ? WHERE rowid = ?",
        params![bytes, length, id],
    )
}

/// How many values are in a document.
fn count(json: &Json) -> usize {
    match json {
        Json::Array(list) => list.iter().map(|value| 1 + count(value)).sum(),
        Json::Object(object) => object.values().map(|value| 1 + count(value)).sum(),
        _ => 0,
    }
}

/// The value of that number among those that are wanted, itself included, an outer one first.
fn nth<'v>(
    json: &'v mut Json,
    left: &mut usize,
    is_wanted: &dyn Fn(&Json) -> bool,
) -> Option<&'v mut Json> {
    if is_wanted(json) {
        if *left == 0 {
            return Some(json);
        }
        *left -= 1;
    }
    match json {
        Json::Array(list) => list.iter_mut().find_map(|value| nth(value, left, is_wanted)),
        Json::Object(object) => object.values_mut().find_map(|value| nth(value, left, is_wanted)),
        _ => None,
    }
}

/// What a value becomes.
fn changed(value: &Json, cell: Option<&Cell>) -> Json {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match (cell, value) {
        (None, Json::Array(list)) => list.iter().skip(1).cloned().collect(),
        (None, Json::Object(object)) => Json::Object(object.clone().into_iter().skip(1).collect()),
        (None | Some(Cell::Null), _) => Json::Null,
        (Some(Cell::Integer(value)), _) => (*value).into(),
        (Some(Cell::Real(value)), _) => (*value).into(),
        (Some(Cell::Blob(bytes)), _) => text(bytes).into(),
        // Where it is JSON itself, as that.
        (Some(Cell::Text(bytes)), _) => {
            serde_json::from_slice(bytes).unwrap_or_else(|_| text(bytes).into())
        }
    }
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
    digest::write_all(connection)
}

/// The name of a table, its columns, and those that its rows are found by.
type Table = (String, Vec<String>, String);

fn tables() -> Result<Vec<Table>> {
    let own = Connection::open_in_memory()?;
    SCRIPTS.iter().try_for_each(|script| own.execute_batch(script))?;
    let expected = Expected::from_scripts(SCRIPTS)?;
    let mut tables = Vec::new();
    for name in expected.tables().iter().filter(|name| *name != "digest") {
        let mut statement =
            own.prepare("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid")?;
        let columns = statement.query_map([name], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let columns = columns.collect::<Result<Vec<(String, u32)>>>()?;
        let key = columns.iter().find(|(_, key)| *key == 1);
        let key = key.map_or_else(|| "rowid".to_owned(), |(name, _)| name.clone());
        tables.push((name.clone(), columns.into_iter().map(|(name, _)| name).collect(), key));
    }
    Ok(tables)
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
