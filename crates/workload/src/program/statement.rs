use std::fmt::Write;

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

impl StatementKind {
    /// Whether it commits or rolls back.
    pub fn ends_transaction(self) -> bool {
        matches!(self, Self::Commit | Self::Rollback)
    }
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
    /// What variables take from its answer.
    pub reads: Vec<Read>,
    /// From which row, and which answers have none for them.
    pub row_read: RowRead,
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

    /// As it is prepared, with `$1`, `$2` and so on for its parameters.
    pub fn with_numbers(&self) -> String {
        let mut text = String::new();
        for (number, piece) in self.0.iter().enumerate() {
            if number > 0 {
                // Writing to a text does not fail.
                let _ = write!(text, "${number}");
            }
            text.push_str(piece);
        }
        text
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

/// The row of an answer from which variables take values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RowRead {
    /// Of the first, if there is one; NULL otherwise. Nothing is read where a statement has no reads.
    #[default]
    First,
    /// The only one: an answer of any other number of rows is an error of the statement.
    Only,
    /// The last one; variables keep their values where there is none.
    Last,
}

impl RowRead {
    /// What is wrong with an answer of so many rows.
    pub fn error(self, rows: u64) -> Option<String> {
        let wrong = self == Self::Only && rows != 1;
        wrong.then(|| format!("\\gset needs one row, the answer has {rows}"))
    }
}

/// A column of a row of an answer, and the variable that takes its value.
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
