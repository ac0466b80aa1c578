//! What a database holds and what is asked of it, for the draft of a workload.

mod log;
mod record;

use crate::Postgres;
use crate::client::{Connection, connect};
pub(crate) use log::ServerLog;
use model::{Failure, OutlineStatement, SqlSyntax};
use sql::{ControlError, OutlineKind, Outlined};
use std::time::Duration;
use system::Login;
use workload::draft::{StatementLog, without_values};

/// How long a query may take, in seconds.
const SECONDS: u32 = 5;
/// What the server says instead of a statement of somebody else's.
const HIDDEN: &str = "<insufficient privilege>";

/// Tables that statements find without a schema, apart from those of extensions and the parts of others.
macro_rules! tables {
    () => {
        "pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND c.relkind IN ('r', 'p') \
         AND NOT c.relispartition AND pg_table_is_visible(c.oid) \
         AND n.nspname NOT IN ('pg_catalog', 'information_schema') \
         AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass \
           AND d.objid = c.oid AND d.deptype = 'e')"
    };
}

impl OutlineKind for Postgres {
    const TABLES: &'static str = concat!(
        "SELECT c.relname, greatest(c.reltuples, 0)::bigint FROM ",
        tables!(),
        " ORDER BY c.relname"
    );
    const COLUMNS: &'static str = concat!(
        "SELECT c.relname, a.attname, (t.typname IN ('int2', 'int4', 'int8'))::int FROM ",
        tables!(),
        " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
         JOIN pg_type t ON t.oid = a.atttypid ORDER BY c.relname, a.attnum"
    );
    const INDEXES: &'static str = concat!(
        "SELECT c.relname, a.attname, \
         (i.indisunique AND i.indnkeyatts = 1 AND i.indpred IS NULL)::int FROM ",
        tables!(),
        " JOIN pg_index i ON i.indrelid = c.oid AND i.indisvalid \
         JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am m ON m.oid = x.relam AND m.amname = 'btree' \
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]"
    );
    /// The ends of the histogram, and values that are more frequent than those in it.
    const RANGES: Option<&'static str> = Some(concat!(
        "SELECT s.relname, s.attname, \
         (SELECT min(v::bigint) FROM unnest(s.known) v), (SELECT max(v::bigint) FROM unnest(s.known) v) \
         FROM (SELECT c.relname, a.attname, p.histogram_bounds::text::text[] \
           || p.most_common_vals::text::text[] AS known FROM ",
        tables!(),
        " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 \
         JOIN pg_type t ON t.oid = a.atttypid AND t.typname IN ('int2', 'int4', 'int8') \
         JOIN pg_stats p ON p.schemaname = n.nspname AND p.tablename = c.relname \
           AND p.attname = a.attname) s WHERE s.known <> '{}'"
    ));
    const BEFORE_PREPARING: Option<&'static str> = None;
    const FORGETTING: &'static str = "DEALLOCATE weighin_draft";

    fn reach(login: &Login) -> Result<Connection, Failure> {
        let mut connection = connect(login)?;
        connection.set_answer_limit(Duration::from_secs(2 * u64::from(SECONDS)));
        for sql in [
            format!("SET statement_timeout = '{SECONDS}s'"),
            "SET default_transaction_read_only = on".to_owned(),
        ] {
            connection.execute(&sql).map_err(|error| error.failure("cannot be asked"))?;
        }
        Ok(connection)
    }

    fn statements(
        server: &mut Outlined<Self>,
        most: usize,
        notes: &mut Vec<String>,
    ) -> Result<Vec<OutlineStatement>, Failure> {
        let extension = server.rows(
            "SELECT quote_ident(n.nspname), (string_to_array(e.extversion, '.')::int[] >= '{1,8}')::int \
             FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace \
             WHERE e.extname = 'pg_stat_statements'",
        )?;
        let Some([schema, is_new]) = extension.first().map(Vec::as_slice) else {
            notes.push(
                "pg_stat_statements is not in this database: add it to shared_preload_libraries, restart, and \
                 CREATE EXTENSION pg_stat_statements; or give a log with --slow-log"
                    .to_owned(),
            );
            return Ok(Vec::new());
        };
        let time = if is_new == "1" { "total_exec_time" } else { "total_time" };
        let asked = server.try_rows(&format!(
            "SELECT s.query, sum(s.calls) FROM {schema}.pg_stat_statements s \
             JOIN pg_database d ON d.oid = s.dbid AND d.datname = current_database() \
             WHERE s.query !~* '(information_schema|pg_catalog|pg_stat_|pg_class|pg_database|pg_settings)' \
             GROUP BY s.query ORDER BY sum(s.{time}) DESC LIMIT {most}"
        ));
        let rows = match asked {
            Err(error) if error.is_answer() => {
                notes.push(format!("the server does not tell its statements: {error}"));
                return Ok(Vec::new());
            }
            asked => asked.map_err(|error| error.failure("it cannot be asked"))?,
        };
        if rows.iter().flatten().any(|text| text == HIDDEN) {
            notes.push(
                "statements of other accounts are hidden from this one: GRANT pg_read_all_stats TO it"
                    .to_owned(),
            );
        }
        let statement = |row: Vec<String>| {
            let [text, count] =
                <[String; 2]>::try_from(row).ok().filter(|[text, _]| text != HIDDEN)?;
            let text = without_values(&text, &SqlSyntax::STANDARD);
            let count = count.parse().ok()?;
            Some(OutlineStatement { text, count, ..OutlineStatement::default() })
        };
        Ok(rows.into_iter().filter_map(statement).collect())
    }

    fn preparing(marked: &str) -> String {
        format!("PREPARE weighin_draft AS {marked}")
    }

    fn log() -> Box<dyn StatementLog> {
        Box::new(ServerLog::default())
    }
}
