use super::error::ScriptError;

/// Where values come from that a script needs before it can run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Needed {
    /// A column of a CSV file with a header, whose path is relative to the script.
    Column { file: String, column: String },
    /// The first column of the answer to a query.
    Query { sql: String },
}

/// Values that scripts need, and the place that says so first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    pub needed: Needed,
    /// The number of the script.
    pub script: usize,
    pub(super) source: usize,
    /// The variables that tell how many there are.
    pub(super) counts: Vec<usize>,
    /// The place, for who finds that the values are not to be had.
    pub(super) place: ScriptError,
}

impl Need {
    /// Says at the place that needs the values why they are not to be had.
    pub fn failed(&self, message: &str, help: &str) -> ScriptError {
        self.place.with_message(message, help)
    }
}
