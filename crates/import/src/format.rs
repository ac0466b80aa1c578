//! What a format is: it knows its texts, and reads them.

use crate::{Parsed, Source, TableOptions};

/// A format of results.
pub trait Format: Sync {
    /// The name that the command line uses.
    fn name(&self) -> &'static str;

    /// What it is, in a few words for the help text.
    fn description(&self) -> &'static str;

    /// Whether a text is of this format. It is enough to look at its beginning; at most one format
    /// may take a text.
    fn recognises(&self, text: &str) -> bool;

    /// Reads a file. Never fails as a whole: what cannot be read is among the problems.
    fn parse(&self, source: Source<'_>) -> Parsed;

    /// The same, with what the user says of tables, which matters to tables alone.
    fn parse_with(&self, source: Source<'_>, tables: &TableOptions) -> Parsed {
        let _ = tables;
        self.parse(source)
    }
}
