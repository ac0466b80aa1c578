use super::inspect;
use crate::client::Connection;
use model::{Failure, FailureKind, Oltp, TableContents};
use sql::tables::{TableInfo, mark};
use workload::oltp::table_name;

/// Checks that all tables of a workload are there, whoever made them, and changes nothing.
///
/// # Errors
/// `MissingTables` for the first that is missing, unfinished, too small or of another shape.
pub fn check(control: &mut Connection, workload: &Oltp) -> Result<(), Failure> {
    let present = inspect::tables(control)?;
    for number in 1..=workload.tables {
        let name = table_name(number);
        let missing = match present.iter().find(|table| table.name == name) {
            None => format!("there is no table {name}"),
            Some(table) if table.comment == mark::unfinished() => {
                format!("the table {name} is unfinished: preparing it was interrupted")
            }
            Some(_) => {
                check_table(control, workload, number)?;
                continue;
            }
        };
        return Err(Failure::new(
            FailureKind::MissingTables,
            missing,
            format!(
                "prepare the tables: weighin prepare URL --tables {} --table-size {}",
                workload.tables, workload.table_size
            ),
        ));
    }
    Ok(())
}

/// A table that weighin has not just made must have sysbench's columns and enough rows.
pub(super) fn check_table(
    control: &mut Connection,
    workload: &Oltp,
    number: u32,
) -> Result<(), Failure> {
    let name = table_name(number);
    let columns = inspect::columns(control, &name)?;
    if columns != ["id", "k", "c", "pad"] {
        return Err(Failure::new(
            FailureKind::MissingTables,
            format!("the table {name} has the columns {}, not id, k, c, pad", columns.join(", ")),
            "use a database of its own for weighin (CREATE DATABASE)",
        ));
    }
    let highest = inspect::number(control, &format!("SELECT max(id) FROM {name}"))?.unwrap_or(0);
    if highest < u64::from(workload.table_size) {
        return Err(Failure::new(
            FailureKind::MissingTables,
            format!(
                "the table {name} has ids up to {highest}, and the workload needs {}",
                workload.table_size
            ),
            "lower table_size, prepare it larger with what made it, or use a database of its own",
        ));
    }
    Ok(())
}

/// Whether the tables of a workload are there as weighin made them.
///
/// # Errors
/// When they cannot be listed.
pub(crate) fn are_finished(control: &mut Connection, workload: &Oltp) -> Result<bool, Failure> {
    let (present, finished) = (inspect::tables(control)?, mark::finished(workload));
    let is_finished =
        |table: &TableInfo, name: &str| table.name == name && table.comment == finished;
    let is_there = |name: String| present.iter().any(|table| is_finished(table, &name));
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
        // The first 32 bits of a hash that every version computes.
        let row = "('x' || left(md5(concat_ws(',', id, k, c, pad)), 8))::bit(32)::bigint";
        let sql = format!("SELECT count(*), coalesce(sum({row}), 0) FROM {name}");
        let [rows, checksum] = inspect::numbers(control, &sql)?;
        contents.rows += rows;
        contents.checksum = contents.checksum.wrapping_add(checksum);
    }
    Ok(contents)
}
