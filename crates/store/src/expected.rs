//! The tables, indexes and views that weighin makes, and whether those of a file are the same.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result, Row};
use std::collections::{BTreeMap, BTreeSet};

/// How SQLite compares text by itself.
const COLLATIONS: [&str; 3] = ["BINARY", "NOCASE", "RTRIM"];

/// What SQLite keeps of a table, an index or a view.
#[derive(PartialEq, Eq)]
struct Declaration {
    table: String,
    /// `None` of an index that belongs to a key.
    sql: Option<String>,
}

/// The schema as scripts make it.
pub(crate) struct Expected {
    /// By kind and name.
    declarations: BTreeMap<(String, String), Declaration>,
    tables: BTreeSet<String>,
}

impl Expected {
    /// What these scripts make of an empty database.
    pub fn from_scripts(scripts: &[&str]) -> Result<Self> {
        let own = Connection::open_in_memory()?;
        own.pragma_update(None, "foreign_keys", false)?;
        scripts.iter().try_for_each(|script| own.execute_batch(script))?;
        let entries = entries(&own)?.into_iter();
        let declarations: BTreeMap<_, _> =
            entries.map(|entry| ((entry.kind, entry.name), entry.declaration)).collect();
        let tables = declarations.keys().filter(|(kind, _)| kind == "table");
        let tables = tables.map(|(_, name)| name.clone()).collect();
        Ok(Self { declarations, tables })
    }

    /// The names of the tables.
    pub fn tables(&self) -> &BTreeSet<String> {
        &self.tables
    }

    /// How the schema of a file differs. What else is there, of a user's own, does no harm where weighin
    /// neither reads nor changes it.
    pub fn difference(&self, connection: &Connection) -> Result<Option<String>> {
        let names: BTreeSet<String> =
            self.declarations.keys().map(|(_, name)| name.to_ascii_lowercase()).collect();
        let mut found = BTreeSet::new();
        for Entry { kind, name, declaration } in entries(connection)? {
            let key = (kind, name);
            let (kind, name) = (&key.0, &key.1);
            let table = declaration.table.to_ascii_lowercase();
            let problem = match self.declarations.get(&key) {
                Some(expected) if *expected != declaration => {
                    Some(format!("the {kind} {name} is not as weighin makes it"))
                }
                Some(_) if found.contains(&key) => {
                    Some(format!("the {kind} {name} is there twice"))
                }
                Some(_) => None,
                None if names.contains(&name.to_ascii_lowercase()) => {
                    Some(format!("the {kind} {name} has a name of one of weighin's tables"))
                }
                None if kind == "trigger" && names.contains(&table) => Some(format!(
                    "it has a trigger, {name}, on weighin's table {}, which could change what weighin \
                     writes",
                    declaration.table
                )),
                None => None,
            };
            if problem.is_some() {
                return Ok(problem);
            }
            found.insert(key);
        }
        let mut expected = self.declarations.keys();
        if let Some((kind, name)) = expected.find(|key| !found.contains(*key)) {
            return Ok(Some(format!("the {kind} {name} is missing")));
        }
        for table in &self.tables {
            if let Some(index) = self.harmful_index(connection, table)? {
                return Ok(Some(format!(
                    "it has an index, {index}, on weighin's table {table}, which could keep weighin from \
                     writing: only such of columns alone do no harm, without UNIQUE and WHERE"
                )));
            }
        }
        Ok(None)
    }

    /// An index that somebody has added to a table, and that could refuse a row or be asked for a value.
    fn harmful_index(&self, connection: &Connection, table: &str) -> Result<Option<String>> {
        let mut indexes = connection.prepare_cached(
            "SELECT name, \"unique\" OR partial FROM pragma_index_list(?) WHERE origin = 'c'",
        )?;
        let mut rows = indexes.query([table])?;
        while let Some(row) = rows.next()? {
            let (name, mut is_harmful) = (text(row, 0)?, row.get::<_, bool>(1)?);
            if self.declarations.contains_key(&("index".to_owned(), name.clone())) {
                continue;
            }
            let mut columns =
                connection.prepare_cached("SELECT cid, coll FROM pragma_index_xinfo(?)")?;
            let mut rows = columns.query([&name])?;
            while let Some(row) = rows.next()? {
                // An expression has the number -2.
                is_harmful |= row.get::<_, i64>(0)? < -1 || !COLLATIONS.contains(&&*text(row, 1)?);
            }
            if is_harmful {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }
}

/// A row of SQLite's own table of tables.
struct Entry {
    kind: String,
    name: String,
    declaration: Declaration,
}

fn entries(connection: &Connection) -> Result<Vec<Entry>> {
    let mut statement =
        connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema")?;
    let entries = statement.query_map([], |row| {
        let sql = match row.get_ref(3)? {
            ValueRef::Null => None,
            _ => Some(text(row, 3)?),
        };
        let (kind, name, table) = (text(row, 0)?, text(row, 1)?, text(row, 2)?);
        Ok(Entry { kind, name, declaration: Declaration { table, sql } })
    })?;
    entries.collect()
}

/// A text, of whatever bytes; of a value of another type none.
fn text(row: &Row<'_>, column: usize) -> Result<String> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            String::from_utf8_lossy(bytes).into_owned()
        }
        _ => String::new(),
    })
}

/// A name as it stands in a statement, whatever is in it.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
