use super::{inspect, mark};
use crate::client::Connection;
use model::{Failure, Oltp, TableContents};
use workload::oltp::table_name;

/// Whether the tables of a workload are there as weighin made them: a later test may have needed others
/// of the same names, or failed while they were made.
///
/// # Errors
/// When they cannot be listed.
pub(crate) fn are_finished(control: &mut Connection, workload: &Oltp) -> Result<bool, Failure> {
    let (present, finished) = (inspect::tables(control)?, mark::finished(workload));
    let is_there =
        |name: String| present.iter().any(|table| table.name == name && table.comment == finished);
    Ok((1..=workload.tables).map(table_name).all(is_there))
}

/// Counts the rows of all tables of a workload and sums up a checksum of each. Reads all of them,
/// once from end to end.
pub(crate) fn contents(
    control: &mut Connection,
    workload: &Oltp,
) -> Result<TableContents, Failure> {
    let mut contents = TableContents { rows: 0, checksum: 0 };
    for number in 1..=workload.tables {
        let name = table_name(number);
        let row = "CRC32(CONCAT_WS(',', id, k, c, pad))";
        let sql = format!("SELECT COUNT(*), COALESCE(SUM({row}), 0) FROM {name}");
        let [rows, checksum] = inspect::numbers(control, &sql)?;
        contents.rows += rows;
        contents.checksum = contents.checksum.wrapping_add(checksum);
    }
    Ok(contents)
}
