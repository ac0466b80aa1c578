//! Price lists as a cloud publishes them: which of their rows a study takes.

use super::json;
use super::row::Row;
use crate::problem::{Place, Problems};
use crate::text::url::may_hold_password;
use model::PriceUnit;
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
                "a list is the CSV or JSON that AWS publishes, or Infracost’s breakdown as JSON; its path is relative to this file",
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

/// Where the columns are that are taken.
struct Columns {
    sku: usize,
    term: usize,
    description: usize,
    effective: usize,
    unit: usize,
    price: usize,
    currency: usize,
    /// Absent from some lists.
    region: Option<usize>,
}

impl Columns {
    fn from_names(row: &CsvRow) -> Option<Self> {
        let place = |name: &str| row.fields().position(|field| field == Some(name.as_bytes()));
        Some(Self {
            sku: place("SKU")?,
            term: place("TermType")?,
            description: place("PriceDescription")?,
            effective: place("EffectiveDate")?,
            unit: place("Unit")?,
            price: place("PricePerUnit")?,
            currency: place("Currency")?,
            region: place("Region Code").or_else(|| place("Location")),
        })
    }
}

/// What was found so far.
#[derive(Default)]
struct PriceTable<'a> {
    skus: &'a [String],
    before_names: usize,
    columns: Option<Columns>,
    rows: Vec<Row>,
}

impl PriceTable<'_> {
    fn add(&mut self, row: &CsvRow) -> Result<(), Error> {
        let Some(columns) = &self.columns else {
            self.columns = Columns::from_names(row);
            self.before_names += 1;
            let is_none = self.columns.is_none() && self.before_names > MOST_BEFORE_NAMES;
            return if is_none { Err(no_columns()) } else { Ok(()) };
        };
        let field = |place: usize| {
            let field = row.fields().nth(place).flatten().unwrap_or_default();
            String::from_utf8_lossy(field).into_owned()
        };
        let sku = field(columns.sku);
        if !self.skus.contains(&sku) {
            return Ok(());
        }
        if self.rows.len() == MOST_ROWS {
            return Err(Error::other(format!("more than {MOST_ROWS} rows have these SKUs")));
        }
        self.rows.push(Row {
            sku,
            term: field(columns.term),
            description: field(columns.description),
            effective: field(columns.effective),
            unit: field(columns.unit),
            price: field(columns.price),
            currency: field(columns.currency),
            region: columns.region.map(field).unwrap_or_default(),
            is_part: false,
        });
        Ok(())
    }

    fn finish(self) -> Result<Vec<Row>, Error> {
        if self.columns.is_none() { Err(no_columns()) } else { Ok(self.rows) }
    }
}

fn no_columns() -> Error {
    Error::other(
        "no row has the columns SKU, TermType, PriceDescription, EffectiveDate, Unit, PricePerUnit \
         and Currency",
    )
}

/// What a unit of a list is in a bill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ListUnit {
    pub(super) per: PriceUnit,
    /// How many of the list's are one of the bill's.
    pub(super) times: f64,
    /// Whether it is known only from the study how many are paid for, as with provisioned IOs.
    pub(super) needs_quantity: bool,
}

/// `None` of one that a load says nothing of.
pub(super) fn unit(name: &str) -> Option<ListUnit> {
    let of = |per, times, needs_quantity| Some(ListUnit { per, times, needs_quantity });
    match name.to_ascii_lowercase().as_str() {
        "hrs" | "hours" | "hour" | "hr" => of(PriceUnit::Hour, 1.0, false),
        "month" | "months" | "mo" => of(PriceUnit::Month, 1.0, false),
        "gb-mo" | "gb-month" => of(PriceUnit::GbMonth, 1.0, false),
        "gb" => of(PriceUnit::GbSent, 1.0, false),
        "ios" | "io" => of(PriceUnit::MillionIos, 1e6, false),
        "requests" | "request" => of(PriceUnit::MillionRequests, 1e6, false),
        other if other.ends_with("-mo") || other.ends_with("-month") => {
            of(PriceUnit::Month, 1.0, true)
        }
        other if other.ends_with("-hr") || other.ends_with("-hrs") || other.ends_with("-hours") => {
            of(PriceUnit::Hour, 1.0, true)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_lists_are_those_of_bills() {
        let of = |name| unit(name).map(|unit| (unit.per, unit.times, unit.needs_quantity));
        assert_eq!(of("Hrs"), Some((PriceUnit::Hour, 1.0, false)));
        assert_eq!(of("GB-Mo"), Some((PriceUnit::GbMonth, 1.0, false)));
        assert_eq!(of("IOs"), Some((PriceUnit::MillionIos, 1e6, false)));
        assert_eq!(of("GB"), Some((PriceUnit::GbSent, 1.0, false)));
        assert_eq!(of("IOPS-Mo"), Some((PriceUnit::Month, 1.0, true)));
        assert_eq!(of("ACU-Hr"), Some((PriceUnit::Hour, 1.0, true)));
        assert_eq!(of("Quantity"), None);
    }

    #[test]
    fn a_table_that_is_no_price_list_is_refused() {
        let rows = |text: &str| csv_rows(text.as_bytes(), &["A".to_owned()]);
        assert!(rows("a,b\n1,2\n").is_err());
        assert!(rows(&"x,y\n".repeat(100)).is_err());
        assert!(rows("\"FormatVersion\",\"v1").is_err(), "a quoted field does not end");
    }
}
