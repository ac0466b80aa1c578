//! The user's own transactions: whether the server takes their statements, and how it would carry them
//! out.

use super::Server;
use crate::client::ClientError;
use crate::explain::{PlannedTable, explain};
use model::{Failure, Transactions, Workload};
use sql::{Refusal, WholeTable, judge_explained};
use system::Diagnostics;

/// The account may not.
const DENIED: [u16; 4] = [1044, 1142, 1143, 1227];
/// There is no such table, or no such column.
const MISSING: [u16; 2] = [1146, 1054];

pub(super) fn check(
    server: &mut Server<'_>,
    (workload, own): (&Workload, &Transactions),
    found: &mut Diagnostics,
) -> Result<(), Failure> {
    let Some(explained) = found.keep(explain(server.control, workload))? else { return Ok(()) };
    for (statement, tables) in explained {
        let whole = |tables: Vec<PlannedTable>| tables.into_iter().filter_map(whole).collect();
        let said = tables.map(whole).map_err(|error| {
            let refusal = refusal(&error);
            (error, refusal)
        });
        judge_explained(&statement, said, own, found);
    }
    Ok(())
}

fn whole(PlannedTable { table: name, access, rows, .. }: PlannedTable) -> Option<WholeTable> {
    access.eq_ignore_ascii_case("ALL").then_some(WholeTable { name, rows })
}

fn refusal(error: &ClientError) -> Option<Refusal> {
    Some(match error.code()? {
        code if DENIED.contains(&code) => Refusal::Denied,
        code if MISSING.contains(&code) => Refusal::Missing,
        _ => Refusal::Other,
    })
}
