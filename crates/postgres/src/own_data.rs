//! What these servers say of the data of a user's own: how statements are written, and what a database
//! holds.

use crate::client::{ClientError, Connection, connect, quoted};
use crate::control::bytes;
use model::{Failure, TableSize};
use sql::Control;
use sql::data::{names, number, objects, table_sizes};
use sql::tables::mark;
use system::Login;
use system::own_data::{DataObject, SqlConnection, SqlError, SqlRows, SqlServer};
use workload::data::{Cell, ObjectKind};

/// A serialization failure, a deadlock, and a lock that was not waited for any longer.
const CONFLICTS: [&str; 3] = ["40001", "40P01", "55P03"];

/// The database that a login leads to.
#[derive(Debug)]
pub(crate) struct Database<'a>(pub(crate) &'a Login);

impl SqlConnection for Connection {
    fn execute(&mut self, sql: &str) -> Result<u64, SqlError> {
        self.execute_long(sql).map_err(|error| refused(&error))
    }

    fn answer(&mut self, sql: &str) -> Result<(Vec<String>, SqlRows), SqlError> {
        let mut answer = self.query_long(sql).map_err(|error| refused(&error))?;
        Ok((std::mem::take(&mut answer.columns), bytes(answer)))
    }
}

fn refused(error: &ClientError) -> SqlError {
    let is_conflict = error.sql_state().is_some_and(|state| CONFLICTS.contains(&state));
    SqlError { failure: error.failure("the server does not run it"), is_conflict }
}

impl SqlServer for Database<'_> {
    fn login(&self) -> &Login {
        self.0
    }

    fn connect(&self) -> Result<Box<dyn SqlConnection>, Failure> {
        Ok(Box::new(connect(self.0)?))
    }

    fn read_only(&self) -> &'static str {
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY"
    }

    fn quoted(&self, name: &str) -> String {
        quoted(name)
    }

    fn write_cell(&self, cell: Cell<'_>, out: &mut Vec<u8>) {
        write_cell(cell, out);
    }

    /// Of the schema that comes first in `search_path`, without what belongs to an extension, a column
    /// or a table.
    fn objects(&self, connection: &mut dyn SqlConnection) -> Result<Vec<DataObject>, Failure> {
        let sql = "SELECT c.relname, CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'table' \
                     WHEN 'v' THEN 'view' WHEN 'S' THEN 'sequence' ELSE 'other' END, \
                     obj_description(c.oid, 'pg_class') FROM pg_class c \
                   WHERE c.relnamespace = current_schema()::regnamespace \
                   AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND NOT c.relispartition \
                   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass \
                     AND d.objid = c.oid AND (d.deptype = 'e' \
                       OR c.relkind = 'S' AND d.deptype IN ('a', 'i'))) \
                   UNION ALL \
                   SELECT p.proname, CASE p.prokind WHEN 'p' THEN 'procedure' \
                     WHEN 'f' THEN 'function' ELSE 'other' END, obj_description(p.oid, 'pg_proc') \
                   FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace \
                   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass \
                     AND d.objid = p.oid AND d.deptype = 'e')";
        objects(connection, sql)
    }

    /// A table in partitions is as large as all of them. Where nothing has been counted since the server began
    /// anew, the last ANALYZE has.
    fn table_sizes(
        &self,
        connection: &mut dyn SqlConnection,
    ) -> Result<Vec<(String, TableSize)>, Failure> {
        let sql = "SELECT c.relname, sum(coalesce(nullif(pg_stat_get_live_tuples(p.oid), 0), \
                     greatest(p.reltuples, 0)))::bigint, sum(pg_total_relation_size(p.oid))::bigint \
                   FROM pg_class c CROSS JOIN LATERAL (SELECT c.oid, c.reltuples WHERE c.relkind = 'r' \
                     UNION ALL SELECT x.oid, x.reltuples FROM pg_partition_tree(c.oid) t \
                     JOIN pg_class x ON x.oid = t.relid AND t.isleaf WHERE c.relkind = 'p') p \
                   WHERE c.relnamespace = current_schema()::regnamespace \
                   AND c.relkind IN ('r', 'p') AND NOT c.relispartition GROUP BY c.oid, c.relname";
        table_sizes(connection, sql)
    }

    /// No statement reaches another database; what could be named are other schemas. Those of the server
    /// itself are named by every dump, and take no tables.
    fn other_databases(&self, connection: &mut dyn SqlConnection) -> Result<Vec<String>, Failure> {
        let sql = "SELECT nspname FROM pg_namespace WHERE nspname <> current_schema() \
                   AND nspname !~ '^pg_(toast|temp|catalog$)' AND nspname <> 'information_schema'";
        names(connection, sql)
    }

    fn make_marked_table(&self, name: &str, columns: &str, note: &str) -> Vec<String> {
        vec![format!("CREATE TABLE {} ({columns})", quoted(name)), self.mark_table(name, note)]
    }

    fn mark_table(&self, name: &str, note: &str) -> String {
        let comment = mark::of_purpose(note).replace('\'', "''");
        Connection::comment_on(&quoted(name), &comment)
    }

    /// As pgbench and sysbench do it: otherwise autovacuum comes some minutes later.
    fn settle_table(&self, name: &str) -> Option<String> {
        Some(format!("VACUUM ANALYZE {}", quoted(name)))
    }

    /// What others made on top of them keeps them from being dropped.
    fn drop_objects(&self, objects: &[(ObjectKind, String)]) -> Vec<String> {
        let order = [
            ObjectKind::View,
            ObjectKind::Table,
            ObjectKind::Procedure,
            ObjectKind::Function,
            ObjectKind::Sequence,
        ];
        let drop = |kind: ObjectKind| {
            let names: Vec<String> = objects
                .iter()
                .filter(|(one, _)| *one == kind)
                .map(|(_, name)| quoted(name))
                .collect();
            let kind = kind.name().to_uppercase();
            // Together they may refer to one another.
            (!names.is_empty()).then(|| format!("DROP {kind} IF EXISTS {}", names.join(", ")))
        };
        order.into_iter().filter_map(drop).collect()
    }

    fn bytes(&self, connection: &mut dyn SqlConnection) -> Result<u64, Failure> {
        let sql = "SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class \
                   WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'm')";
        number(connection, sql)
    }
}

fn write_cell(cell: Cell<'_>, out: &mut Vec<u8>) {
    match cell {
        Cell::Null => out.extend_from_slice(b"NULL"),
        Cell::Number(digits) => out.extend_from_slice(digits),
        Cell::Text(text) => crate::load::quote(text, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_so_that_they_come_back() {
        let mut out = Vec::new();
        write_cell(Cell::Text(b"it's a \\"), &mut out);
        assert_eq!(out, b" E'it''s a \\\\'");
    }
}
