//! Where the rows of inserts come from: files and generators.

use super::file::DataReader;
use super::{SqlServer, while_doing};
use model::{DataFile, Failure, FailureKind, RowGenerator};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use workload::data::{Cell, CsvError, CsvReader, CsvRow, RowError, RowMaker};

/// Bytes of one INSERT; below the smallest usual limit of a server.
const INSERT_BYTES: usize = 512 << 10;
/// Rows of one.
const INSERT_ROWS: usize = 5_000;

/// Rows of one statement.
#[derive(Clone, Debug, Default)]
pub(super) struct Batch {
    pub(super) sql: Vec<u8>,
    /// What they are, for messages.
    pub(super) what: String,
    /// How much of all that there is to do.
    pub(super) done: u64,
}

/// Gives the rows of a table to several connections, each a statement at a time.
pub(super) trait Rows: Sync {
    /// The next statement; `None` when there are no more.
    fn batch(&self, server: &dyn SqlServer) -> Result<Option<Batch>, Failure>;
}

/// Rows that are made up.
pub(super) struct GeneratedRows<'a> {
    pub(super) generator: &'a RowGenerator,
    pub(super) maker: RowMaker,
    /// The first row that nobody has taken.
    next: AtomicU32,
    rows_at_once: u32,
}

impl<'a> GeneratedRows<'a> {
    pub(super) fn new(generator: &'a RowGenerator, mut maker: RowMaker) -> Result<Self, Failure> {
        // As long as the first rows are, the others are about.
        let (mut bytes, sample) = (0, generator.rows.min(20));
        for number in 0..sample {
            let row = maker.row(number, &mut |cell| {
                bytes += 3 + match cell {
                    Cell::Null => 4,
                    Cell::Number(text) | Cell::Text(text) => text.len(),
                };
            });
            row.map_err(|error| not_made(&generator.table, number, &error))?;
        }
        let per_row = bytes / (sample.max(1) as usize) + 4;
        let rows_at_once = (INSERT_BYTES / 2 / per_row).clamp(1, INSERT_ROWS) as u32;
        Ok(Self { generator, maker, next: AtomicU32::new(0), rows_at_once })
    }
}

impl Rows for GeneratedRows<'_> {
    fn batch(&self, server: &dyn SqlServer) -> Result<Option<Batch>, Failure> {
        let RowGenerator { table, rows, columns, .. } = self.generator;
        let taken = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |next| {
            (next < *rows).then(|| next.saturating_add(self.rows_at_once).min(*rows))
        });
        let Ok(from) = taken else { return Ok(None) };
        let to = from.saturating_add(self.rows_at_once).min(*rows);
        let names = columns.iter().map(|column| column.name.as_str());
        let mut sql = insert(server, table, names);
        let mut maker = self.maker.clone();
        for number in from..to {
            begin_row(&mut sql, number == from);
            let mut is_first = true;
            let row = maker.row(number, &mut |cell| {
                if !std::mem::take(&mut is_first) {
                    sql.push(b',');
                }
                server.write_cell(cell, &mut sql);
            });
            row.map_err(|error| not_made(table, number, &error))?;
            sql.push(b')');
        }
        let what = format!("rows {} to {to} of {table}", from + 1);
        Ok(Some(Batch { sql, what, done: u64::from(to - from) }))
    }
}

/// Rows of a CSV file.
pub(super) struct CsvRows<'a> {
    table: &'a str,
    file: &'a DataFile,
    state: Mutex<CsvState>,
}

struct CsvState {
    reader: DataReader,
    rows: Option<CsvReader>,
    /// Read and not yet used.
    input: Vec<u8>,
    columns: Vec<String>,
}

impl<'a> CsvRows<'a> {
    /// Opens a file and reads its header.
    pub(super) fn open(
        table: &'a str,
        file: &'a DataFile,
        check_stop: &dyn Fn() -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let mut state = CsvState {
            reader: DataReader::open(file, check_stop)?,
            rows: Some(CsvReader::default()),
            input: Vec::new(),
            columns: Vec::new(),
        };
        let header = state.row(file)?.ok_or_else(|| wrong(file, 1, "it has no header"))?;
        let name = |field: Option<&[u8]>| {
            let name = std::str::from_utf8(field.unwrap_or_default());
            let name =
                name.map_err(|_| wrong(file, header.line, "the header is not UTF-8"))?.trim();
            match name.is_empty() {
                true => Err(wrong(file, header.line, "a column has no name in the header")),
                false => Ok(name.to_owned()),
            }
        };
        state.columns = header.fields().map(name).collect::<Result<_, Failure>>()?;
        Ok(Self { table, file, state: Mutex::new(state) })
    }
}

impl CsvState {
    fn row(&mut self, file: &DataFile) -> Result<Option<CsvRow>, Failure> {
        let not_read = |error: CsvError| wrong(file, error.line, &error.message);
        loop {
            let Some(rows) = &mut self.rows else { return Ok(None) };
            let mut input = self.input.as_slice();
            let row = rows.row(&mut input).map_err(not_read)?;
            let taken = self.input.len() - input.len();
            if row.is_some() {
                self.input.drain(..taken);
                return Ok(row);
            }
            self.input.clear();
            if !self.reader.piece(&mut self.input)? {
                self.reader.check()?;
                let rows = self.rows.take().unwrap_or_default();
                return rows.end().map_err(not_read);
            }
        }
    }
}

impl Rows for CsvRows<'_> {
    fn batch(&self, server: &dyn SqlServer) -> Result<Option<Batch>, Failure> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let names = state.columns.clone();
        let mut sql = insert(server, self.table, names.iter().map(String::as_str));
        let (mut first, mut last) = (0, 0);
        let mut count = 0;
        while sql.len() < INSERT_BYTES && count < INSERT_ROWS {
            let Some(row) = state.row(self.file)? else { break };
            if row.len() != names.len() {
                let message =
                    format!("the row has {} fields, and the header {}", row.len(), names.len());
                return Err(wrong(self.file, row.line, &message));
            }
            begin_row(&mut sql, count == 0);
            for (index, field) in row.fields().enumerate() {
                if index > 0 {
                    sql.push(b',');
                }
                if field.is_some_and(|field| std::str::from_utf8(field).is_err()) {
                    return Err(wrong(self.file, row.line, "a field is not UTF-8"));
                }
                server.write_cell(field.map_or(Cell::Null, Cell::Text), &mut sql);
            }
            sql.push(b')');
            first = if count == 0 { row.line } else { first };
            last = row.line;
            count += 1;
        }
        if count == 0 {
            return Ok(None);
        }
        let done = state.reader.progress();
        let lines = match first == last {
            true => format!("line {first}"),
            false => format!("lines {first} to {last}"),
        };
        let what = format!("{}, {lines}, into {}", self.file.name, self.table);
        Ok(Some(Batch { sql, what, done }))
    }
}

fn insert<'n>(
    server: &dyn SqlServer,
    table: &str,
    columns: impl Iterator<Item = &'n str>,
) -> Vec<u8> {
    let columns: Vec<String> = columns.map(|name| server.quoted(name)).collect();
    format!("INSERT INTO {} ({}) VALUES ", server.quoted(table), columns.join(", ")).into_bytes()
}

fn begin_row(sql: &mut Vec<u8>, is_first: bool) {
    sql.extend_from_slice(if is_first { b"(" } else { b",(" });
}

/// A row that cannot be made up.
fn not_made(table: &str, number: u32, error: &RowError) -> Failure {
    let failure = Failure::new(
        FailureKind::Other,
        error.to_string(),
        "change the expression in `columns`, so that it has a value for every row",
    );
    while_doing(&format!("making row {} of {table}", u64::from(number) + 1), failure)
}

fn wrong(file: &DataFile, line: u64, message: &str) -> Failure {
    let failure = Failure::new(
        FailureKind::Other,
        format!("line {line}: {message}"),
        "a CSV file has a header that names columns, and rows with as many fields",
    );
    while_doing(&file.name, failure)
}
