//! What a database holds and what is asked of it, for the draft of a workload. Only reads, and each
//! query for a short time.

use crate::client::Connection;
use crate::connect;
use model::{Failure, Outline, OutlineColumn, OutlineStatement, OutlineTable};
use std::collections::BTreeMap;
use std::time::Duration;
use system::{Login, Outliner};

/// How long a query may take, in seconds.
const SECONDS: u32 = 5;
/// Most that is looked at.
const TABLES: usize = 1_000;
const COLUMNS: usize = 20_000;
const RANGES: usize = 500;
const STATEMENTS: usize = 60;

/// A server that is asked.
pub(crate) struct Outlined(Connection);

impl Outlined {
    pub(crate) fn reach(login: &Login) -> Result<Self, Failure> {
        let mut connection = connect(login)?;
        // The server ends what takes longer, and the connection waits little longer than that.
        connection.set_answer_limit(Duration::from_secs(2 * u64::from(SECONDS)));
        let bounds = [
            format!("SET SESSION max_statement_time = {SECONDS}"),
            format!("SET SESSION max_execution_time = {}", SECONDS * 1_000),
        ];
        // Each of the products knows one of them.
        let _ = bounds.iter().any(|sql| connection.execute(sql).is_ok());
        for sql in ["SET SESSION TRANSACTION READ ONLY", "SET NAMES utf8mb4"] {
            connection.execute(sql).map_err(|error| error.failure("cannot be asked"))?;
        }
        Ok(Self(connection))
    }

    fn rows(&mut self, sql: &str) -> Result<Vec<Vec<String>>, Failure> {
        let answer = self.0.query(sql).map_err(|error| error.failure("it cannot be asked"))?;
        let text = |field: Option<Vec<u8>>| {
            field.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
        };
        Ok(answer.rows.into_iter().map(|row| row.into_iter().map(text).collect()).collect())
    }

    fn tables(&mut self, notes: &mut Vec<String>) -> Result<Vec<OutlineTable>, Failure> {
        let sql = format!(
            "SELECT table_name, COALESCE(table_rows, 0) FROM information_schema.tables \
             WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE' \
             ORDER BY table_name LIMIT {}",
            TABLES + 1
        );
        let mut found = self.rows(&sql)?;
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
            // Statistics may be older than the rows.
            let is_there = self.rows(&format!("SELECT 1 FROM {} LIMIT 1", quoted(&table.name)));
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
        let columns = self.rows(&format!(
            "SELECT table_name, column_name, data_type FROM information_schema.columns \
             WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position LIMIT {COLUMNS}"
        ))?;
        if columns.len() == COLUMNS {
            notes.push(format!("only the first {COLUMNS} columns were looked at"));
        }
        let mut ranges = 0;
        for row in columns {
            let [table, name, kind] = row.as_slice() else { continue };
            let Some(table) = tables.iter_mut().find(|one| one.name == *table) else { continue };
            let index = indexes.get(&(table.name.clone(), name.clone()));
            let is_integer = kind.ends_with("int");
            let mut column = OutlineColumn {
                name: name.clone(),
                is_integer,
                is_unique: index == Some(&true),
                range: None,
            };
            if is_integer && index.is_some() && ranges < RANGES {
                ranges += 1;
                column.range = self.range(&table.name, name);
            }
            table.columns.push(column);
        }
        if ranges == RANGES {
            notes.push(format!("ranges of only {RANGES} columns were looked at"));
        }
        Ok(())
    }

    /// Columns with which an index begins, and whether they are unique alone.
    fn indexes(&mut self) -> Result<BTreeMap<(String, String), bool>, Failure> {
        let rows = self.rows(&format!(
            "SELECT table_name, MIN(CASE seq_in_index WHEN 1 THEN column_name END), \
             MAX(non_unique) = 0 AND COUNT(*) = 1 FROM information_schema.statistics \
             WHERE table_schema = DATABASE() GROUP BY table_name, index_name LIMIT {COLUMNS}"
        ))?;
        let mut found: BTreeMap<(String, String), bool> = BTreeMap::new();
        for row in rows {
            let [table, column, is_unique] = row.as_slice() else { continue };
            *found.entry((table.clone(), column.clone())).or_default() |= is_unique == "1";
        }
        Ok(found)
    }

    /// Least and largest value, which an index tells at once.
    fn range(&mut self, table: &str, column: &str) -> Option<(i64, i64)> {
        let column = quoted(column);
        let sql = format!("SELECT MIN({column}), MAX({column}) FROM {}", quoted(table));
        let rows = self.rows(&sql).ok()?;
        let [low, high] = rows.first()?.as_slice() else { return None };
        Some((low.parse().ok()?, high.parse().ok()?))
    }

    fn statements(&mut self, notes: &mut Vec<String>) -> Result<Vec<OutlineStatement>, Failure> {
        let is_on = self.rows("SELECT @@performance_schema")?;
        if is_on.first().and_then(|row| row.first()).is_none_or(|on| on != "1") {
            notes.push(
                "performance_schema is off, so the server does not know its statements: start it with \
                 performance_schema = ON, or give a log with --slow-log"
                    .to_owned(),
            );
            return Ok(Vec::new());
        }
        let rows = self.rows(&format!(
            "SELECT digest_text, count_star FROM performance_schema.events_statements_summary_by_digest \
             WHERE schema_name = DATABASE() AND digest_text IS NOT NULL \
             ORDER BY sum_timer_wait DESC LIMIT {STATEMENTS}"
        ))?;
        let statement = |row: Vec<String>| {
            let [text, count] = <[String; 2]>::try_from(row).ok()?;
            Some(OutlineStatement { text, count: count.parse().ok()? })
        };
        Ok(rows.into_iter().filter_map(statement).collect())
    }
}

impl Outliner for Outlined {
    fn outline(&mut self, with_statements: bool) -> Result<Outline, Failure> {
        let mut notes = Vec::new();
        // Its own questions are not among them yet.
        let statements = match with_statements {
            true => self.statements(&mut notes)?,
            false => Vec::new(),
        };
        let tables = self.tables(&mut notes)?;
        // Statements that write are prepared from now on, and never run.
        let sql = "SET SESSION TRANSACTION READ WRITE";
        self.0.execute(sql).map_err(|error| error.failure("cannot be asked"))?;
        Ok(Outline { tables, statements, notes })
    }

    fn refuses(&mut self, marked: &str) -> Result<Option<String>, Failure> {
        // A statement that is prepared is parsed and its columns are found; it is not run.
        let sql = format!("PREPARE weighin_draft FROM '{}'", marked.replace('\'', "''"));
        match self.0.execute(&sql) {
            Ok(_) => {
                let _ = self.0.execute("DEALLOCATE PREPARE weighin_draft");
                Ok(None)
            }
            Err(error) if error.code().is_some() => Ok(Some(error.to_string())),
            Err(error) => Err(error.failure("it cannot be asked")),
        }
    }
}

fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}
