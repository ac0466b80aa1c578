use super::{inspect, mark};
use crate::client::Connection;
use model::{Failure, FailureKind, Oltp};
use sql::tables::TableInfo;
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
    control: &mut Connection,
    workload: &Oltp,
    number: u32,
    present: &[TableInfo],
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
    let known = present.iter().find(|table| table.name == name).and_then(|t| t.auto_increment);
    let highest = match known {
        Some(next) => next.saturating_sub(1),
        // Some servers keep no such figure, or an old one.
        None => inspect::number(control, &format!("SELECT MAX(id) FROM {name}"))?.unwrap_or(0),
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
