//! How the server would carry out the statements of a user's own: what EXPLAIN says of them.

use crate::client::{ClientError, Connection};
use crate::protocol::TextRows;
use sql::{PlanStep, Refusal, Steps, WholeTable};

/// A table of a plan.
#[derive(Debug)]
pub struct PlannedTable {
    table: String,
    /// `ALL`, `ref`, `const` and so on.
    access: String,
    key: String,
    rows: u64,
    extra: String,
}

/// The account may not.
const DENIED: [u16; 4] = [1044, 1142, 1143, 1227];
/// There is no such table, or no such column.
const MISSING: [u16; 2] = [1146, 1054];

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
    type Connection = Connection;

    fn explain(control: &mut Connection, sql: &str) -> Steps<Self> {
        control.query(&format!("EXPLAIN {sql}")).map(tables)
    }

    fn refusal(error: &ClientError) -> Option<Refusal> {
        Some(match error.code()? {
            code if DENIED.contains(&code) => Refusal::Denied,
            code if MISSING.contains(&code) => Refusal::Missing,
            _ => Refusal::Other,
        })
    }

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

    fn whole_table(&self) -> Option<WholeTable> {
        let all = self.access.eq_ignore_ascii_case("ALL");
        all.then(|| WholeTable { name: self.table.clone(), rows: self.rows })
    }
}
