//! What an open loop and an outage add to a load.

use crate::value::{Columns, Histogram, Name, Nanos};
use model::{OpenLoopResult, Outage};
use rusqlite::{Connection, OptionalExtension, Result, params};

pub(crate) fn insert(connection: &Connection, position: u32, open: &OpenLoopResult) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO open_loop (position, rate, process, scheduled, answered, service_times,
             schedule_lags, max_waiting, most_waiting) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            position,
            open.rate,
            Name(open.process),
            open.scheduled,
            open.answered,
            open.service_times.to_bytes(),
            open.schedule_lags.to_bytes(),
            open.max_waiting,
            open.most_waiting
        ])?;
    Ok(())
}

pub(crate) fn select(connection: &Connection, position: u32) -> Result<Option<OpenLoopResult>> {
    connection
        .prepare_cached(
            "SELECT rate, process, scheduled, answered, service_times, schedule_lags,
             max_waiting, most_waiting FROM open_loop WHERE position = ?",
        )?
        .query_row([position], |row| {
            let mut columns = Columns::of("open_loop", row);
            Ok(OpenLoopResult {
                rate: columns.next()?,
                process: columns.name()?,
                scheduled: columns.count()?,
                answered: columns.count()?,
                service_times: columns.next::<Histogram>()?.0,
                schedule_lags: columns.next::<Histogram>()?.0,
                max_waiting: columns.count()?,
                most_waiting: columns.count()?,
            })
        })
        .optional()
}

pub(crate) fn insert_outages(
    connection: &Connection,
    position: u32,
    outages: &[Outage],
) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO outage (position, number, first_error_ns, first_success_ns, recovered_ns,
         failed) VALUES (?, ?, ?, ?, ?, ?)",
    )?;
    for (number, outage) in outages.iter().enumerate() {
        statement.execute(params![
            position,
            number as u64,
            Nanos(outage.first_error),
            outage.first_success.map(Nanos),
            outage.recovered.map(Nanos),
            outage.failed
        ])?;
    }
    Ok(())
}

pub(crate) fn select_outages(connection: &Connection, position: u32) -> Result<Vec<Outage>> {
    let mut statement = connection.prepare_cached(
        "SELECT first_error_ns, first_success_ns, recovered_ns, failed FROM outage
         WHERE position = ? ORDER BY number",
    )?;
    let outages = statement.query_map([position], |row| {
        let mut columns = Columns::of("outage", row);
        Ok(Outage {
            first_error: columns.nanos()?,
            first_success: columns.maybe_nanos()?,
            recovered: columns.maybe_nanos()?,
            failed: columns.count()?,
        })
    })?;
    outages.collect()
}
