//! What these servers say of the data of a user's own: how statements are written, and what a database
//! holds.

use crate::client::{ClientError, Connection};
use crate::connect;
use model::{Failure, TableSize};
use sql::Control;
use sql::data::{names, number, objects, table_sizes};
use sql::tables::mark;
use system::Login;
use system::own_data::{DataObject, SqlConnection, SqlError, SqlRows, SqlServer};
use workload::data::{Cell, ObjectKind};

/// A record that was changed since it was read, a lock wait that took too long, and a deadlock.
const CONFLICTS: [u16; 3] = [1020, 1205, 1213];

/// The database that a login leads to.
#[derive(Debug)]
pub(crate) struct Database<'a>(pub(crate) &'a Login);

impl SqlConnection for Connection {
    fn execute(&mut self, sql: &str) -> Result<u64, SqlError> {
        self.execute_long(sql).map_err(|error| refused(&error))
    }

    fn answer(&mut self, sql: &str) -> Result<(Vec<String>, SqlRows), SqlError> {
        let answer = self.query_long(sql).map_err(|error| refused(&error))?;
        Ok((answer.columns, answer.rows))
    }
}

fn refused(error: &ClientError) -> SqlError {
    let is_conflict = error.code().is_some_and(|code| CONFLICTS.contains(&code));
    SqlError { failure: error.failure("the server does not run it"), is_conflict }
}

impl SqlServer for Database<'_> {
    fn login(&self) -> &Login {
        self.0
    }

    fn connect(&self) -> Result<Box<dyn SqlConnection>, Failure> {
        let mut connection = connect(self.0)?;
        // Values are written with backslashes, in UTF-8.
        for sql in [
            "SET SESSION sql_mode = REPLACE(@@SESSION.sql_mode, 'NO_BACKSLASH_ESCAPES', '')",
            "SET NAMES utf8mb4",
        ] {
            connection.execute(sql).map_err(|e| e.failure(&format!("cannot run «{sql}»")))?;
        }
        Ok(Box::new(connection))
    }

    fn read_only(&self) -> &'static str {
        "SET SESSION TRANSACTION READ ONLY"
    }

    fn quoted(&self, name: &str) -> String {
        Connection::quoted(name)
    }

    fn write_cell(&self, cell: Cell<'_>, out: &mut Vec<u8>) {
        write_cell(cell, out);
    }

    fn objects(&self, connection: &mut dyn SqlConnection) -> Result<Vec<DataObject>, Failure> {
        let sql = "SELECT table_name, CASE WHEN table_type IN ('BASE TABLE', 'SYSTEM VERSIONED') \
                     THEN 'table' ELSE table_type END, table_comment \
                   FROM information_schema.tables WHERE table_schema = DATABASE() \
                   UNION ALL SELECT routine_name, routine_type, '' FROM information_schema.routines \
                   WHERE routine_schema = DATABASE() \
                   UNION ALL SELECT event_name, 'EVENT', '' FROM information_schema.events \
                   WHERE event_schema = DATABASE()";
        objects(connection, sql)
    }

    fn table_sizes(
        &self,
        connection: &mut dyn SqlConnection,
    ) -> Result<Vec<(String, TableSize)>, Failure> {
        // MySQL would answer what it has answered in the last day.
        let fresh = "SET @weighin = 0 /*!80000 , SESSION information_schema_stats_expiry = 0 */";
        connection.execute(fresh).map_err(|error| error.failure)?;
        let sql = "SELECT table_name, COALESCE(table_rows, 0), \
                     COALESCE(data_length, 0) + COALESCE(index_length, 0) \
                   FROM information_schema.tables WHERE table_schema = DATABASE() \
                   AND table_type IN ('BASE TABLE', 'SYSTEM VERSIONED')";
        table_sizes(connection, sql)
    }

    fn other_databases(&self, connection: &mut dyn SqlConnection) -> Result<Vec<String>, Failure> {
        let all = names(connection, "SHOW DATABASES")?;
        Ok(all.into_iter().filter(|name| name != self.database()).collect())
    }

    fn make_marked_table(&self, name: &str, columns: &str, note: &str) -> Vec<String> {
        vec![format!(
            "CREATE TABLE {} ({columns}) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin \
             COMMENT='{}'",
            self.quoted(name),
            mark::of_purpose(note)
        )]
    }

    fn mark_table(&self, name: &str, note: &str) -> String {
        Connection::comment_on(&self.quoted(name), &mark::of_purpose(note))
    }

    fn drop_objects(&self, objects: &[(ObjectKind, String)]) -> Vec<String> {
        let drops = objects.iter().map(|(kind, name)| {
            format!("DROP {} IF EXISTS {}", kind.name().to_uppercase(), self.quoted(name))
        });
        std::iter::once("SET SESSION foreign_key_checks = 0".to_owned())
            .chain(drops)
            .chain(std::iter::once("SET SESSION foreign_key_checks = 1".to_owned()))
            .collect()
    }

    fn bytes(&self, connection: &mut dyn SqlConnection) -> Result<u64, Failure> {
        let sql = "SELECT CAST(COALESCE(SUM(data_length + index_length), 0) AS UNSIGNED) \
                   FROM information_schema.tables WHERE table_schema = DATABASE()";
        number(connection, sql)
    }
}

fn write_cell(cell: Cell<'_>, out: &mut Vec<u8>) {
    let text = match cell {
        Cell::Null => return out.extend_from_slice(b"NULL"),
        Cell::Number(digits) => return out.extend_from_slice(digits),
        Cell::Text(text) => text,
    };
    out.push(b'\'');
    for &byte in text {
        match byte {
            b'\'' => out.extend_from_slice(b"''"),
            b'\\' => out.extend_from_slice(b"\\\\"),
            0 => out.extend_from_slice(b"\\0"),
            byte => out.push(byte),
        }
    }
    out.push(b'\'');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_so_that_they_come_back() {
        let mut out = Vec::new();
        write_cell(Cell::Text(b"it's a \\ and \0"), &mut out);
        assert_eq!(out, b"'it''s a \\\\ and \\0'");
    }
}
