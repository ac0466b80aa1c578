//! Comments by which weighin knows its own tables.

use model::Oltp;

const PREFIX: &str = "weighin: ";
const UNFINISHED: &str = "weighin: being prepared";

/// The comment of a table whose rows are not all there yet.
pub fn unfinished() -> &'static str {
    UNFINISHED
}

/// The comment of a table with all its rows.
pub fn finished(workload: &Oltp) -> String {
    format!("{PREFIX}{} rows, {}", workload.table_size, workload.distribution.name())
}

/// The comment of a table of weighin's own that no load runs on.
pub fn of_purpose(purpose: &str) -> String {
    format!("{PREFIX}{purpose}")
}

/// Whether weighin made a table with that comment.
pub fn is_ours(comment: &str) -> bool {
    comment.starts_with(PREFIX)
}

/// What weighin noted of a table with that comment; `None` of those of others.
pub fn noted(comment: &str) -> Option<&str> {
    comment.strip_prefix(PREFIX)
}
