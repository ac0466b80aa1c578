//! How a server would carry a statement out, in steps.

use crate::Control;
use system::ServerKind;

/// A kind of server that tells how it would carry statements out.
pub trait ExplainKind: ServerKind<Connection: Control> {
    /// The steps of what the server would do for a statement, which it does not run.
    ///
    /// # Errors
    /// When the server refuses.
    fn explain(connection: &mut Self::Connection, sql: &str) -> Steps<Self>;

    /// Why it refused that; `None` where it was not the server that failed.
    fn explain_refusal(error: &<Self::Connection as Control>::Error) -> Option<Refusal>;
}

/// What it would do for one, or why it does not tell.
pub type Steps<K> = Result<Vec<PlanStep>, <<K as ServerKind>::Connection as Control>::Error>;

/// A step of how a server would carry a statement out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanStep {
    /// In the server's words, without what changes with the number of rows.
    pub words: String,
    /// About how many rows it reads of a table.
    pub rows_read: u64,
    /// The table that it reads from end to end, where it does.
    pub whole_table: Option<WholeTable>,
}

/// A table of which a statement reads all rows.
#[derive(Clone, Debug, PartialEq, Eq)]
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
