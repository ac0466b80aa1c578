//! Columns of CSV files that scripts pick values from.

use crate::problem::Problems;
use compression::{Contents, ContentsError};
use model::bounds::{MAX_COLUMN, MAX_COLUMN_FILE};
use model::{ScriptColumn, SqlSyntax, Transactions};
use std::fs::File;
use std::io::{Error, ErrorKind};
use std::path::Path;
use workload::data::{CsvError, CsvReader, CsvRow};
use workload::own;
use workload::script::{Need, Needed, ScriptError};

/// Characters of the names of columns that a message shows.
const LONGEST_NAMES: usize = 200;

/// Reads the columns that scripts need.
///
/// # Errors
/// When a script is wrong, or a column is not to be had.
pub(super) fn read(own: &mut Transactions, problems: &Problems) -> Result<(), ScriptError> {
    let syntax = problems.syntaxes.first().copied().unwrap_or(SqlSyntax::STANDARD);
    let parsed = own::parse_without_columns(own, syntax)?;
    for need in parsed.needs() {
        let Needed::Column { file, column } = &need.needed else { continue };
        let values = values(own, need, file, column, problems).map_err(|error| {
            need.failed(&format!("the values of {file} cannot be read: {}", error.0), error.1)
        })?;
        let (file, column) = (file.clone(), column.clone());
        let script = &mut own.transactions[need.script].script;
        script.columns.push(ScriptColumn { file, column, values });
    }
    Ok(())
}

/// Why values are not to be had, and what to do about it.
struct ColumnError(String, &'static str);

impl From<Error> for ColumnError {
    fn from(error: Error) -> Self {
        let help = "the file is CSV with a line of names, and lies beside the script; gzip, zstd, bzip2 or \
                    xz may have compressed it";
        Self(error.to_string(), help)
    }
}

impl From<ContentsError> for ColumnError {
    fn from(error: ContentsError) -> Self {
        match error {
            ContentsError::Unreadable(error) => error.into(),
            damaged => Self(format!("it {damaged}"), damaged.help()),
        }
    }
}

impl From<CsvError> for ColumnError {
    fn from(error: CsvError) -> Self {
        Error::other(error.to_string()).into()
    }
}

fn values(
    own: &Transactions,
    need: &Need,
    file: &str,
    column: &str,
    problems: &Problems,
) -> Result<String, ColumnError> {
    let origin = Path::new(&own.transactions[need.script].script.origin);
    let directory = problems.directory.as_deref();
    let directory = directory.ok_or_else(|| Error::other("the study is in no directory"))?;
    let beside = origin.parent().unwrap_or(Path::new("")).join(file);
    let path = directory.join(&beside);
    problems.note_file(&beside.display().to_string(), &path);
    // Of a regular file alone: another may never end.
    if !std::fs::metadata(&path)?.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is no regular file").into());
    }
    let mut contents = Contents::open(file, File::open(path)?)?;
    match read_column(&mut contents, column) {
        // What is damaged may be unpacked to anything, until the checksum at its end tells.
        Err(error) if contents.is_compressed() => {
            read_on(&mut contents, &mut |_| Ok(()))?;
            Err(error)
        }
        read => read,
    }
}

/// Reads the rest of a file, of which a script takes so much.
fn read_on(
    contents: &mut Contents,
    take: &mut dyn FnMut(&[u8]) -> Result<(), ColumnError>,
) -> Result<(), ColumnError> {
    let (mut piece, mut bytes) = (Vec::new(), 0);
    while contents.piece(&mut piece)? {
        bytes += piece.len() as u64;
        if bytes > MAX_COLUMN_FILE {
            let message = format!("it is larger than {} MiB", MAX_COLUMN_FILE >> 20);
            return Err(Error::new(ErrorKind::FileTooLarge, message).into());
        }
        take(&piece)?;
        piece.clear();
    }
    Ok(())
}

fn read_column(contents: &mut Contents, column: &str) -> Result<String, ColumnError> {
    let mut values = Column { name: column, number: None, columns: 0, values: String::new() };
    let mut reader = CsvReader::default();
    read_on(contents, &mut |mut input| {
        while let Some(row) = reader.row(&mut input)? {
            values.add(&row)?;
        }
        Ok(())
    })?;
    if let Some(row) = reader.end()? {
        values.add(&row)?;
    }
    Ok(values.finish()?)
}

/// What was read of a column.
struct Column<'a> {
    name: &'a str,
    /// Known from the first row.
    number: Option<usize>,
    /// Likewise, how many there are.
    columns: usize,
    values: String,
}

impl Column<'_> {
    fn add(&mut self, row: &CsvRow) -> Result<(), Error> {
        let Some(number) = self.number else {
            let name = |field: Option<&[u8]>| match std::str::from_utf8(field.unwrap_or_default()) {
                Ok(name) => Ok(name.trim().to_owned()),
                Err(_) => {
                    let line = row.line;
                    Err(Error::other(format!("line {line}: the names of the columns are no UTF-8")))
                }
            };
            let names = row.fields().map(name).collect::<Result<Vec<String>, Error>>()?;
            self.number = names.iter().position(|name| name == self.name);
            self.columns = names.len();
            let message = || {
                let names = names.join("`, `");
                let names = model::text::excerpt(&names, LONGEST_NAMES);
                Error::other(format!("it has no column `{}`; its columns are `{names}`", self.name))
            };
            return self.number.map(|_| ()).ok_or_else(message);
        };
        let wrong = |what: &str| Error::other(format!("line {}: {what}", row.line));
        if row.len() != self.columns {
            let (fields, columns) = (row.len(), self.columns);
            return Err(wrong(&format!("the row has {fields} fields, and the header {columns}")));
        }
        // A row without a value gives none.
        let Some(value) = row.fields().nth(number).flatten() else { return Ok(()) };
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
