use crate::client::Connection;
use model::{Failure, FailureKind};
use sql::tables::TableInfo;

/// Everything in the connection's database: tables and views.
pub(super) fn tables(control: &mut Connection) -> Result<Vec<TableInfo>, Failure> {
    let rows = control
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
            }
        })
        .collect())
}

/// How large a table is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableSize {
    /// As the server estimates it.
    pub(crate) rows: u64,
    /// Bytes of the rows.
    pub(crate) data: u64,
    /// Bytes of the secondary indexes.
    pub(crate) index: u64,
}

/// How large a table of the connection's database is; `None` where there is none of that name.
pub(crate) fn size(control: &mut Connection, table: &str) -> Result<Option<TableSize>, Failure> {
    let sql = format!(
        "SELECT table_rows, data_length, index_length FROM information_schema.tables \
         WHERE table_schema = DATABASE() AND table_name = '{table}' AND table_rows IS NOT NULL"
    );
    if control.query(&sql).is_ok_and(|answer| answer.rows.is_empty()) {
        return Ok(None);
    }
    let [rows, data, index] = numbers(control, &sql)?;
    Ok(Some(TableSize { rows, data, index }))
}

/// The columns of a table, in request.
pub(super) fn columns(control: &mut Connection, table: &str) -> Result<Vec<String>, Failure> {
    let rows = control
        .query(&format!("SHOW COLUMNS FROM `{table}`"))
        .map_err(|e| e.failure(&format!("cannot look at the table {table}")))?;
    Ok(rows.rows.into_iter().filter_map(first_text).collect())
}

/// A single number that a query gives; `None` for NULL or no row.
pub(super) fn number(control: &mut Connection, sql: &str) -> Result<Option<u64>, Failure> {
    let rows = control.query_long(sql).map_err(|e| e.failure(&format!("cannot run «{sql}»")))?;
    Ok(rows.rows.into_iter().next().and_then(first_text).and_then(|text| text.parse().ok()))
}

/// The whole numbers of the single row that a query gives.
pub(super) fn numbers<const N: usize>(
    control: &mut Connection,
    sql: &str,
) -> Result<[u64; N], Failure> {
    let rows = control.query_long(sql).map_err(|e| e.failure(&format!("cannot run «{sql}»")))?;
    let fields = rows.rows.into_iter().next().unwrap_or_default();
    let numbers: Option<Vec<u64>> =
        fields.into_iter().map(|field| String::from_utf8(field?).ok()?.parse().ok()).collect();
    numbers.and_then(|numbers| <[u64; N]>::try_from(numbers).ok()).ok_or_else(|| {
        let message = format!("«{sql}» did not give {N} whole numbers");
        Failure::new(FailureKind::Other, message, "")
    })
}

fn first_text(row: Vec<Option<Vec<u8>>>) -> Option<String> {
    String::from_utf8(row.into_iter().next()??).ok()
}
