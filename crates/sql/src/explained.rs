//! What is found where a server explains the statements of a user's own transactions, which runs nothing.

use crate::SampleStatement;
use model::{Failure, FailureKind, StatementPlan, Transactions, text};
use std::fmt::Display;
use system::Diagnostics;

/// Rows from which on reading all of a table is worth a word.
const MANY_ROWS: u64 = 10_000;

/// Characters that are kept of a step of a plan.
const LONGEST_STEP: usize = 300;
/// Steps that are kept of a plan.
const MOST_STEPS: usize = 50;

/// A step of how a server would carry a statement out.
pub trait PlanStep {
    /// In the server's words, without what changes with the number of rows.
    fn words(&self) -> String;

    /// About how many rows it reads of a table.
    fn rows_read(&self) -> u64;
}

/// A statement with what the server says of it.
pub type Explained<S, E> = (SampleStatement, Result<Vec<S>, E>);

/// The plans of a test's statements, as far as the server gives them.
pub fn plans<S: PlanStep, E>(test: &str, explained: Vec<Explained<S, E>>) -> Vec<StatementPlan> {
    let plan = |(statement, steps): Explained<S, E>| {
        let steps = steps.ok()?;
        let kept = steps.iter().take(MOST_STEPS);
        Some(StatementPlan {
            test: test.to_owned(),
            statement: statement.name,
            rows: steps.iter().map(S::rows_read).fold(0, u64::saturating_add),
            steps: kept
                .map(|step| text::excerpt(&step.words(), LONGEST_STEP).into_owned())
                .collect(),
        })
    };
    explained.into_iter().filter_map(plan).collect()
}

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
