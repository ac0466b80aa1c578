//! Tables: CSV as spreadsheets and scripts save it, with one figure a row or one trial a row.

mod columns;
mod decimal;
mod dialect;
mod map;
mod markdown;
mod names;
mod rows;
mod tidy;
mod words;

pub use decimal::DecimalMark;
pub use map::{MapError, TableOptions};
pub use names::ColumnRole;
pub(crate) use tidy::recognises as is_tidy;

use crate::{Format, Parsed, Source};
use columns::Columns;
use model::FigureValue;
use std::borrow::Cow;

/// A table: tidy, one figure a row, with the columns `target`, `test`, `metric` and `value`; or as people
/// save their results, with a row for each trial, or a column for each target or number of clients.
///
/// Commas, semicolons or tabs part its cells. Whether `1.234` is a thousand is decided by all numbers of
/// the column, or asked.
#[derive(Clone, Copy, Debug)]
pub struct Table;

/// Longest line that a table's first may be.
const LONGEST_HEADING: usize = 64 << 10;
/// Rows by which a table is recognised.
const TELLING_ROWS: usize = 50;

impl Format for Table {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn description(&self) -> &'static str {
        "a table (CSV, Markdown, a sheet of .xlsx or .ods): one figure a row, or one trial a row"
    }

    fn recognises(&self, text: &str) -> bool {
        let first = text.lines().next().unwrap_or_default();
        if first.len() > LONGEST_HEADING || first.starts_with(['{', '<']) {
            return false;
        }
        let csv = markdown::as_csv(text);
        if matches!(csv, Cow::Borrowed(_)) && first.starts_with('#') {
            return false;
        }
        let text = csv.as_ref();
        tidy::recognises(text) || {
            let cells = dialect::cells(text, TELLING_ROWS);
            Columns::from_cells(&cells, &TableOptions::default()).is_table(&cells)
        }
    }

    fn parse(&self, source: Source<'_>) -> Parsed {
        self.parse_with(source, &TableOptions::default())
    }

    fn parse_with(&self, source: Source<'_>, options: &TableOptions) -> Parsed {
        let csv = markdown::as_csv(source.text);
        let source = Source { text: &csv, ..source };
        if tidy::recognises(source.text) {
            tidy::parse(source, options)
        } else {
            rows::parse(&source, options)
        }
    }
}

/// Refuses a rate or a latency below zero; `named` is what the table calls it.
fn not_negative(metric: &str, named: &str, text: &str, value: &FigureValue) -> Result<(), String> {
    let is_measured = ["latency_", "iops"].iter().any(|start| metric.starts_with(start))
        || metric.ends_with("_per_s");
    match value {
        FigureValue::Number(number) if is_measured && number.value < 0.0 => {
            Err(format!("{named} is «{text}», and no rate or latency is negative"))
        }
        _ => Ok(()),
    }
}
