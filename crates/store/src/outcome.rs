//! What came of a trial that completed, its load aside.

use crate::value::{Columns, Histogram, Name, damage};
use model::{
    Figure, FigureNumber, FigureValue, LoadResult, Mark, Outcome, Printed, ResultSource, TimeSeries,
};
use rusqlite::{Connection, OptionalExtension, Result, params};

/// Writes everything but the load.
pub(crate) fn insert(connection: &Connection, position: u32, outcome: &Outcome) -> Result<()> {
    if let Some(source) = &outcome.source {
        connection
            .prepare_cached("INSERT INTO source (position, file, tool) VALUES (?, ?, ?)")?
            .execute(params![position, source.file, source.tool])?;
    }
    if let Some(latencies) = &outcome.latencies {
        connection
            .prepare_cached("INSERT INTO printed_latencies (position, latencies) VALUES (?, ?)")?
            .execute(params![position, latencies.to_bytes()])?;
    }
    let mut insert = connection.prepare_cached(
        "INSERT INTO figure (position, number, metric, value, resolution, text, unit, line, note)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for (number, figure) in outcome.figures.iter().enumerate() {
        let (value, text) = match &figure.value {
            FigureValue::Number(number) => (Some(number), None),
            FigureValue::Text(text) => (None, Some(text)),
        };
        insert.execute(params![
            position,
            number,
            figure.metric,
            value.map(|number| number.value),
            value.map(|number| number.resolution),
            text,
            figure.unit,
            figure.printed.as_ref().map(|printed| printed.line),
            figure.printed.as_ref().map(|printed| &printed.note)
        ])?;
    }
    let mut insert = connection.prepare_cached(
        "INSERT INTO mark (position, number, name, at_seconds, until_seconds, result, work, note)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for (number, mark) in outcome.marks.iter().enumerate() {
        let Mark { name, at_seconds, until_seconds, result, work, note } = mark;
        let (result, work) = (result.map(Name), work.map(Name));
        insert.execute(params![
            position,
            number,
            name,
            at_seconds,
            until_seconds,
            result,
            work,
            note
        ])?;
    }
    insert_series(connection, position, &outcome.series)
}

fn insert_series(connection: &Connection, position: u32, series: &[TimeSeries]) -> Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO series (position, number, name, unit, from_seconds, step_seconds)
         VALUES (?, ?, ?, ?, ?, ?)",
    )?;
    let mut insert_value = connection.prepare_cached(
        "INSERT INTO series_value (position, number, step, value) VALUES (?, ?, ?, ?)",
    )?;
    for (number, one) in series.iter().enumerate() {
        let TimeSeries { name, unit, from_seconds, step_seconds, values } = one;
        insert.execute(params![position, number, name, unit, from_seconds, step_seconds])?;
        for (step, value) in values.iter().enumerate() {
            insert_value.execute(params![position, number, step, value])?;
        }
    }
    Ok(())
}

/// Reads it, to go with this load. Something must be there.
pub(crate) fn select(
    connection: &Connection,
    position: u32,
    load: Option<LoadResult>,
) -> Result<Outcome> {
    let source = connection
        .prepare_cached("SELECT file, tool FROM source WHERE position = ?")?
        .query_row([position], |row| {
            let mut columns = Columns::of("source", row);
            Ok(ResultSource { file: columns.next()?, tool: columns.next()? })
        })
        .optional()?;
    let latencies = connection
        .prepare_cached("SELECT latencies FROM printed_latencies WHERE position = ?")?
        .query_row([position], |row| {
            Columns::of("printed_latencies", row).next().map(|Histogram(latencies)| latencies)
        })
        .optional()?;
    let figures = connection
        .prepare_cached(
            "SELECT metric, value, resolution, text, unit, line, note FROM figure
             WHERE position = ? ORDER BY number",
        )?
        .query_map([position], |row| figure(&mut Columns::of("figure", row)))?
        .collect::<Result<Vec<Figure>>>()?;
    let marks = connection
        .prepare_cached(
            "SELECT name, at_seconds, until_seconds, result, work, note FROM mark
             WHERE position = ? ORDER BY number",
        )?
        .query_map([position], |row| {
            let mut columns = Columns::of("mark", row);
            Ok(Mark {
                name: columns.next()?,
                at_seconds: columns.next()?,
                until_seconds: columns.next()?,
                result: columns.next::<Option<Name<_>>>()?.map(|Name(result)| result),
                work: columns.next::<Option<Name<_>>>()?.map(|Name(work)| work),
                note: columns.next()?,
            })
        })?
        .collect::<Result<_>>()?;
    if source.is_none() && load.is_none() && figures.is_empty() {
        return Err(damage("load", "the row is missing, and the trial has no figures either"));
    }
    let series = select_series(connection, position)?;
    let load = load.map(Box::new);
    Ok(Outcome { source, figures, load, latencies, marks, series })
}

fn select_series(connection: &Connection, position: u32) -> Result<Vec<TimeSeries>> {
    let mut series = connection
        .prepare_cached(
            "SELECT name, unit, from_seconds, step_seconds FROM series
             WHERE position = ? ORDER BY number",
        )?
        .query_map([position], |row| {
            let mut columns = Columns::of("series", row);
            Ok(TimeSeries {
                name: columns.next()?,
                unit: columns.next()?,
                from_seconds: columns.next()?,
                step_seconds: columns.next()?,
                values: Vec::new(),
            })
        })?
        .collect::<Result<Vec<TimeSeries>>>()?;
    let mut statement = connection.prepare_cached(
        "SELECT number, step, value FROM series_value WHERE position = ? ORDER BY number, step",
    )?;
    let mut rows = statement.query([position])?;
    while let Some(row) = rows.next()? {
        let mut columns = Columns::of("series_value", row);
        let number: usize = columns.next()?;
        let values = series.get_mut(number).map(|series| &mut series.values);
        let values = values.ok_or_else(|| columns.wrong("there is no series of that number"))?;
        let step: usize = columns.next()?;
        if step != values.len() {
            return Err(columns.wrong("a step is missing before it"));
        }
        values.push(columns.next()?);
    }
    Ok(series)
}

fn figure(columns: &mut Columns<'_>) -> Result<Figure> {
    let metric = columns.next()?;
    let number: Option<(f64, f64)> = columns.both()?;
    let value = match (number, columns.next()?) {
        (Some((value, resolution)), None) => {
            FigureValue::Number(FigureNumber { value, resolution })
        }
        (None, Some(text)) => FigureValue::Text(text),
        _ => return Err(columns.wrong("a figure is a number or a text")),
    };
    let unit = columns.next()?;
    let printed = columns.both()?.map(|(line, note)| Printed { line, note });
    Ok(Figure { metric, value, unit, printed })
}
