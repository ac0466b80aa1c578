//! Price lists as a cloud publishes them: which of their rows a study takes.

use super::columns::{Columns, Lack, Says};
use super::json;
use super::row::{ON_DEMAND, Row};
use crate::problem::{Place, Problems};
use crate::text::url::may_hold_password;
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;
use workload::data::{CsvReader, CsvRow};

/// Bytes that a list as CSV may have, of which a few rows are kept.
const LARGEST_CSV: u64 = 1 << 30;
/// The same as JSON, which is read as a whole.
const LARGEST_JSON: u64 = 64 << 20;
/// Bytes read at a time.
const PIECE: usize = 1 << 20;
/// Rows before the one with the names of columns: what the list is.
const MOST_BEFORE_NAMES: usize = 32;
/// Rows of the SKUs that a study names: tiers and terms of each.
const MOST_ROWS: usize = 10_000;
/// Reads the rows of some SKUs; notes a list that cannot be read.
pub(super) fn read(
    written: &str,
    at: Place,
    skus: &[String],
    problems: &mut Problems,
) -> Option<Vec<Row>> {
    let path = problems.directory.as_deref().map(|directory| directory.join(written));
    let rows = match path {
        Some(_) if may_hold_password(written) => {
            Err(Error::new(ErrorKind::InvalidInput, "this is a URL with a password"))
        }
        Some(path) => rows_of(&path, skus),
        None => Err(Error::new(ErrorKind::Unsupported, "the study is in no directory")),
    };
    match rows {
        Ok(rows) => Some(rows),
        Err(reason) => {
            problems.add(at, format!("the price list {written} cannot be read: {reason}")).help(
                "a list is the CSV or JSON that AWS, Azure or Google Cloud publishes, or Infracost’s breakdown as \
                 JSON; its path is relative to this file",
            );
            None
        }
    }
}

/// Of a regular file alone: another may never end.
fn rows_of(path: &Path, skus: &[String]) -> Result<Vec<Row>, Error> {
    let facts = std::fs::metadata(path)?;
    if !facts.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is no regular file"));
    }
    let is_json = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
    let limit = if is_json { LARGEST_JSON } else { LARGEST_CSV };
    if facts.len() > limit {
        let message = format!("it is larger than {} MiB", limit >> 20);
        return Err(Error::new(ErrorKind::FileTooLarge, message));
    }
    let file = File::open(path)?.take(limit);
    if is_json { json::rows(file, skus) } else { csv_rows(file, skus) }
}

/// The rows of a list as CSV: some that say what it is, one with names of columns, one for each price.
pub(super) fn csv_rows(mut file: impl Read, skus: &[String]) -> Result<Vec<Row>, Error> {
    let (mut reader, mut piece) = (CsvReader::default(), vec![0; PIECE]);
    let mut found = PriceTable { skus, ..PriceTable::default() };
    loop {
        let length = file.read(&mut piece)?;
        if length == 0 {
            if let Some(row) = reader.end().map_err(|error| Error::other(error.to_string()))? {
                found.add(&row)?;
            }
            return found.finish();
        }
        let mut input = &piece[..length];
        while let Some(row) =
            reader.row(&mut input).map_err(|error| Error::other(error.to_string()))?
        {
            found.add(&row)?;
        }
    }
}

/// What was found so far.
#[derive(Default)]
struct PriceTable<'a> {
    skus: &'a [String],
    before_names: usize,
    columns: Option<Columns>,
    /// What the row that was most like one with names lacks.
    nearest: Option<Lack>,
    rows: Vec<Row>,
}

impl PriceTable<'_> {
    fn add(&mut self, row: &CsvRow) -> Result<(), Error> {
        let Some(columns) = &self.columns else { return self.add_names(row) };
        let at = |place: usize| {
            let field = row.fields().nth(place).flatten().unwrap_or_default();
            String::from_utf8_lossy(field).into_owned()
        };
        let field = |says: Says| columns.places(says).map(at).next();
        let Some(sku) = columns.places(Says::Sku).map(at).find(|sku| self.skus.contains(sku))
        else {
            return Ok(());
        };
        if self.rows.len() == MOST_ROWS {
            return Err(Error::other(format!("more than {MOST_ROWS} rows have these SKUs")));
        }
        let unit = field(Says::Unit).unwrap_or_default();
        let unit = match field(Says::UnitQuantity) {
            Some(number) if number != "1" => format!("{number} {unit}"),
            _ => unit,
        };
        let term = field(Says::Term);
        self.rows.push(Row {
            sku,
            is_on_demand: term.is_none_or(|term| ON_DEMAND.contains(&term.as_str())),
            description: field(Says::Description).unwrap_or_default(),
            effective: field(Says::Effective).unwrap_or_default(),
            unit,
            price: field(Says::Price).unwrap_or_default(),
            currency: field(Says::Currency).or(columns.currency.clone()).unwrap_or_default(),
            region: field(Says::Region).unwrap_or_default(),
            is_part: false,
        });
        Ok(())
    }

    fn add_names(&mut self, row: &CsvRow) -> Result<(), Error> {
        match Columns::from_names(row) {
            Ok(columns) => self.columns = Some(columns),
            Err(lack) => {
                self.nearest = Some(match self.nearest.take() {
                    Some(nearest) => nearest.or_nearer(lack),
                    None => lack,
                });
            }
        }
        self.before_names += 1;
        let is_none = self.columns.is_none() && self.before_names > MOST_BEFORE_NAMES;
        if is_none { Err(self.no_columns()) } else { Ok(()) }
    }

    fn finish(self) -> Result<Vec<Row>, Error> {
        if self.columns.is_none() { Err(self.no_columns()) } else { Ok(self.rows) }
    }

    fn no_columns(&self) -> Error {
        Error::other(self.nearest.as_ref().map_or("it is empty".to_owned(), Lack::text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_is_no_price_list_is_refused() {
        let rows = |text: &str| csv_rows(text.as_bytes(), &["A".to_owned()]);
        assert!(rows("a,b\n1,2\n").is_err());
        assert!(rows(&"x,y\n".repeat(100)).is_err());
        assert!(rows("").is_err());
        assert!(rows("\"FormatVersion\",\"v1").is_err(), "a quoted field does not end");
    }
}
