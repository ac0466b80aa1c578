//! The user's own transactions: whether the server takes their statements, and how it would carry them
//! out. It is had explain them, which runs nothing.

use super::Server;
use crate::explain::{PlannedStep, explain};
use model::{Failure, FailureKind, Transactions, Workload};
use system::Diagnostics;

/// The account may not.
const DENIED: &str = "42501";
/// There is no such table, column or function.
const MISSING: [&str; 3] = ["42P01", "42703", "42883"];
/// What is not explained, and can be run nevertheless: it is no query.
const NOT_EXPLAINED: &str = "42601";
/// Rows from which on reading all of a table is worth a word.
const MANY_ROWS: u64 = 10_000;

pub(super) fn check(
    server: &mut Server<'_>,
    (workload, own): (&Workload, &Transactions),
    found: &mut Diagnostics,
) -> Result<(), Failure> {
    let Some(explained) = found.keep(explain(server.control, workload))? else { return Ok(()) };
    for (statement, steps) in explained {
        let name = &statement.name;
        let error = match steps {
            Ok(steps) => {
                steps.iter().for_each(|step| whole_table(name, step, found));
                continue;
            }
            Err(error) => error,
        };
        let said = format!("the statement {name} would fail: {error}");
        match error.sql_state() {
            Some(DENIED) => found.error(Failure::new(
                FailureKind::AccessDenied,
                said,
                "grant the account what the message names",
            )),
            // What makes the data comes first.
            Some(state) if MISSING.contains(&state) && !own.data.is_as_found() => {}
            Some(NOT_EXPLAINED) if !statement.prepared => {}
            // Clients prepare it before they begin.
            Some(_) if statement.prepared => found.error(Failure::new(
                FailureKind::Statement,
                said,
                "correct the script; a table that the script itself makes first takes prepared = false",
            )),
            Some(_) => found.warn(said, "correct the script, or expect transactions that fail"),
            None => {}
        }
    }
    Ok(())
}

fn whole_table(name: &str, step: &PlannedStep, found: &mut Diagnostics) {
    if let (Some(table), MANY_ROWS..) = (step.whole_table(), step.rows) {
        found.warn(
            format!(
                "the statement {name} reads all of the table {table}, and about {} rows",
                step.rows
            ),
            "if that is not meant, add an index on what its WHERE names",
        );
    }
}
