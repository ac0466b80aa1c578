//! Searches for the highest load that meets a bound.

use crate::value::{Columns, Name, Nanos};
use model::{Bound, LatencyFigure, Search, SearchAnswer, SearchStep, Slo};
use rusqlite::{Connection, OptionalExtension, Result, params};

/// Writes the search of a trial with its steps.
pub(crate) fn insert(connection: &Connection, position: u32, search: &Search) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO search (position, over, figure, bound_ms, inclusive, cpu_percent,
             cpu_of_vms, replica_lag_ms, capacity, met, missed)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            position,
            Name(search.over),
            search.bound.slo.map(|slo| Name(slo.figure)),
            search.bound.slo.map(|slo| slo.bound_ms),
            search.bound.slo.map(|slo| slo.inclusive),
            search.bound.cpu_percent,
            search.bound.cpu_of_vms,
            search.bound.replica_lag_ms,
            search.capacity,
            search.answer.met,
            search.answer.missed
        ])?;
    let mut statement = connection.prepare_cached(
        "INSERT INTO search_step (position, number, load, achieved, figure_ms, cpu_busy,
         cpu_others, lag_ms, repeated, verdict, measured_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for (number, step) in search.steps.iter().enumerate() {
        statement.execute(params![
            position,
            number as u64,
            step.load,
            step.achieved,
            step.figure_ms,
            step.cpu_busy,
            step.cpu_others,
            step.lag_ms,
            step.repeated,
            Name(step.verdict),
            Nanos(step.measured)
        ])?;
    }
    Ok(())
}

/// Reads the search of a trial, if it made one.
pub(crate) fn select(connection: &Connection, position: u32) -> Result<Option<Search>> {
    connection
        .prepare_cached(
            "SELECT over, figure, bound_ms, inclusive, cpu_percent, cpu_of_vms, replica_lag_ms,
             capacity, met, missed FROM search WHERE position = ?",
        )?
        .query_row([position], |row| {
            let mut columns = Columns::of("search", row);
            // Fields are evaluated in the order written, which is that of the columns.
            Ok(Search {
                over: columns.name()?,
                bound: Bound {
                    slo: slo(&mut columns)?,
                    cpu_percent: columns.next()?,
                    cpu_of_vms: columns.next()?,
                    replica_lag_ms: columns.next()?,
                },
                capacity: columns.next()?,
                answer: SearchAnswer { met: columns.next()?, missed: columns.next()? },
                steps: select_steps(connection, position)?,
            })
        })
        .optional()
}

/// Three columns that are all there or all missing.
fn slo(columns: &mut Columns<'_>) -> Result<Option<Slo>> {
    let figure = columns.next::<Option<Name<LatencyFigure>>>()?.map(|Name(figure)| figure);
    match (figure, columns.both()?) {
        (Some(figure), Some((bound_ms, inclusive))) => {
            Ok(Some(Slo { figure, bound_ms, inclusive }))
        }
        (None, None) => Ok(None),
        _ => Err(columns.wrong("a bound has a figure, a number of milliseconds and inclusive")),
    }
}

fn select_steps(connection: &Connection, position: u32) -> Result<Vec<SearchStep>> {
    let mut statement = connection.prepare_cached(
        "SELECT load, achieved, figure_ms, cpu_busy, cpu_others, lag_ms, repeated, verdict, measured_ns
         FROM search_step WHERE position = ? ORDER BY number",
    )?;
    let steps = statement.query_map([position], |row| {
        let mut columns = Columns::of("search_step", row);
        Ok(SearchStep {
            load: columns.next()?,
            achieved: columns.next()?,
            figure_ms: columns.next()?,
            cpu_busy: columns.next()?,
            cpu_others: columns.next()?,
            lag_ms: columns.next()?,
            repeated: columns.next()?,
            verdict: columns.name()?,
            measured: columns.nanos()?,
        })
    })?;
    steps.collect()
}
