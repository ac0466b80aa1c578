use super::inspect;
use crate::client::Connection;
use model::{Failure, Oltp};

const PREFIX: &str = "weighin: ";
const UNFINISHED: &str = "weighin: being prepared";

/// The table of a group with the row by which lag is seen.
pub(crate) const HEARTBEAT: &str = "weighin_heartbeat";
/// Its comment.
pub(crate) const HEARTBEAT_COMMENT: &str = "weighin: heartbeat";

/// Whether weighin made the table of heartbeats; `None` where there is none.
pub(crate) fn heartbeat(control: &mut Connection) -> Result<Option<bool>, Failure> {
    let tables = inspect::tables(control)?;
    let table = tables.iter().find(|table| table.name == HEARTBEAT);
    Ok(table.map(|table| is_ours(&table.comment)))
}

/// The comment of a table whose rows are not all there yet.
pub(super) fn unfinished() -> &'static str {
    UNFINISHED
}

/// The comment of a table with all its rows.
pub(super) fn finished(workload: &Oltp) -> String {
    format!("{PREFIX}{} rows, {}", workload.table_size, workload.distribution.name())
}

/// The comment of a table of weighin's own that no load runs on.
pub(crate) fn of_purpose(purpose: &str) -> String {
    format!("{PREFIX}{purpose}")
}

/// Whether weighin made a table with that comment.
pub(crate) fn is_ours(comment: &str) -> bool {
    comment.starts_with(PREFIX)
}

/// What weighin noted of a table with that comment; `None` of those of others.
pub(super) fn noted(comment: &str) -> Option<&str> {
    comment.strip_prefix(PREFIX)
}
