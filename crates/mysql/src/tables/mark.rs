use super::inspect;
use crate::client::Connection;
use model::Failure;
pub(super) use sql::tables::mark::{finished, is_ours, of_purpose, unfinished};

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
