//! How the server would carry out the statements of a user's own: what EXPLAIN says of them.

use crate::client::{ClientError, Connection};
use crate::load::{READER, quote};
use crate::protocol::TextRows;
use model::{Failure, StatementPlan, Workload, text};
use sql::{SampleStatement, sample_statements};

/// Characters that are kept of a line of a plan.
const LONGEST_LINE: usize = 300;
/// Lines that are kept of a plan.
const MOST_LINES: usize = 50;

/// A table of a plan.
pub(crate) struct PlannedTable {
    pub(crate) table: String,
    /// `ALL`, `ref`, `const` and so on.
    pub(crate) access: String,
    pub(crate) key: String,
    pub(crate) rows: u64,
    extra: String,
}

/// A statement with what the server says of it.
pub(crate) type Explained = (SampleStatement, Result<Vec<PlannedTable>, ClientError>);

/// The statements of a workload, each with what the server says of it.
///
/// # Errors
/// When the workload cannot be run at all.
pub(crate) fn explain(
    control: &mut Connection,
    workload: &Workload,
) -> Result<Vec<Explained>, Failure> {
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

/// The plans of a test's statements, as far as the server gives them.
pub(crate) fn plans(
    control: &mut Connection,
    test: &str,
    workload: &Workload,
) -> Result<Vec<StatementPlan>, Failure> {
    if workload.transactions().is_none() {
        return Ok(Vec::new());
    }
    let explained = explain(control, workload)?.into_iter();
    let plan = |(statement, tables): Explained| {
        let tables = tables.ok()?;
        Some(StatementPlan {
            test: test.to_owned(),
            statement: statement.name,
            rows: tables.iter().map(|one| one.rows).fold(0, u64::saturating_add),
            steps: tables.iter().take(MOST_LINES).map(line).collect(),
        })
    };
    Ok(explained.filter_map(plan).collect())
}

/// What does not change with the number of rows.
fn line(one: &PlannedTable) -> String {
    let PlannedTable { table, access, key, extra, .. } = one;
    let mut line = String::new();
    for (what, said) in [("", table), ("access ", access), ("key ", key), ("", extra)] {
        if !said.is_empty() {
            let comma = if line.is_empty() { "" } else { ", " };
            line.push_str(&format!("{comma}{what}{said}"));
        }
    }
    text::excerpt(&line, LONGEST_LINE).into_owned()
}
