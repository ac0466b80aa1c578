//! What each of several load generators did.

use crate::value::{Columns, Nanos, Packed};
use model::GeneratorShare;
use rusqlite::{Connection, Result, params};

/// Writes the shares of a load, in order.
pub(crate) fn insert(
    connection: &Connection,
    position: u32,
    shares: &[GeneratorShare],
) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO generator (position, number, host, clients, transactions, queries, errors, latencies,
         cpu_seconds, peak_rss_bytes, begun_late_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for (number, share) in shares.iter().enumerate() {
        statement.execute(params![
            position,
            number as u64,
            share.host,
            share.clients,
            share.transactions,
            share.queries,
            share.errors,
            share.latencies.as_bytes(),
            share.cpu_seconds,
            share.peak_rss_bytes,
            Nanos(share.begun_late)
        ])?;
    }
    Ok(())
}

/// Reads them; none where one process made the load.
pub(crate) fn select(connection: &Connection, position: u32) -> Result<Vec<GeneratorShare>> {
    let mut statement = connection.prepare_cached(
        "SELECT host, clients, transactions, queries, errors, latencies, cpu_seconds, peak_rss_bytes,
         begun_late_ns FROM generator WHERE position = ? ORDER BY number",
    )?;
    let shares = statement.query_map([position], |row| {
        let mut columns = Columns::of("generator", row);
        Ok(GeneratorShare {
            host: columns.next()?,
            clients: columns.next()?,
            transactions: columns.count()?,
            queries: columns.count()?,
            errors: columns.count()?,
            latencies: columns.next::<Packed>()?.0,
            cpu_seconds: columns.real()?,
            peak_rss_bytes: columns.next()?,
            begun_late: columns.nanos()?,
        })
    })?;
    shares.collect()
}
