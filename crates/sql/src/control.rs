use crate::tables::TableInfo;
use model::{Failure, FailureKind};
use std::fmt::Display;
use system::own_data::SqlRows;

/// Queries for the names of tables, each with what the table has, in words.
#[derive(Clone, Copy, Debug)]
pub struct DefinitionQueries {
    /// What keeps its rows; one for each table.
    pub storage: &'static str,
    pub indexes: &'static str,
    pub triggers: &'static str,
}

/// A connection to a server of SQL for everything but the load, and how that server says what differs
/// from one to the next.
pub trait Control: Sized {
    type Error: ControlError;

    /// A checksum of a row of a test table, as SQL: a number below 2³².
    const ROW_CHECKSUM: &'static str;
    /// What shows a user which tables there are.
    const SHOWS_TABLES: &'static str;
    /// How its tables are made.
    const DEFINITIONS: DefinitionQueries;

    /// Runs a statement that ends soon, and returns how many rows it changed.
    ///
    /// # Errors
    /// When the server refuses or does not answer in time, or the connection breaks.
    fn execute(&mut self, sql: &str) -> Result<u64, Self::Error>;

    /// The same for a statement that goes through the data, or may wait for others that do.
    ///
    /// # Errors
    /// As [`Self::execute`].
    fn execute_long(&mut self, sql: &str) -> Result<u64, Self::Error>;

    /// The rows of a query that ends soon.
    ///
    /// # Errors
    /// As [`Self::execute`].
    fn rows(&mut self, sql: &str) -> Result<SqlRows, Self::Error>;

    /// The rows of a query that goes through the data.
    ///
    /// # Errors
    /// As [`Self::execute`].
    fn rows_long(&mut self, sql: &str) -> Result<SqlRows, Self::Error>;

    /// All that users have in the database and that is read like a table.
    ///
    /// # Errors
    /// As [`Self::execute`].
    fn tables(&mut self) -> Result<Vec<TableInfo>, Failure>;

    /// The columns of a table, in order.
    ///
    /// # Errors
    /// As [`Self::execute`].
    fn columns(&mut self, table: &str) -> Result<Vec<String>, Self::Error>;

    /// A name as statements have it, whatever it consists of.
    fn quoted(name: &str) -> String;

    /// What gives a table a comment.
    fn comment_on(table: &str, comment: &str) -> String;

    /// What makes a table with a comment, by its columns as SQL.
    fn definition(table: &str, columns: &str, comment: &str) -> String;

    /// Runs a statement that ends soon.
    ///
    /// # Errors
    /// As [`Self::execute`].
    fn run(&mut self, sql: &str) -> Result<(), Failure> {
        self.execute(sql).map(drop).map_err(|error| error.failure(&cannot_run(sql)))
    }

    /// Runs a statement that takes its time.
    ///
    /// # Errors
    /// As [`Self::execute`].
    fn run_long(&mut self, sql: &str) -> Result<(), Failure> {
        self.execute_long(sql).map(drop).map_err(|error| error.failure(&cannot_run(sql)))
    }

    /// A single number that a query gives, which may go through the data; `None` for NULL or no row.
    ///
    /// # Errors
    /// As [`Self::execute`].
    fn number(&mut self, sql: &str) -> Result<Option<u64>, Failure> {
        let rows = self.rows_long(sql).map_err(|error| error.failure(&cannot_run(sql)))?;
        Ok(rows.into_iter().next().and_then(|row| number(row.into_iter().next()?)))
    }

    /// The whole numbers of the single row that a query gives.
    ///
    /// # Errors
    /// As [`Self::execute`]; where there are others.
    fn numbers<const N: usize>(&mut self, sql: &str) -> Result<[u64; N], Failure> {
        let rows = self.rows_long(sql).map_err(|error| error.failure(&cannot_run(sql)))?;
        let fields = rows.into_iter().next().unwrap_or_default();
        let numbers: Option<Vec<u64>> = fields.into_iter().map(number).collect();
        numbers.and_then(|numbers| <[u64; N]>::try_from(numbers).ok()).ok_or_else(|| {
            let message = format!("«{sql}» did not give {N} whole numbers");
            Failure::new(FailureKind::Other, message, "")
        })
    }
}

/// What a server has against a statement, or broke the connection.
pub trait ControlError: Display {
    /// With what could not be done.
    fn failure(&self, doing: &str) -> Failure;

    /// Whether it is the server's answer, after which the connection is as good as before.
    fn is_answer(&self) -> bool;
}

fn cannot_run(sql: &str) -> String {
    format!("cannot run «{sql}»")
}

fn number(field: Option<Vec<u8>>) -> Option<u64> {
    std::str::from_utf8(&field?).ok()?.parse().ok()
}
