//! How values of the model are kept in columns, where SQLite has no type for them.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Result, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::error::Error;
use std::time::Duration;

/// The columns of a row, taken one after another in the order of the query.
pub(crate) struct Columns<'a> {
    row: &'a Row<'a>,
    next: usize,
}

impl<'a> Columns<'a> {
    pub fn of(row: &'a Row<'a>) -> Self {
        Self { row, next: 0 }
    }

    pub fn next<T: FromSql>(&mut self) -> Result<T> {
        self.next += 1;
        self.row.get(self.next - 1)
    }

    pub fn nanos(&mut self) -> Result<Duration> {
        Ok(self.next::<Nanos>()?.0)
    }

    pub fn real(&mut self) -> Result<f64> {
        Ok(self.next::<Option<f64>>()?.unwrap_or(f64::NAN))
    }

    pub fn name<T: DeserializeOwned>(&mut self) -> Result<T> {
        Ok(self.next::<Name<T>>()?.0)
    }
}

/// A length of time as whole nanoseconds; up to 292 years.
pub(crate) struct Nanos(pub Duration);

impl ToSql for Nanos {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        i64::try_from(self.0.as_nanos()).map(ToSqlOutput::from).map_err(unfit)
    }
}

impl FromSql for Nanos {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        u64::column_result(value).map(|nanos| Self(Duration::from_nanos(nanos)))
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
        let name = serde_json::Value::from(value.as_str()?);
        serde_json::from_value(name).map(Self).map_err(FromSqlError::other)
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

/// A distribution of latencies in the HDR V2 encoding.
pub(crate) struct Histogram(pub model::Latencies);

impl FromSql for Histogram {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        model::Latencies::from_bytes(value.as_blob()?).map(Self).map_err(FromSqlError::other)
    }
}

/// The same, left in that encoding.
pub(crate) struct Packed(pub model::PackedLatencies);

impl FromSql for Packed {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let bytes = value.as_blob()?.to_vec();
        model::PackedLatencies::from_bytes(bytes).map(Self).map_err(FromSqlError::other)
    }
}

fn unfit(error: impl Into<Box<dyn Error + Send + Sync>>) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(error.into())
}
