use crate::client::Connection;
use model::{Failure, FailureKind};
use sql::tables::TableInfo;

/// Everything of users in the connection's database: tables, views and what else is read like them.
/// What is not in the schema that comes first in `search_path` has its schema before its name, and
/// what belongs to an extension is left out.
pub(super) fn tables(control: &mut Connection) -> Result<Vec<TableInfo>, Failure> {
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
        control.query(sql).map_err(|e| e.failure("cannot list the tables of the database"))?.rows;
    Ok(rows
        .into_iter()
        .map(|row| {
            let mut fields = row.into_iter();
            let mut text = || fields.next().flatten().unwrap_or_default();
            let (name, comment) = (text(), text());
            TableInfo { name, comment, auto_increment: None, bytes: text().parse().unwrap_or(0) }
        })
        .collect())
}

/// The columns of a table, in order.
pub(super) fn columns(control: &mut Connection, table: &str) -> Result<Vec<String>, Failure> {
    let sql = format!(
        "SELECT attname FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attnum > 0 \
         AND NOT attisdropped ORDER BY attnum"
    );
    let rows =
        control.query(&sql).map_err(|e| e.failure(&format!("cannot look at the table {table}")))?;
    Ok(rows.rows.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect())
}

/// A single number that a query gives, which may go through the data; `None` for NULL or no row.
pub(super) fn number(control: &mut Connection, sql: &str) -> Result<Option<u64>, Failure> {
    let rows = control.query_long(sql).map_err(|e| e.failure(&format!("cannot run «{sql}»")))?;
    let first = rows.rows.into_iter().next().and_then(|row| row.into_iter().next().flatten());
    Ok(first.and_then(|text| text.parse().ok()))
}

/// The whole numbers of the single row that a query gives.
pub(super) fn numbers<const N: usize>(
    control: &mut Connection,
    sql: &str,
) -> Result<[u64; N], Failure> {
    let rows = control.query_long(sql).map_err(|e| e.failure(&format!("cannot run «{sql}»")))?;
    let fields = rows.rows.into_iter().next().unwrap_or_default();
    let numbers: Option<Vec<u64>> = fields.into_iter().map(|field| field?.parse().ok()).collect();
    numbers.and_then(|numbers| <[u64; N]>::try_from(numbers).ok()).ok_or_else(|| {
        let message = format!("«{sql}» did not give {N} whole numbers");
        Failure::new(FailureKind::Other, message, "")
    })
}
