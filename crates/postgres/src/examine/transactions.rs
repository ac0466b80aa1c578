//! The user's own transactions: whether the server takes their statements, and how it would carry them
//! out.

use super::Server;
use crate::client::ClientError;
use crate::explain::{PlannedStep, explain};
use model::{Failure, Transactions, Workload};
use sql::{Refusal, WholeTable, judge_explained};
use system::Diagnostics;

/// The account may not.
const DENIED: &str = "42501";
/// There is no such table, column or function.
const MISSING: [&str; 3] = ["42P01", "42703", "42883"];
/// What is not explained, and can be run nevertheless: it is no query.
const NOT_EXPLAINED: &str = "42601";

pub(super) fn check(
    server: &mut Server<'_>,
    (workload, own): (&Workload, &Transactions),
    found: &mut Diagnostics,
) -> Result<(), Failure> {
    let Some(explained) = found.keep(explain(server.control, workload))? else { return Ok(()) };
    for (statement, steps) in explained {
        let whole = |steps: Vec<PlannedStep>| steps.iter().filter_map(whole).collect();
        let said = steps.map(whole).map_err(|error| {
            let refusal = refusal(&error);
            (error, refusal)
        });
        judge_explained(&statement, said, own, found);
    }
    Ok(())
}

fn whole(step: &PlannedStep) -> Option<WholeTable> {
    Some(WholeTable { name: step.whole_table()?.to_owned(), rows: step.rows })
}

fn refusal(error: &ClientError) -> Option<Refusal> {
    Some(match error.sql_state()? {
        DENIED => Refusal::Denied,
        state if MISSING.contains(&state) => Refusal::Missing,
        NOT_EXPLAINED => Refusal::NotExplained,
        _ => Refusal::Other,
    })
}
