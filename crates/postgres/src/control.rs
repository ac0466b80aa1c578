//! Control connections as crate `sql` uses them.

use crate::client::{ClientError, Connection, quoted};
use crate::protocol::TextRows;
use model::Failure;
use sql::tables::TableInfo;
use sql::{Control, ControlError, DefinitionQueries};
use system::own_data::SqlRows;

impl Control for Connection {
    type Error = ClientError;

    /// The first 32 bits of a hash that every version computes.
    const ROW_CHECKSUM: &'static str =
        "('x' || left(md5(concat_ws(',', id, k, c, pad)), 8))::bit(32)::bigint";
    const SHOWS_TABLES: &'static str = "in psql with \\d";
    /// Partitions are made as the tables are that they belong to.
    const DEFINITIONS: DefinitionQueries = DefinitionQueries {
        storage: "SELECT c.relname, coalesce(m.amname, 'partitions') \
                    || CASE c.relpersistence WHEN 'u' THEN ' without log' ELSE '' END \
                  FROM pg_class c LEFT JOIN pg_am m ON m.oid = c.relam \
                  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') \
                  AND NOT c.relispartition",
        indexes: "SELECT c.relname, CASE WHEN i.indisunique THEN 'unique ' ELSE '' END \
                    || CASE m.amname WHEN 'btree' THEN '' ELSE m.amname || ' ' END || '(' \
                    || (SELECT string_agg(pg_get_indexdef(i.indexrelid, k, true), ', ' ORDER BY k) \
                        FROM generate_series(1, i.indnkeyatts) k) || ')' \
                    || coalesce(' where ' || pg_get_expr(i.indpred, i.indrelid), '') \
                  FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid \
                  JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am m ON m.oid = x.relam \
                  WHERE c.relnamespace = current_schema()::regnamespace AND NOT c.relispartition \
                  AND i.indisvalid",
        triggers: "SELECT c.relname, t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid \
                   WHERE c.relnamespace = current_schema()::regnamespace AND NOT t.tgisinternal \
                   AND t.tgenabled <> 'D' AND NOT c.relispartition",
    };

    fn execute(&mut self, sql: &str) -> Result<u64, ClientError> {
        Self::execute(self, sql)
    }

    fn execute_long(&mut self, sql: &str) -> Result<u64, ClientError> {
        Self::execute_long(self, sql)
    }

    fn rows(&mut self, sql: &str) -> Result<SqlRows, ClientError> {
        self.query(sql).map(bytes)
    }

    fn rows_long(&mut self, sql: &str) -> Result<SqlRows, ClientError> {
        self.query_long(sql).map(bytes)
    }

    /// What is not in the schema that comes first in `search_path` has its schema before its name, and
    /// what belongs to an extension is left out.
    fn tables(&mut self) -> Result<Vec<TableInfo>, Failure> {
        let sql = "SELECT CASE n.nspname WHEN current_schema() THEN c.relname \
                     ELSE n.nspname || '.' || c.relname END, \
                   obj_description(c.oid, 'pg_class'), \
                   CASE WHEN c.relkind IN ('r', 'm') THEN pg_total_relation_size(c.oid) END \
                   FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
                   WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') \
                   AND n.nspname NOT IN ('pg_catalog', 'information_schema') \
                   AND n.nspname NOT LIKE 'pg\\_temp%' AND n.nspname NOT LIKE 'pg\\_toast%' \
                   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass \
                     AND d.objid = c.oid AND d.deptype = 'e') ORDER BY 1";
        let rows =
            self.query(sql).map_err(|e| e.failure("cannot list the tables of the database"))?.rows;
        Ok(rows
            .into_iter()
            .map(|row| {
                let mut fields = row.into_iter();
                let mut text = || fields.next().flatten().unwrap_or_default();
                let (name, comment) = (text(), text());
                let (bytes, is_elsewhere) = (text().parse().unwrap_or(0), name.contains('.'));
                TableInfo { name, comment, auto_increment: None, bytes, is_elsewhere }
            })
            .collect())
    }

    fn columns(&mut self, table: &str) -> Result<Vec<String>, ClientError> {
        let sql = format!(
            "SELECT attname FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attnum > 0 \
             AND NOT attisdropped ORDER BY attnum"
        );
        let rows = self.query(&sql)?.rows;
        Ok(rows.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect())
    }

    fn quoted(name: &str) -> String {
        quoted(name)
    }

    fn comment_on(table: &str, comment: &str) -> String {
        format!("COMMENT ON TABLE {table} IS '{comment}'")
    }

    /// Both or none of them: statements of one message are one transaction.
    fn definition(table: &str, columns: &str, comment: &str) -> String {
        format!("CREATE TABLE {table} ({columns}); {}", Self::comment_on(table, comment))
    }
}

/// The rows of an answer as crate `system` has them.
pub(crate) fn bytes(answer: TextRows) -> SqlRows {
    let row = |row: Vec<Option<String>>| {
        row.into_iter().map(|value| value.map(String::into_bytes)).collect()
    };
    answer.rows.into_iter().map(row).collect()
}

impl ControlError for ClientError {
    fn failure(&self, doing: &str) -> Failure {
        Self::failure(self, doing)
    }

    fn is_answer(&self) -> bool {
        matches!(self, Self::Server(_))
    }
}
