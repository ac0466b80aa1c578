//! Control connections as crate `sql` uses them.

use crate::client::{ClientError, Connection};
use model::Failure;
use sql::tables::TableInfo;
use sql::{Control, ControlError, DefinitionQueries};
use system::own_data::SqlRows;

impl Control for Connection {
    type Error = ClientError;

    const ROW_CHECKSUM: &'static str = "CRC32(CONCAT_WS(',', id, k, c, pad))";
    const SHOWS_TABLES: &'static str = "with SHOW TABLES";
    const DEFINITIONS: DefinitionQueries = DefinitionQueries {
        storage: "SELECT table_name, engine FROM information_schema.tables \
                  WHERE table_schema = DATABASE() AND table_type IN ('BASE TABLE', 'SYSTEM VERSIONED')",
        // Parts of expressions have no column.
        indexes: "SELECT table_name, CONCAT(IF(MIN(non_unique) = 0, 'unique ', ''), \
                    IF(MIN(index_type) = 'BTREE', '', CONCAT(LOWER(MIN(index_type)), ' ')), '(', \
                    GROUP_CONCAT(CONCAT(COALESCE(column_name, 'expression'), \
                      IF(sub_part IS NULL, '', CONCAT('(', sub_part, ')'))) \
                      ORDER BY seq_in_index SEPARATOR ', '), ')') \
                  FROM information_schema.statistics WHERE table_schema = DATABASE() \
                  GROUP BY table_name, index_name",
        triggers: "SELECT event_object_table, CONCAT(trigger_name, ' (', LOWER(action_timing), ' ', \
                     LOWER(event_manipulation), ')') \
                   FROM information_schema.triggers WHERE trigger_schema = DATABASE()",
    };

    fn execute(&mut self, sql: &str) -> Result<u64, ClientError> {
        Self::execute(self, sql)
    }

    fn execute_long(&mut self, sql: &str) -> Result<u64, ClientError> {
        Self::execute_long(self, sql)
    }

    fn rows(&mut self, sql: &str) -> Result<SqlRows, ClientError> {
        Ok(self.query(sql)?.rows)
    }

    fn rows_long(&mut self, sql: &str) -> Result<SqlRows, ClientError> {
        Ok(self.query_long(sql)?.rows)
    }

    fn tables(&mut self) -> Result<Vec<TableInfo>, Failure> {
        let rows = self
            .query("SHOW TABLE STATUS")
            .map_err(|e| e.failure("cannot list the tables of the database"))?;
        let column = |name: &str| rows.columns.iter().position(|c| c.eq_ignore_ascii_case(name));
        let (name, comment) = (column("Name"), column("Comment"));
        let (auto, data, index) =
            (column("Auto_increment"), column("Data_length"), column("Index_length"));
        Ok(rows
            .rows
            .iter()
            .map(|row| {
                let text = |at: Option<usize>| {
                    let bytes = row.get(at?)?.as_deref()?;
                    Some(String::from_utf8_lossy(bytes).into_owned())
                };
                let number = |at| text(at).and_then(|value| value.parse::<u64>().ok());
                TableInfo {
                    name: text(name).unwrap_or_default(),
                    comment: text(comment).unwrap_or_default(),
                    auto_increment: number(auto),
                    bytes: number(data).unwrap_or(0) + number(index).unwrap_or(0),
                    is_elsewhere: false,
                }
            })
            .collect())
    }

    fn columns(&mut self, table: &str) -> Result<Vec<String>, ClientError> {
        let rows = self.query(&format!("SHOW COLUMNS FROM `{table}`"))?.rows;
        let name = |row: Vec<Option<Vec<u8>>>| String::from_utf8(row.into_iter().next()??).ok();
        Ok(rows.into_iter().filter_map(name).collect())
    }

    fn quoted(name: &str) -> String {
        format!("`{}`", name.replace('`', "``"))
    }

    fn comment_on(table: &str, comment: &str) -> String {
        format!("ALTER TABLE {table} COMMENT='{comment}'")
    }

    fn definition(table: &str, columns: &str, comment: &str) -> String {
        format!("CREATE TABLE {table} ({columns}) ENGINE=InnoDB COMMENT='{comment}'")
    }
}

impl ControlError for ClientError {
    fn failure(&self, doing: &str) -> Failure {
        Self::failure(self, doing)
    }

    fn is_answer(&self) -> bool {
        matches!(self, Self::Server(_))
    }
}
