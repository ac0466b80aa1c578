//! What a database holds and what is asked of it, for the draft of a workload.

mod slow_log;

use crate::Mysql;
use crate::client::Connection;
use crate::connect;
use model::{Failure, OutlineStatement};
pub(crate) use slow_log::SlowLog;
use sql::{OutlineKind, Outlined};
use std::time::Duration;
use system::Login;
use workload::draft::StatementLog;

/// How long a query may take, in seconds.
const SECONDS: u32 = 5;

impl OutlineKind for Mysql {
    const TABLES: &'static str = "SELECT table_name, COALESCE(table_rows, 0) \
        FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE' \
        ORDER BY table_name";
    const COLUMNS: &'static str = "SELECT table_name, column_name, data_type LIKE '%int' \
        FROM information_schema.columns WHERE table_schema = DATABASE() \
        ORDER BY table_name, ordinal_position";
    const INDEXES: &'static str = "SELECT table_name, \
        MIN(CASE seq_in_index WHEN 1 THEN column_name END), MAX(non_unique) = 0 AND COUNT(*) = 1 \
        FROM information_schema.statistics WHERE table_schema = DATABASE() \
        GROUP BY table_name, index_name";
    const RANGES: Option<&'static str> = None;
    const BEFORE_PREPARING: Option<&'static str> = Some("SET SESSION TRANSACTION READ WRITE");
    const FORGETTING: &'static str = "DEALLOCATE PREPARE weighin_draft";

    fn reach(login: &Login) -> Result<Connection, Failure> {
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
        Ok(connection)
    }

    fn statements(
        server: &mut Outlined<Self>,
        most: usize,
        notes: &mut Vec<String>,
    ) -> Result<Vec<OutlineStatement>, Failure> {
        let is_on = server.rows("SELECT @@performance_schema")?;
        if is_on.first().and_then(|row| row.first()).is_none_or(|on| on != "1") {
            notes.push(
                "performance_schema is off, so the server does not know its statements: start it with \
                 performance_schema = ON, or give a log with --slow-log"
                    .to_owned(),
            );
            return Ok(Vec::new());
        }
        let rows = server.rows(&format!(
            "SELECT digest_text, count_star FROM performance_schema.events_statements_summary_by_digest \
             WHERE schema_name = DATABASE() AND digest_text IS NOT NULL \
             AND digest_text NOT LIKE '%information_schema%' \
             AND digest_text NOT LIKE '%performance_schema%' \
             ORDER BY sum_timer_wait DESC LIMIT {most}"
        ))?;
        let statement = |row: Vec<String>| {
            let [text, count] = <[String; 2]>::try_from(row).ok()?;
            let count = count.parse().ok()?;
            Some(OutlineStatement { text, count, ..OutlineStatement::default() })
        };
        Ok(rows.into_iter().filter_map(statement).collect())
    }

    fn preparing(marked: &str) -> String {
        format!("PREPARE weighin_draft FROM '{}'", marked.replace('\'', "''"))
    }

    fn log() -> Box<dyn StatementLog> {
        Box::new(SlowLog::default())
    }
}
