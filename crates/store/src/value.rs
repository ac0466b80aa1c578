//! How values of the model are kept in columns, where SQLite has no type for them.

use model::{LONGEST_TIME, ReadBudget};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, Type, ValueRef};
use rusqlite::{Error, ErrorCode, Result, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde::de::value::StrDeserializer;
use std::time::Duration;

/// What makes no sense in a store, and where: `load.ok: -5 is out of range`.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {reason}")]
struct Damage {
    place: String,
    reason: String,
}

/// The error for what makes no sense at that place (a trial, a table, a table's column).
pub(crate) fn damage(place: impl Into<String>, reason: impl Into<String>) -> Error {
    let damage = Damage { place: place.into(), reason: reason.into() };
    Error::FromSqlConversionFailure(0, Type::Null, Box::new(damage))
}

/// What goes beyond the limit of what may be read, and where.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct BeyondLimit(String);

/// Charges memory for what is to be read.
pub(crate) fn charge(budget: &ReadBudget, bytes: u64) -> Result<()> {
    budget.charge(bytes).map_err(|over| beyond(over.to_string()))
}

fn beyond(reason: String) -> Error {
    Error::FromSqlConversionFailure(0, Type::Null, Box::new(BeyondLimit(reason)))
}

/// Says of an error of [`damage`] or [`charge`] what it is in; others stay as they are.
pub(crate) fn within(place: &str, error: Error) -> Error {
    match error {
        Error::FromSqlConversionFailure(_, _, inner) if inner.is::<BeyondLimit>() => {
            beyond(format!("{place}: {inner}"))
        }
        Error::FromSqlConversionFailure(_, _, inner) if inner.is::<Damage>() => {
            damage(place, inner.to_string())
        }
        other => other,
    }
}

/// What is wrong with a value, where an error is about one that cannot be kept or read.
pub(crate) fn unfit_value(error: &Error) -> Option<String> {
    match error {
        Error::FromSqlConversionFailure(_, _, reason) | Error::ToSqlConversionFailure(reason) => {
            Some(reason.to_string())
        }
        Error::IntegralValueOutOfRange(_, value) => Some(format!("{value} is out of range")),
        Error::SqliteFailure(failure, _) if failure.code == ErrorCode::ConstraintViolation => {
            Some(error.to_string())
        }
        _ => None,
    }
}

/// The row that a trial must have in a table; names the table where it has none.
pub(crate) fn required<T>(table: &str, row: Result<T>) -> Result<T> {
    row.map_err(|error| match error {
        Error::QueryReturnedNoRows => damage(table, "the row is missing"),
        other => other,
    })
}

/// The columns of a row, taken one after another in the order of the query. Errors name table and
/// column.
pub(crate) struct Columns<'a> {
    table: &'static str,
    row: &'a Row<'a>,
    next: usize,
}

impl<'a> Columns<'a> {
    pub fn for_row(table: &'static str, row: &'a Row<'a>) -> Self {
        Self { table, row, next: 0 }
    }

    pub fn next<T: FromSql>(&mut self) -> Result<T> {
        let place = self.next;
        self.next += 1;
        self.row.get(place).map_err(|error| {
            let reason = match error {
                Error::FromSqlConversionFailure(_, _, reason) => reason.to_string(),
                Error::IntegralValueOutOfRange(_, value) => format!("{value} is out of range"),
                Error::Utf8Error(_, reason) => reason.to_string(),
                Error::InvalidColumnType(_, _, kind) => format!("{kind} is of the wrong type"),
                other => return other,
            };
            self.damage(place, reason)
        })
    }

    fn damage(&self, column: usize, reason: impl Into<String>) -> Error {
        let column = self.row.as_ref().column_name(column).unwrap_or("?");
        damage(format!("{}.{column}", self.table), reason)
    }

    pub fn nanos(&mut self) -> Result<Duration> {
        Ok(self.next::<Nanos>()?.0)
    }

    /// Two columns that are both there or both missing.
    pub fn both<A: FromSql, B: FromSql>(&mut self) -> Result<Option<(A, B)>> {
        match (self.next::<Option<A>>()?, self.next::<Option<B>>()?) {
            (Some(first), Some(second)) => Ok(Some((first, second))),
            (None, None) => Ok(None),
            _ => {
                let reason = "it and the column before it must both be there, or neither";
                Err(self.damage(self.next - 1, reason))
            }
        }
    }
}

/// A length of time as whole nanoseconds; up to [`LONGEST_TIME`].
pub(crate) struct Nanos(pub Duration);

impl ToSql for Nanos {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        i64::try_from(self.0.as_nanos()).map(ToSqlOutput::from).map_err(unfit)
    }
}

impl FromSql for Nanos {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let nanos = u64::column_result(value)?;
        match Duration::from_nanos(nanos) {
            length if length <= LONGEST_TIME => Ok(Self(length)),
            _ => Err(FromSqlError::OutOfRange(i64::try_from(nanos).unwrap_or(i64::MAX))),
        }
    }
}

/// A seed or a checksum as decimal text: SQLite's integers are signed, and these use all 64 bits.
pub(crate) struct Seed(pub u64);

impl ToSql for Seed {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok(self.0.to_string().into())
    }
}

impl FromSql for Seed {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str()?.parse().map(Self).map_err(FromSqlError::other)
    }
}

/// A variant of an enum without fields, by the name that serde gives it.
pub(crate) struct Name<T>(pub T);

impl<T: Serialize> ToSql for Name<T> {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        match serde_json::to_value(&self.0) {
            Ok(serde_json::Value::String(name)) => Ok(name.into()),
            Ok(other) => Err(unfit(format!("{other} is not the name of a variant"))),
            Err(error) => Err(unfit(error)),
        }
    }
}

impl<T: DeserializeOwned> FromSql for Name<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let name = StrDeserializer::<serde::de::value::Error>::new(value.as_str()?);
        T::deserialize(name).map(Self).map_err(FromSqlError::other)
    }
}

/// A value as JSON text.
pub(crate) struct Json<T>(pub T);

impl<T: Serialize> ToSql for Json<T> {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        serde_json::to_string(&self.0).map(ToSqlOutput::from).map_err(unfit)
    }
}

impl<T: DeserializeOwned> FromSql for Json<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        serde_json::from_str(value.as_str()?).map(Self).map_err(FromSqlError::other)
    }
}

/// The error for what cannot be kept.
pub(crate) fn unfit(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::ToSqlConversionFailure(error.into())
}

/// A value as JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(unfit)
}

/// Reads the document in a column, named for errors.
pub(crate) fn document<T: DeserializeOwned>(
    place: &str,
    column: ValueRef<'_>,
    budget: &ReadBudget,
) -> Result<T> {
    let text = column.as_str().map_err(|error| damage(place, error.to_string()))?;
    crate::document::read(text, budget).map_err(|wrong| match budget.verdict() {
        Ok(()) => damage(place, wrong.to_string()),
        Err(over) => beyond(over.to_string()),
    })
}
