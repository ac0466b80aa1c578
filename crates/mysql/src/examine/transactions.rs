//! The user's own transactions: whether the server takes their statements, and how it would carry them
//! out. It is had explain them, which runs nothing.

use super::Server;
use crate::explain::{PlannedTable, explain};
use model::{Failure, FailureKind, Transactions, Workload};
use system::Diagnostics;

/// The account may not.
const DENIED: [u16; 4] = [1044, 1142, 1143, 1227];
/// There is no such table, or no such column.
const MISSING: [u16; 2] = [1146, 1054];
/// Rows from which on reading all of a table is worth a word.
const MANY_ROWS: u64 = 10_000;

pub(super) fn check(
    server: &mut Server<'_>,
    (workload, own): (&Workload, &Transactions),
    found: &mut Diagnostics,
) -> Result<(), Failure> {
    let Some(explained) = found.keep(explain(server.control, workload))? else { return Ok(()) };
    for (statement, tables) in explained {
        let name = &statement.name;
        let error = match tables {
            Ok(tables) => {
                tables.iter().for_each(|table| whole_table(name, table, found));
                continue;
            }
            Err(error) => error,
        };
        let said = format!("the statement {name} would fail: {error}");
        match error.code() {
            Some(code) if DENIED.contains(&code) => found.error(Failure::new(
                FailureKind::AccessDenied,
                said,
                "grant the account what the message names",
            )),
            // What makes the data comes first.
            Some(code) if MISSING.contains(&code) && !own.data.is_as_found() => {}
            // Clients prepare it before they begin.
            Some(_) if statement.prepared => found.error(Failure::new(
                FailureKind::Statement,
                said,
                "correct the script; a table that the script itself makes first takes prepared = false",
            )),
            Some(_) => {
                found.warn(said, "correct the script, or expect transactions that fail");
            }
            None => {}
        }
    }
    Ok(())
}

fn whole_table(name: &str, planned: &PlannedTable, found: &mut Diagnostics) {
    if planned.access.eq_ignore_ascii_case("ALL") && planned.rows >= MANY_ROWS {
        let PlannedTable { table, rows, .. } = planned;
        found.warn(
            format!("the statement {name} reads all of the table {table}, about {rows} rows"),
            "if that is not meant, add an index on what its WHERE names",
        );
    }
}
