//! What a database holds and what is asked of it, without its data: enough to draft a workload.

/// A database as its server tells of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    pub tables: Vec<OutlineTable>,
    /// The statements that took the most time, the first the most.
    pub statements: Vec<OutlineStatement>,
    /// What could not be seen, in sentences.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutlineTable {
    pub name: String,
    /// About so many.
    pub rows: u64,
    pub columns: Vec<OutlineColumn>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutlineColumn {
    pub name: String,
    /// Whether it holds whole numbers.
    pub is_integer: bool,
    /// Whether no two rows have the same value.
    pub is_unique: bool,
    /// Least and largest value of whole numbers, where an index tells.
    pub range: Option<(i64, i64)>,
}

/// A statement with `?` in place of its values, and `(...)` in place of a list of them. Values of LIMIT,
/// OFFSET and INTERVAL may be there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutlineStatement {
    pub text: String,
    /// How often it ran.
    pub count: u64,
    /// What was guessed of the values that are there.
    pub guesses: Vec<String>,
}
