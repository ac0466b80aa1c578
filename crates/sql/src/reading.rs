//! Variables that take values from answers.

use engine::{OperationError, SessionError};
use model::ErrorClass;
use workload::program::{Column, RowRead, Statement, Value, Variables};

/// Why variables cannot read from an answer of so many rows.
#[cold]
pub fn wrong_rows(statement: &Statement, rows: u64) -> Option<Box<OperationError>> {
    let wrong = statement.row_read.error(rows)?;
    Some(Box::new(OperationError {
        class: ErrorClass::Statement,
        code: "gset".to_owned(),
        sql_state: String::new(),
        message: format!("{}: {wrong}", statement.name),
    }))
}

/// Gives the variables that read from a statement the values of its answer, which has so many rows.
/// `find` knows the place of a column, and `read` replaces the text by its value in the row that was
/// kept; false for NULL.
///
/// # Errors
/// Where the answer has no such column; what `read` gives.
#[cold]
pub fn read_row(
    statement: &Statement,
    rows: u64,
    variables: &mut Variables,
    find: impl Fn(&str) -> Option<usize>,
    read: impl Fn(usize, &mut Vec<u8>) -> Result<bool, SessionError>,
    text: &mut Vec<u8>,
) -> Result<(), SessionError> {
    if rows == 0 && statement.row_read == RowRead::Last {
        return Ok(());
    }
    for one in &statement.reads {
        let column = match &one.column {
            Column::Number(number) => *number,
            Column::Name(name) => find(name).ok_or_else(|| {
                let statement = &statement.name;
                let what = format!("the answer to {statement} has no column {name}");
                SessionError::Protocol(what)
            })?,
        };
        match read(column, text)? {
            true => variables.set_text(one.variable, text),
            false => variables.set(one.variable, Value::Null),
        }
    }
    Ok(())
}
