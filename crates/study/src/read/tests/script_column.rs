//! Columns of CSV files that scripts pick values from.

use crate::problem::Problems;
use model::bounds::{MAX_COLUMN, MAX_COLUMN_FILE};
use model::{ScriptColumn, SqlSyntax, Transactions};
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;
use workload::data::{CsvReader, CsvRow};
use workload::own;
use workload::script::{Need, Needed, ScriptError};

/// Bytes read at a time.
const PIECE: usize = 1 << 20;

/// Reads the columns that scripts need.
///
/// # Errors
/// When a script is wrong, or a column is not to be had.
pub(super) fn read(own: &mut Transactions, problems: &Problems) -> Result<(), ScriptError> {
    let syntax = problems.syntaxes.first().copied().unwrap_or(SqlSyntax::STANDARD);
    let parsed = own::parse_without_columns(own, syntax)?;
    for need in parsed.needs() {
        let Needed::Column { file, column } = &need.needed else { continue };
        match values(own, need, file, column, problems) {
            Ok(values) => {
                let (file, column) = (file.clone(), column.clone());
                let script = &mut own.transactions[need.script].script;
                script.columns.push(ScriptColumn { file, column, values });
            }
            Err(reason) => {
                let message = format!("the values of {file} cannot be read: {reason}");
                let help = "the file is CSV with a line of names, and lies beside the script";
                return Err(need.failed(&message, help));
            }
        }
    }
    Ok(())
}

fn values(
    own: &Transactions,
    need: &Need,
    file: &str,
    column: &str,
    problems: &Problems,
) -> Result<String, Error> {
    let origin = Path::new(&own.transactions[need.script].script.origin);
    let directory = problems.directory.as_deref();
    let directory = directory.ok_or_else(|| Error::other("the study is in no directory"))?;
    let beside = origin.parent().unwrap_or(Path::new("")).join(file);
    let path = directory.join(&beside);
    problems.note_file(&beside.display().to_string(), &path);
    // Of a regular file alone: another may never end.
    let facts = std::fs::metadata(&path)?;
    if !facts.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is no regular file"));
    }
    if facts.len() > MAX_COLUMN_FILE {
        let message = format!("it is larger than {} MiB", MAX_COLUMN_FILE >> 20);
        return Err(Error::new(ErrorKind::FileTooLarge, message));
    }
    let mut values = Column { name: column, number: None, values: String::new() };
    let mut file = File::open(path)?.take(MAX_COLUMN_FILE);
    let (mut reader, mut piece) = (CsvReader::default(), vec![0; PIECE]);
    loop {
        let length = file.read(&mut piece)?;
        let mut input = &piece[..length];
        if length == 0 {
            if let Some(row) = reader.end().map_err(|error| Error::other(error.to_string()))? {
                values.add(&row)?;
            }
            return values.finish();
        }
        while let Some(row) =
            reader.row(&mut input).map_err(|error| Error::other(error.to_string()))?
        {
            values.add(&row)?;
        }
    }
}

/// What was read of a column.
struct Column<'a> {
    name: &'a str,
    /// Known from the first row.
    number: Option<usize>,
    values: String,
}

impl Column<'_> {
    fn add(&mut self, row: &CsvRow) -> Result<(), Error> {
        let Some(number) = self.number else {
            let is_it = |field: Option<&[u8]>| field == Some(self.name.as_bytes());
            self.number = row.fields().position(is_it);
            let message = || Error::other(format!("it has no column {}", self.name));
            return self.number.map(|_| ()).ok_or_else(message);
        };
        // A row without a value gives none.
        let Some(value) = row.fields().nth(number).flatten() else { return Ok(()) };
        let wrong = |what: &str| Error::other(format!("line {}: {what}", row.line));
        let value = std::str::from_utf8(value).map_err(|_| wrong("the value is no UTF-8"))?;
        if value.contains(['\n', '\r']) {
            return Err(wrong("the value has a line break in it"));
        }
        self.values.push_str(value);
        self.values.push('\n');
        if self.values.len() > MAX_COLUMN {
            return Err(wrong(&format!("the values take more than {} MiB", MAX_COLUMN >> 20)));
        }
        Ok(())
    }

    fn finish(self) -> Result<String, Error> {
        match self.values.is_empty() {
            true => Err(Error::other("there are no values")),
            false => Ok(self.values),
        }
    }
}
