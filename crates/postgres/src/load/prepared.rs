//! Statements as every connection prepares them.

use crate::protocol::{Columns, ExecuteTemplate, Prepared};
use sql::Statements;
use std::sync::OnceLock;

/// The statements of a load that are prepared, which all clients share.
#[derive(Debug)]
pub(super) struct Shared {
    /// By place.
    statements: Box<[OnceLock<Known>]>,
}

/// A statement of which a server has told what it takes and gives.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) template: ExecuteTemplate,
    pub(super) columns: Columns,
    parameters: Vec<u32>,
}

impl Known {
    fn new(place: usize, prepared: Prepared) -> Self {
        let Prepared { parameters, columns } = prepared;
        Self { template: ExecuteTemplate::new(&name(place), &parameters), columns, parameters }
    }
}

/// Under which name the statement in that place is prepared.
pub(super) fn name(place: usize) -> String {
    format!("w{place}")
}

/// The text of the statement to prepare in that place: `$1` is the first of its values.
pub(super) fn text(statements: &Statements, place: usize) -> Option<String> {
    let (statement, text) = statements.to_prepare().get(place)?;
    Some(statements.program().statements()[*statement].texts[*text].with_numbers())
}

impl Shared {
    pub(super) fn new(statements: &Statements) -> Self {
        Self { statements: (0..statements.per_client()).map(|_| OnceLock::new()).collect() }
    }

    #[inline]
    pub(super) fn get(&self, place: usize) -> Option<&Known> {
        self.statements[place].get()
    }

    /// Takes in what a server has told. Gives it back where another server has told otherwise, as one
    /// may whose tables have other types.
    pub(super) fn learn(&self, place: usize, prepared: Prepared) -> Option<Known> {
        let known = self.statements[place].get_or_init(|| Known::new(place, prepared.clone()));
        let same = known.parameters == prepared.parameters
            && known.columns.names().eq(prepared.columns.names());
        (!same).then(|| Known::new(place, prepared))
    }
}
