//! The data that a workload of the user's own runs on: how it is made, what is undone after a trial, and
//! what must hold of it.

use crate::set_value::SetValue;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The data of a workload.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OwnData {
    /// Scripts that make the tables, run in this order.
    pub setup: Vec<DataFile>,
    /// What fills them, in this order.
    pub load: Vec<DataSource>,
    pub restore: Restore,
    /// Scripts that undo what trials changed of data that is not weighin's to make.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undo: Vec<DataFile>,
    pub invariants: Vec<Invariant>,
}

impl OwnData {
    /// Whether nothing of it is weighin's to make: the workload runs on what is there.
    pub fn is_as_found(&self) -> bool {
        self.setup.is_empty() && self.load.is_empty()
    }

    /// When what trials change of it is undone. What weighin did not make takes scripts of the user that undo
    /// it, or a target which has a way of its own: [`crate::Target::can_undo`].
    pub fn restored_where(&self, can_undo: bool) -> Restore {
        match can_undo || !self.is_as_found() || !self.undo.is_empty() {
            true => self.restore,
            false => Restore::None,
        }
    }

    /// What the data is made from, as one number: contents of files, generators, and the seed of these.
    /// Data that was made from the same is the same.
    pub fn fingerprint(&self, seed: u64) -> u64 {
        let mut print = Fingerprint::default();
        for file in &self.setup {
            print.number(1);
            print.number(file.fingerprint);
        }
        for source in &self.load {
            match source {
                DataSource::Script(file) => {
                    print.number(2);
                    print.number(file.fingerprint);
                }
                DataSource::Csv { table, file } => {
                    print.number(3);
                    print.text(table);
                    print.number(file.fingerprint);
                }
                DataSource::Rows(rows) => {
                    print.number(4);
                    print.number(seed);
                    print.text(&format!("{rows:?}"));
                }
            }
        }
        print.finish()
    }
}

/// A file that data is made from, as it was when the study was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataFile {
    /// As the study names it.
    pub name: String,
    pub path: PathBuf,
    pub bytes: u64,
    /// The [`Fingerprint`] of its contents.
    pub fingerprint: u64,
    /// Its contents, where it is a part of weighin and no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub built_in: Option<String>,
}

/// What fills a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataSource {
    Script(DataFile),
    /// A file of comma-separated values, whose first row names the columns.
    Csv {
        table: String,
        file: DataFile,
    },
    Rows(RowGenerator),
}

/// Rows that are made up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowGenerator {
    pub table: String,
    pub rows: u32,
    pub columns: Vec<GeneratedColumn>,
    /// What the variables of its expressions hold.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, SetValue>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeneratedColumn {
    pub name: String,
    pub values: ColumnValues,
    pub nulls: Nulls,
}

/// Which values of a column are NULL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nulls {
    /// So many of a hundred.
    Percent(u8),
    /// Those of rows for which an expression is true.
    Where(String),
}

impl Nulls {
    pub const NONE: Self = Self::Percent(0);
}

/// Where the values of a column come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnValues {
    /// The number of the row, of which the first is this one.
    Sequence { first: i64 },
    /// Whole numbers, both ends included.
    Integer { low: i64, high: i64, popularity: Popularity },
    /// Numbers with so many digits after the point; both ends are in units of the last digit.
    Decimal { low: i64, high: i64, digits: u8 },
    /// Values that a column of another table has: a foreign key that holds.
    Of { table: String, column: String, popularity: Popularity },
    /// Days since 1970-01-01, both ends included.
    Date { low: i64, high: i64 },
    /// Seconds since 1970-01-01, both ends included.
    Moment { low: i64, high: i64 },
    /// Texts, each with how often it is drawn.
    Weighted(Vec<(String, f64)>),
    /// Words of so many characters together.
    Text { shortest: u32, longest: u32 },
    /// A text in which `{row}` is the number of the row.
    Pattern(String),
    /// What an expression gives, in which `:row` is the number of the row, from 0.
    Expression(String),
    /// So many of the last digits of the number that an expression gives, each as the word for it.
    Spelled { expression: String, digits: u8, words: Vec<String> },
}

/// How often some values are drawn more than others: the first ones the most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Popularity {
    #[default]
    Uniform,
    Zipfian {
        s: f64,
    },
    Pareto {
        h: f64,
    },
    Gaussian,
}

/// When what trials changed is undone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Restore {
    /// Before every trial.
    #[default]
    Trial,
    /// Before the first trial of every block.
    Block,
    /// Never: the data drifts.
    None,
}

impl Restore {
    pub const ALL: [Self; 3] = [Self::Trial, Self::Block, Self::None];

    pub fn name(self) -> &'static str {
        match self {
            Self::Trial => "trial",
            Self::Block => "block",
            Self::None => "none",
        }
    }
}

/// What must hold of the data after every trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invariant {
    pub name: String,
    pub sql: String,
    /// What it gives: fields of a row joined by a comma, rows by a line feed.
    pub gives: String,
}

/// What was found of the data after a trial.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataState {
    /// How many invariants were checked.
    pub checked: u32,
    /// Those that do not hold.
    pub broken: Vec<BrokenInvariant>,
    /// The tables that the workload writes, in order of name, where the next trial finds what this one changed.
    pub tables: Vec<TableChange>,
}

/// An invariant that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenInvariant {
    pub name: String,
    pub gives: String,
    /// What came instead, or why nothing did.
    pub came: String,
}

/// What a trial made of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableChange {
    pub table: String,
    /// Before the trial.
    pub before: TableSize,
    /// After it.
    pub after: TableSize,
}

/// How large a table is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSize {
    pub rows: u64,
    /// Whether the rows were counted; otherwise they are what the server estimates.
    pub is_counted: bool,
    /// Bytes of its rows and indexes, as the server tells.
    pub bytes: u64,
}

/// A number that tells contents from others: FNV-1a of 64 bits, no protection against forgery.
#[derive(Clone, Copy, Debug)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    pub fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    pub fn number(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    /// A text with its length, so that two texts are not one of the same letters.
    pub fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes(text.as_bytes());
    }

    pub fn finish(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(fingerprint: u64) -> OwnData {
        let file = DataFile {
            name: "schema.sql".into(),
            path: "/x".into(),
            bytes: 1,
            fingerprint,
            built_in: None,
        };
        let rows = RowGenerator {
            table: "orders".into(),
            rows: 10,
            columns: vec![GeneratedColumn {
                name: "id".into(),
                values: ColumnValues::Sequence { first: 1 },
                nulls: Nulls::NONE,
            }],
            set: BTreeMap::new(),
        };
        OwnData { setup: vec![file], load: vec![DataSource::Rows(rows)], ..OwnData::default() }
    }

    #[test]
    fn data_is_told_by_contents_generators_and_seed_and_not_by_names_or_restoring() {
        let first = data(1).fingerprint(7);
        assert_ne!(first, data(2).fingerprint(7));
        assert_ne!(first, data(1).fingerprint(8));
        let mut more = data(1);
        let DataSource::Rows(rows) = &mut more.load[0] else { unreachable!() };
        rows.rows = 11;
        assert_ne!(first, more.fingerprint(7));
        let mut moved = data(1);
        moved.setup[0].path = "/elsewhere".into();
        moved.restore = Restore::None;
        assert_eq!(first, moved.fingerprint(7));
    }
}
