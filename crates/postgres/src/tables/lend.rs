//! Tables that are changed for a while.

use super::inspect;
use crate::client::Connection;
use model::{Failure, Oltp};
use sql::tables::mark;
use workload::oltp::table_name;

/// Marks a table of weighin's own as unfinished, because it is going to be changed.
///
/// # Errors
/// `ForeignTables` for a table that weighin did not make.
pub(crate) fn lend(control: &mut Connection, workload: &Oltp, number: u32) -> Result<(), Failure> {
    let name = sql::tables::lendable(&inspect::tables(control)?, workload, number)?;
    comment(control, &name, mark::unfinished())
}

/// Marks it as finished again: it is as it was.
pub(crate) fn take_again(
    control: &mut Connection,
    workload: &Oltp,
    number: u32,
) -> Result<(), Failure> {
    comment(control, &table_name(number), &mark::finished(workload))
}

fn comment(control: &mut Connection, name: &str, comment: &str) -> Result<(), Failure> {
    let sql = format!("COMMENT ON TABLE {name} IS '{comment}'");
    control.execute_long(&sql).map(drop).map_err(|e| e.failure(&format!("cannot run «{sql}»")))
}
