//! What somebody else printed of a trial.

use crate::value::{Columns, Histogram};
use model::{PrintedNumber, PrintedValue, Reported, ReportedFigure};
use rusqlite::{Connection, OptionalExtension, Result, params};

/// Writes what was imported as the result of a trial.
pub(crate) fn insert(connection: &Connection, position: u32, reported: &Reported) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO reported (position, file, tool, latencies) VALUES (?, ?, ?, ?)",
        )?
        .execute(params![
            position,
            reported.file,
            reported.tool,
            reported.latencies.as_ref().map(model::Latencies::to_bytes)
        ])?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO reported_figure
         (position, number, metric, value, resolution, text, unit, note, line)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for (number, figure) in reported.figures.iter().enumerate() {
        let (value, text) = match &figure.value {
            PrintedValue::Number(number) => (Some(number), None),
            PrintedValue::Text(text) => (None, Some(text)),
        };
        insert.execute(params![
            position,
            number,
            figure.metric,
            value.map(|printed| printed.value),
            value.map(|printed| printed.resolution),
            text,
            figure.unit,
            figure.note,
            figure.line
        ])?;
    }
    Ok(())
}

/// Reads what was imported as the result of a trial, if it was imported.
pub(crate) fn select(connection: &Connection, position: u32) -> Result<Option<Reported>> {
    let head = connection
        .prepare_cached("SELECT file, tool, latencies FROM reported WHERE position = ?")?
        .query_row([position], |row| {
            let mut columns = Columns::of("reported", row);
            Ok(Reported {
                file: columns.next()?,
                tool: columns.next()?,
                latencies: columns
                    .next::<Option<Histogram>>()?
                    .map(|Histogram(latencies)| latencies),
                figures: Vec::new(),
            })
        })
        .optional()?;
    let Some(reported) = head else { return Ok(None) };
    let mut statement = connection.prepare_cached(
        "SELECT metric, value, resolution, text, unit, note, line FROM reported_figure
         WHERE position = ? ORDER BY number",
    )?;
    let figures =
        statement.query_map([position], |row| figure(&mut Columns::of("reported_figure", row)))?;
    Ok(Some(Reported { figures: figures.collect::<Result<_>>()?, ..reported }))
}

fn figure(columns: &mut Columns<'_>) -> Result<ReportedFigure> {
    let metric = columns.next()?;
    let number: Option<(f64, f64)> = columns.both()?;
    let value = match (number, columns.next()?) {
        (Some((value, resolution)), None) => {
            PrintedValue::Number(PrintedNumber { value, resolution })
        }
        (None, Some(text)) => PrintedValue::Text(text),
        _ => return Err(columns.wrong("a figure is a number or a text")),
    };
    let (unit, note, line) = (columns.next()?, columns.next()?, columns.next()?);
    Ok(ReportedFigure { metric, value, unit, note, line })
}
