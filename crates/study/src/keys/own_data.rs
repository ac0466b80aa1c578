//! The keys of the data that a workload of the user's own runs on.

use crate::keys::Maybe;
use model::bounds::{MAX_COLUMNS, MAX_ROWS};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// What fills tables: the name of a SQL script, or a table.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "the name of a SQL script, or a table with `table`")]
pub(crate) enum SourceKey {
    Script(String),
    Table(Box<SourceTable>),
}

/// A table that is filled from a CSV `file`, or with `rows` that are made up.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceTable {
    /// Its name.
    pub table: String,
    /// A file of comma-separated values, relative to the study file. Its first row names the columns; a
    /// field that is empty and not quoted, or `\N`, is NULL.
    pub file: Option<String>,
    /// In place of a file: how many rows are made up, as a number, or an expression of variables of `set`,
    /// such as `"10 * :warehouses"`. The seed of the study decides what is in them.
    pub rows: Option<RowsKey>,
    /// With `rows`: where the values of each column come from.
    #[schemars(length(min = 1, max = MAX_COLUMNS))]
    pub columns: Option<BTreeMap<String, ColumnKey>>,
}

/// How many rows are made up.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a number, or an expression such as \"10 * :warehouses\"")]
pub(crate) enum RowsKey {
    Number(#[schemars(range(min = 1, max = MAX_ROWS))] i64),
    Expression(String),
}

/// Which values of a column are NULL.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a percentage, or a condition such as \":row % 10 = 0\"")]
pub(crate) enum NullsKey {
    Percent(#[schemars(range(min = 0, max = 100))] i64),
    Where(String),
}

/// Where the values of a column come from: `sequence` (the number of the row), or a table with one of
/// `sequence`, `integer`, `decimal`, `of`, `date`, `datetime`, `weighted`, `text`, `pattern` and
/// `expression`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "\"sequence\", or a table such as { integer = [1, 100] }")]
pub(crate) enum ColumnKey {
    Word(String),
    Table(Box<ColumnTable>),
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ColumnTable {
    /// The number of the row, of which the first is this one.
    pub sequence: Option<i64>,
    /// Whole numbers, such as `[1, 100]`, both ends included.
    pub integer: Option<[i64; 2]>,
    /// Numbers with `digits` after the point, such as `[1, 500]`, both ends included.
    pub decimal: Option<[f64; 2]>,
    /// Of `decimal`: digits after the point. Of `expression` with `words`: how many of the last digits
    /// become words.
    #[schemars(range(min = 0, max = 9), extend("default" = 2))]
    pub digits: Option<i64>,
    /// A column of another table, such as `customers.id`, that was filled before: a foreign key that
    /// holds.
    pub of: Option<String>,
    /// Days, such as `["2024-01-01", "2026-01-01"]`, both ends included.
    pub date: Option<[String; 2]>,
    /// Moments to the second, from the beginning of the first day to the end of the second.
    pub datetime: Option<[String; 2]>,
    /// Texts with how often each is drawn, such as `{ open = 5, paid = 80 }`.
    pub weighted: Option<BTreeMap<String, f64>>,
    /// Words of so many characters together, such as `[10, 200]`.
    pub text: Option<[u32; 2]>,
    /// A text in which `{row}` is the number of the row, such as `user{row}@example.com`.
    pub pattern: Option<String>,
    /// Of `integer` and `of`: how often the first values are drawn more than others: `uniform`,
    /// `zipfian` with `s`, `pareto` with `h`, or `gaussian`.
    pub distribution: Option<String>,
    /// The exponent of `zipfian`.
    pub s: Option<f64>,
    /// The share of `pareto` that gets all the others.
    pub h: Option<f64>,
    /// What an expression of scripts gives, such as `":row / 10 + 1"`: `:row` is the number of the row,
    /// from 0, and variables of `set` have their values.
    pub expression: Option<String>,
    /// With `expression`: ten words, by which the last `digits` of its number are spelled.
    pub words: Option<[String; 10]>,
    /// Which of the values are NULL: so many of a hundred, or those of rows for which an expression is
    /// true, such as `":row % 3000 >= 2100"`.
    #[schemars(extend("default" = 0))]
    pub nulls: Option<NullsKey>,
}

/// What must hold of the data after every trial.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct InvariantTable {
    /// Unique within the test.
    #[schemars(with = "Option<String>", length(min = 1, max = 64))]
    #[schemars(extend("x-absent" = "`invariant` and its number"))]
    pub name: Maybe<String>,
    /// A query.
    #[schemars(with = "String", length(min = 1))]
    pub sql: Maybe<String>,
    /// What it gives, such as `0`: fields of a row joined by a comma, rows by a line feed.
    #[schemars(with = "GivesKey")]
    pub gives: Maybe<GivesKey>,
}

/// What a query gives.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a number or a text")]
pub(crate) enum GivesKey {
    Number(i64),
    Text(String),
}
