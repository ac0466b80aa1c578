//! Replicas that catch up, in words.

use crate::numbers;
use model::{Backlog, CatchUp};

/// What is done in a test.
pub(super) fn describe(task: &CatchUp) -> String {
    let backlog = match task.backlog {
        Backlog::Transactions(count) => format!("{} transactions", numbers::count(count)),
        Backlog::Bytes(bytes) => format!("{} of binary log", numbers::bytes(bytes)),
        Backlog::Time(length) => format!("{} of writing", numbers::duration(length)),
    };
    let tables = task.workload.oltp().map_or(String::new(), |oltp| {
        format!(
            " on {} of {} rows",
            numbers::counted(oltp.tables as usize, "table"),
            numbers::count(oltp.table_size.into())
        )
    });
    format!(
        "Catching up: the appliers of the replicas are stopped while {} writes {backlog}{tables} at \
         {}; then they are started, and may take {}",
        task.workload.name(),
        task.level,
        numbers::duration(task.timeout)
    )
}
