use super::{TableInfo, mark};
use crate::{Control, ControlError};
use model::{Failure, FailureKind, Oltp, TableContents};
use workload::oltp::table_name;

/// Checks that all tables of a workload are there, whoever made them, and changes nothing.
///
/// # Errors
/// `MissingTables` for the first that is missing, unfinished, too small or of another shape.
pub fn check(control: &mut impl Control, workload: &Oltp) -> Result<(), Failure> {
    let present = control.tables()?;
    for number in 1..=workload.tables {
        let name = table_name(number);
        let missing = match present.iter().find(|table| table.name == name) {
            None => format!("there is no table {name}"),
            Some(table) if table.comment == mark::unfinished() => {
                format!("the table {name} is unfinished: preparing it was interrupted")
            }
            Some(_) => {
                check_table(control, workload, number, &present)?;
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
    control: &mut impl Control,
    workload: &Oltp,
    number: u32,
    present: &[TableInfo],
) -> Result<(), Failure> {
    let name = table_name(number);
    let columns = control
        .columns(&name)
        .map_err(|error| error.failure(&format!("cannot look at the table {name}")))?;
    if columns != ["id", "k", "c", "pad"] {
        return Err(Failure::new(
            FailureKind::MissingTables,
            format!("the table {name} has the columns {}, not id, k, c, pad", columns.join(", ")),
            "use a database of its own for weighin (CREATE DATABASE)",
        ));
    }
    let known = present.iter().find(|table| table.name == name).and_then(|t| t.auto_increment);
    let highest = match known {
        Some(next) => next.saturating_sub(1),
        // Some servers keep no such figure, or an old one.
        None => control.number(&format!("SELECT MAX(id) FROM {name}"))?.unwrap_or(0),
    };
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

/// Whether the tables of a workload are there as weighin made them: a later test may have needed others
/// of the same names, or failed while they were made.
fn are_finished(control: &mut impl Control, workload: &Oltp) -> Result<bool, Failure> {
    let (present, finished) = (control.tables()?, mark::finished(workload));
    let is_there =
        |name: String| present.iter().any(|table| table.name == name && table.comment == finished);
    Ok((1..=workload.tables).map(table_name).all(is_there))
}

/// The contents of the tables of a workload; `None` where they are not there as weighin made them.
///
/// # Errors
/// When they cannot be read.
pub fn contents_if_finished(
    control: &mut impl Control,
    workload: &Oltp,
) -> Result<Option<TableContents>, Failure> {
    match are_finished(control, workload)? {
        true => contents(control, workload).map(Some),
        false => Ok(None),
    }
}

/// Counts the rows of all tables of a workload and sums up a checksum of each. Reads all of them,
/// once from end to end.
///
/// # Errors
/// When they cannot be read.
pub fn contents<C: Control>(control: &mut C, workload: &Oltp) -> Result<TableContents, Failure> {
    let mut contents = TableContents { rows: 0, checksum: 0 };
    for number in 1..=workload.tables {
        let (name, row) = (table_name(number), C::ROW_CHECKSUM);
        let sql = format!("SELECT COUNT(*), COALESCE(SUM({row}), 0) FROM {name}");
        let [rows, checksum] = control.numbers(&sql)?;
        contents.rows += rows;
        contents.checksum = contents.checksum.wrapping_add(checksum);
    }
    Ok(contents)
}
