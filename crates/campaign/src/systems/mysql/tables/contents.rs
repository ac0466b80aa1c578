use super::inspect;
use model::{Failure, Oltp, TableContents};
use target::client::Connection;
use workload::oltp::table_name;

/// Counts the rows of all tables of a workload and sums up a checksum of each. Reads all of them,
/// once from end to end.
pub(in super::super) fn contents(
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
