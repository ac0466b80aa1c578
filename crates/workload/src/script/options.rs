use crate::program::Initial;
pub use model::{Placeholder, SqlSyntax as Syntax};
use std::collections::BTreeMap;

/// One script: what a client does in one transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Of the transaction.
    pub name: String,
    /// What messages call the file that it was read from; none where it stands elsewhere.
    pub file: Option<String>,
    pub text: String,
    /// Its share among the others; at least 1.
    pub weight: u32,
}

/// What scripts are read for.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Whether statements are prepared, as with pgbench's `-M prepared`; otherwise values stand in
    /// their texts.
    pub prepared: bool,
    pub syntax: Syntax,
    /// Values that variables have from the beginning, as with pgbench's `-D`.
    pub variables: BTreeMap<String, Initial>,
}
