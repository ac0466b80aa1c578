//! How the server would carry out the statements of a user's own: what EXPLAIN says of them.

use crate::client::{ClientError, Connection};
use crate::load::{READER, quote};
use crate::protocol::TextRows;
use model::{Failure, Workload};
use sql::{Explained, PlanStep, sample_statements};

/// A table of a plan.
pub(crate) struct PlannedTable {
    pub(crate) table: String,
    /// `ALL`, `ref`, `const` and so on.
    pub(crate) access: String,
    pub(crate) key: String,
    pub(crate) rows: u64,
    extra: String,
}

/// The statements of a workload, each with what the server says of it.
///
/// # Errors
/// When the workload cannot be run at all.
pub(crate) fn explain(
    control: &mut Connection,
    workload: &Workload,
) -> Result<Vec<Explained<PlannedTable, ClientError>>, Failure> {
    let statements = sample_statements(READER.sampled(workload, control)?, quote);
    let explained = statements.into_iter().map(|statement| {
        let rows = control.query(&format!("EXPLAIN {}", statement.sql));
        (statement, rows.map(tables))
    });
    Ok(explained.collect())
}

fn tables(answer: TextRows) -> Vec<PlannedTable> {
    let place = |name: &str| answer.columns.iter().position(|one| one.eq_ignore_ascii_case(name));
    let (table, access, key) = (place("table"), place("type"), place("key"));
    let (rows, extra) = (place("rows"), place("Extra"));
    let cell = |row: &[Option<Vec<u8>>], place: Option<usize>| {
        let bytes = place.and_then(|place| row.get(place)?.as_deref());
        bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default()
    };
    let planned = |row: &Vec<Option<Vec<u8>>>| PlannedTable {
        table: cell(row, table),
        access: cell(row, access),
        key: cell(row, key),
        rows: cell(row, rows).parse().unwrap_or(0),
        extra: cell(row, extra),
    };
    answer.rows.iter().map(planned).collect()
}

impl PlanStep for PlannedTable {
    fn words(&self) -> String {
        let Self { table, access, key, extra, .. } = self;
        let mut line = String::new();
        for (what, said) in [("", table), ("access ", access), ("key ", key), ("", extra)] {
            if !said.is_empty() {
                let comma = if line.is_empty() { "" } else { ", " };
                line.push_str(&format!("{comma}{what}{said}"));
            }
        }
        line
    }

    fn rows_read(&self) -> u64 {
        self.rows
    }
}
