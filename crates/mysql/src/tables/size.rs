use crate::client::Connection;
use model::Failure;
use sql::Control;

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
    let [rows, data, index] = control.numbers(&sql)?;
    Ok(Some(TableSize { rows, data, index }))
}
