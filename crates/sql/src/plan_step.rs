//! How a server would carry a statement out, in steps.

use crate::Control;

/// A step of how a server would carry a statement out.
pub trait PlanStep: Sized {
    type Connection: Control;

    /// Those of what the server would do for a statement, which it does not run.
    ///
    /// # Errors
    /// When the server refuses.
    fn explain(connection: &mut Self::Connection, sql: &str) -> Steps<Self>;

    /// Why it refused that; `None` where it was not the server that failed.
    fn refusal(error: &<Self::Connection as Control>::Error) -> Option<Refusal>;

    /// In the server's words, without what changes with the number of rows.
    fn words(&self) -> String;

    /// About how many rows it reads of a table.
    fn rows_read(&self) -> u64;

    /// The table that it reads from end to end, where it does.
    fn whole_table(&self) -> Option<WholeTable>;
}

/// What it would do for one, or why it does not tell.
pub type Steps<S> = Result<Vec<S>, <<S as PlanStep>::Connection as Control>::Error>;

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
