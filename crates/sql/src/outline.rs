//! What a database holds and what is asked of it, for the draft of a workload. Only reads, and each
//! query for a short time.

use crate::{Control, ControlError};
use model::{Failure, Outline, OutlineColumn, OutlineStatement, OutlineTable, SqlSyntax};
use std::collections::BTreeMap;
use std::marker::PhantomData;
use system::{Login, Outliner, ServerKind};
use workload::draft::StatementLog;

/// Most that is looked at.
const TABLES: usize = 1_000;
const COLUMNS: usize = 20_000;
const RANGES: usize = 500;
const STATEMENTS: usize = 60;

/// What is known of columns, by table and name.
type ByColumn<T> = BTreeMap<(String, String), T>;

/// What one kind of server is asked. Its answers are texts.
pub trait OutlineKind: ServerKind<Connection: Control> {
    /// A query of tables of the database: their names, and about how many rows each has.
    const TABLES: &'static str;
    /// Of their columns, in their order: table, name, and 1 where it holds whole numbers.
    const COLUMNS: &'static str;
    /// Of columns with which an index begins that knows its least and largest value: table, name, and 1
    /// where no two rows have the same value.
    const INDEXES: &'static str;
    /// Of columns of whole numbers whose range statistics tell about: table, name, least and largest value.
    const RANGES: Option<&'static str>;
    /// How statements are prepared that write, where a session that only reads does not.
    const BEFORE_PREPARING: Option<&'static str>;
    /// What forgets what [`Self::preparing`] has prepared.
    const FORGETTING: &'static str;

    /// Opens a connection that only reads, and on which the server ends what takes longer than a few
    /// seconds.
    ///
    /// # Errors
    /// When the server cannot be reached or refuses.
    fn reach(login: &Login) -> Result<Self::Connection, Failure>;

    /// The statements that took the most time, so many at most; notes why there are none.
    ///
    /// # Errors
    /// When it does not answer.
    fn statements(
        server: &mut Outlined<Self>,
        most: usize,
        notes: &mut Vec<String>,
    ) -> Result<Vec<OutlineStatement>, Failure>;

    /// What prepares a statement, which is parsed and whose columns are found, and does not run it.
    fn preparing(marked: &str) -> String;

    fn log() -> Box<dyn StatementLog>;
}

/// A server that is asked.
pub struct Outlined<K: OutlineKind> {
    control: K::Connection,
    kind: PhantomData<K>,
}

impl<K: OutlineKind> Outlined<K> {
    /// # Errors
    /// As [`OutlineKind::reach`].
    pub fn reach(login: &Login) -> Result<Self, Failure> {
        Ok(Self { control: K::reach(login)?, kind: PhantomData })
    }

    /// The rows of a query, with an empty text for NULL.
    ///
    /// # Errors
    /// When the server refuses.
    pub fn rows(&mut self, sql: &str) -> Result<Vec<Vec<String>>, Failure> {
        self.try_rows(sql).map_err(|error| error.failure("it cannot be asked"))
    }

    /// The same with what the server has against it.
    ///
    /// # Errors
    /// When the server refuses.
    pub fn try_rows(
        &mut self,
        sql: &str,
    ) -> Result<Vec<Vec<String>>, <K::Connection as Control>::Error> {
        let text = |field: Option<Vec<u8>>| {
            field.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
        };
        let rows = self.control.rows(sql)?;
        Ok(rows.into_iter().map(|row| row.into_iter().map(text).collect()).collect())
    }

    fn tables(&mut self, notes: &mut Vec<String>) -> Result<Vec<OutlineTable>, Failure> {
        let mut found = self.rows(&format!("{} LIMIT {}", K::TABLES, TABLES + 1))?;
        if found.len() > TABLES {
            found.truncate(TABLES);
            notes.push(format!(
                "there are more than {TABLES} tables, and only these were looked at"
            ));
        }
        let mut tables: Vec<OutlineTable> = Vec::new();
        for row in found {
            let [name, rows] = row.as_slice() else { continue };
            let rows = rows.parse().unwrap_or(0);
            tables.push(OutlineTable { name: name.clone(), rows, columns: Vec::new() });
        }
        for table in tables.iter_mut().filter(|table| table.rows == 0) {
            // Statistics may be older than the rows. A table that this account may not read has none for it.
            let name = K::Connection::quoted(&table.name);
            let is_there = self.try_rows(&format!("SELECT 1 FROM {name} LIMIT 1"));
            table.rows = is_there.map_or(0, |rows| rows.len() as u64);
        }
        self.columns(&mut tables, notes)?;
        Ok(tables)
    }

    fn columns(
        &mut self,
        tables: &mut [OutlineTable],
        notes: &mut Vec<String>,
    ) -> Result<(), Failure> {
        let indexes = self.indexes()?;
        let known = self.known_ranges()?;
        let columns = self.rows(&format!("{} LIMIT {COLUMNS}", K::COLUMNS))?;
        if columns.len() == COLUMNS {
            notes.push(format!("only the first {COLUMNS} columns were looked at"));
        }
        let mut ranges = 0;
        for row in columns {
            let [table, name, is_integer] = row.as_slice() else { continue };
            let Some(table) = tables.iter_mut().find(|one| one.name == *table) else { continue };
            let place = (table.name.clone(), name.clone());
            let index = indexes.get(&place);
            let mut column = OutlineColumn {
                name: name.clone(),
                is_integer: is_integer == "1",
                is_unique: index == Some(&true),
                range: known.get(&place).copied(),
            };
            if column.is_integer && index.is_some() && ranges < RANGES {
                ranges += 1;
                column.range = self.range(&table.name, name).or(column.range);
            }
            table.columns.push(column);
        }
        if ranges == RANGES {
            notes.push(format!("ranges of only {RANGES} columns were looked at"));
        }
        Ok(())
    }

    /// Columns with which an index begins, and whether they are unique alone.
    fn indexes(&mut self) -> Result<ByColumn<bool>, Failure> {
        let mut found = ByColumn::<bool>::new();
        for row in self.rows(&format!("{} LIMIT {COLUMNS}", K::INDEXES))? {
            let [table, column, is_unique] = row.as_slice() else { continue };
            *found.entry((table.clone(), column.clone())).or_default() |= is_unique == "1";
        }
        Ok(found)
    }

    /// Ranges that statistics tell about.
    fn known_ranges(&mut self) -> Result<ByColumn<(i64, i64)>, Failure> {
        let Some(sql) = K::RANGES else { return Ok(ByColumn::new()) };
        let rows = self.rows(&format!("{sql} LIMIT {COLUMNS}"))?.into_iter();
        let range = |row: Vec<String>| {
            let [table, column, low, high] = <[String; 4]>::try_from(row).ok()?;
            Some(((table, column), (low.parse().ok()?, high.parse().ok()?)))
        };
        Ok(rows.filter_map(range).collect())
    }

    /// Least and largest value, which an index tells at once.
    fn range(&mut self, table: &str, column: &str) -> Option<(i64, i64)> {
        let (table, column) = (K::Connection::quoted(table), K::Connection::quoted(column));
        let sql = format!("SELECT MIN({column}), MAX({column}) FROM {table}");
        let rows = self.try_rows(&sql).ok()?;
        let [low, high] = rows.first()?.as_slice() else { return None };
        Some((low.parse().ok()?, high.parse().ok()?))
    }
}

impl<K: OutlineKind> Outliner for Outlined<K> {
    fn outline(&mut self, with_statements: bool) -> Result<Outline, Failure> {
        let mut notes = Vec::new();
        // Its own questions are not among them yet.
        let statements = match with_statements {
            true => K::statements(self, STATEMENTS, &mut notes)?,
            false => Vec::new(),
        };
        let tables = self.tables(&mut notes)?;
        // Statements that write are prepared from now on, and never run.
        if let Some(sql) = K::BEFORE_PREPARING {
            self.control.execute(sql).map_err(|error| error.failure("it cannot be asked"))?;
        }
        Ok(Outline { tables, statements, notes })
    }

    fn refuses(&mut self, marked: &str) -> Result<Option<String>, Failure> {
        match self.control.execute(&K::preparing(marked)) {
            Ok(_) => {
                let _ = self.control.execute(K::FORGETTING);
                Ok(None)
            }
            Err(error) if error.is_answer() => Ok(Some(error.to_string())),
            Err(error) => Err(error.failure("it cannot be asked")),
        }
    }

    fn syntax(&self) -> SqlSyntax {
        K::SYSTEM.facts().sql.copied().unwrap_or(SqlSyntax::STANDARD)
    }

    fn log(&self) -> Box<dyn StatementLog> {
        K::log()
    }
}
