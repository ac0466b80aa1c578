//! What is found where a server explains the statements of a user's own transactions, which runs nothing.

use crate::SampleStatement;
use model::{Failure, FailureKind, Transactions};
use std::fmt::Display;
use system::Diagnostics;

/// Rows from which on reading all of a table is worth a word.
const MANY_ROWS: u64 = 10_000;

/// A table of which a statement reads all rows.
pub struct WholeTable {
    pub name: String,
    /// About how many there are.
    pub rows: u64,
}

/// Why a server refused to explain a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The account may not.
    Denied,
    /// There is no such table, column or function.
    Missing,
    /// It is no query, and can be run nevertheless.
    NotExplained,
    Other,
}

/// Judges what the server said of a statement: the tables that it reads from end to end, or its refusal,
/// `None` where it was not the server that failed.
pub fn judge_explained<E: Display>(
    statement: &SampleStatement,
    said: Result<Vec<WholeTable>, (E, Option<Refusal>)>,
    own: &Transactions,
    found: &mut Diagnostics,
) {
    let name = &statement.name;
    let (error, refusal) = match said {
        Ok(tables) => return tables.iter().for_each(|table| whole_table(name, table, found)),
        Err(refused) => refused,
    };
    let said = format!("the statement {name} would fail: {error}");
    match refusal {
        Some(Refusal::Denied) => found.error(Failure::new(
            FailureKind::AccessDenied,
            said,
            "grant the account what the message names",
        )),
        // What makes the data comes first.
        Some(Refusal::Missing) if !own.data.is_as_found() => {}
        Some(Refusal::NotExplained) if !statement.prepared => {}
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

fn whole_table(statement: &str, WholeTable { name, rows }: &WholeTable, found: &mut Diagnostics) {
    if *rows >= MANY_ROWS {
        found.warn(
            format!("the statement {statement} reads all of the table {name}, about {rows} rows"),
            "if that is not meant, add an index on what its WHERE names",
        );
    }
}
