/// What a statement does, as servers count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StatementKind {
    Select,
    Insert,
    Update,
    Delete,
    Begin,
    Commit,
    Rollback,
    Other,
}

/// A statement of a workload.
#[derive(Clone, Debug)]
pub struct Statement {
    /// By which its figures are told apart.
    pub name: String,
    pub kind: StatementKind,
    /// One, or several that differ in their words and not in their values, such as one for each table.
    pub texts: Vec<Text>,
    pub parameters: Vec<Parameter>,
    /// Whether it is prepared once and then executed by number; otherwise it travels as text, with its
    /// values in it.
    pub prepared: bool,
    pub rows_due: RowsDue,
    /// What of the first row of its answer variables take.
    pub reads: Vec<Read>,
}

/// The words of a statement, cut where its parameters go: one more than those.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text(pub Vec<String>);

impl Text {
    /// Cuts a text where it has a `?`.
    pub fn cut(text: &str) -> Self {
        Self(text.split('?').map(str::to_owned).collect())
    }

    /// As it is prepared, with a `?` for each parameter.
    pub fn with_marks(&self) -> String {
        self.0.join("?")
    }
}

/// A value that a statement takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    Variable(usize),
    /// A fresh string of that pattern, with a random digit for each `#`; of at most 255 bytes.
    Digits(&'static [u8]),
    /// The value of a variable, a text without quotes: the statement cannot be prepared.
    Verbatim(usize),
    /// The text that a source makes, as it is: the statement cannot be prepared.
    Made(usize),
}

/// How many rows an answer must have at least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowsDue {
    /// Nothing can be said of it.
    #[default]
    Any,
    Exactly(u64),
    /// Those from one variable to the other, of rows that end with `end`.
    Range {
        first: usize,
        last: usize,
        end: i64,
    },
}

/// A column of the first row of an answer, and the variable that takes its value; NULL where the
/// answer has no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    pub column: Column,
    pub variable: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// From 0.
    Number(usize),
    Name(String),
}
