//! How the server would carry out the statements of a user's own: what EXPLAIN says of them.

use crate::Mysql;
use crate::client::{ClientError, Connection};
use crate::protocol::TextRows;
use sql::{ExplainKind, PlanStep, Refusal, Steps, WholeTable};

/// The account may not.
const DENIED: [u16; 4] = [1044, 1142, 1143, 1227];
/// There is no such table, no such column, or no such function.
const MISSING: [u16; 3] = [1146, 1054, 1305];

impl ExplainKind for Mysql {
    fn explain(control: &mut Connection, sql: &str) -> Steps<Self> {
        control.query(&format!("EXPLAIN {sql}")).map(tables)
    }

    fn explain_refusal(error: &ClientError) -> Option<Refusal> {
        Some(match error.code()? {
            code if DENIED.contains(&code) => Refusal::Denied,
            code if MISSING.contains(&code) => Refusal::Missing,
            _ => Refusal::Other,
        })
    }
}

/// Each table of a plan is a step.
fn tables(answer: TextRows) -> Vec<PlanStep> {
    let place = |name: &str| answer.columns.iter().position(|one| one.eq_ignore_ascii_case(name));
    let places = ["table", "type", "key", "Extra", "rows"].map(place);
    let step = |row: &Vec<Option<Vec<u8>>>| {
        let [table, access, key, extra, rows] = places.map(|place| {
            let bytes = place.and_then(|place| row.get(place)?.as_deref());
            bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default()
        });
        let rows_read = rows.parse().unwrap_or(0);
        let parts = [("", &table), ("access ", &access), ("key ", &key), ("", &extra)];
        let said = parts.iter().filter(|(_, said)| !said.is_empty());
        let words: Vec<String> = said.map(|(what, said)| format!("{what}{said}")).collect();
        let all = access.eq_ignore_ascii_case("ALL");
        PlanStep {
            words: words.join(", "),
            rows_read,
            whole_table: all.then_some(WholeTable { name: table, rows: rows_read }),
        }
    };
    answer.rows.iter().map(step).collect()
}
