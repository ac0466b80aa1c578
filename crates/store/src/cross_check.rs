//! What another tool made of a trial.

use crate::value::{Columns, Name, Nanos};
use model::{
    CrossCheckEnd, CrossCheckFigures, CrossCheckPart, CrossCheckRecord, Failure, FailureKind,
};
use rusqlite::{Connection, OptionalExtension, Result, params};

/// Writes the cross-check of a trial.
pub(crate) fn insert(
    connection: &Connection,
    position: u32,
    cross_check: &CrossCheckRecord,
) -> Result<()> {
    let (figures, failure) = match &cross_check.end {
        CrossCheckEnd::Measured(figures) => (Some(figures), None),
        CrossCheckEnd::Failed(failure) => (None, Some(failure)),
    };
    connection
        .prepare_cached(
            "INSERT INTO cross_check (position, tool, tool_ran, transactions, queries, errors,
             elapsed_ns, transactions_per_second, latency_mean_ms, latency_p95_ms, cpu_seconds,
             peak_rss_bytes, rate_rounding, percentile_rounding, failure_kind, failure_message,
             failure_remedy)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            position,
            cross_check.tool,
            Name(cross_check.order),
            figures.map(|figures| figures.transactions),
            figures.map(|figures| figures.queries),
            figures.map(|figures| figures.errors),
            figures.map(|figures| Nanos(figures.elapsed)),
            figures.map(|figures| figures.transactions_per_second),
            figures.map(|figures| figures.latency_mean_ms),
            figures.and_then(|figures| figures.latency_p95_ms),
            figures.map(|figures| figures.cpu_seconds),
            figures.and_then(|figures| figures.peak_rss_bytes),
            figures.map(|figures| figures.rate_rounding),
            figures.map(|figures| figures.percentile_rounding),
            failure.map(|failure| Name(failure.kind)),
            failure.map(|failure| &failure.message),
            failure.map(|failure| &failure.remedy)
        ])?;
    let mut statement = connection.prepare_cached(
        "INSERT INTO cross_check_part (position, direction, per_second, latency_mean_ms,
         latency_p99_ms) VALUES (?, ?, ?, ?, ?)",
    )?;
    for part in figures.map(|figures| &figures.parts).into_iter().flatten() {
        let CrossCheckPart { direction, per_second, latency_mean_ms, latency_p99_ms } = part;
        let direction = Name(*direction);
        statement.execute(params![
            position,
            direction,
            per_second,
            latency_mean_ms,
            latency_p99_ms
        ])?;
    }
    Ok(())
}

fn parts(connection: &Connection, position: u32) -> Result<Vec<CrossCheckPart>> {
    connection
        .prepare_cached(
            "SELECT direction, per_second, latency_mean_ms, latency_p99_ms
             FROM cross_check_part WHERE position = ? ORDER BY direction",
        )?
        .query_map([position], |row| {
            let mut columns = Columns::of("cross_check_part", row);
            Ok(CrossCheckPart {
                direction: columns.name()?,
                per_second: columns.real()?,
                latency_mean_ms: columns.real()?,
                latency_p99_ms: columns.next()?,
            })
        })?
        .collect()
}

/// Reads the cross-check of a trial, if there is one.
pub(crate) fn select(connection: &Connection, position: u32) -> Result<Option<CrossCheckRecord>> {
    let cross_check = connection
        .prepare_cached(
            "SELECT tool, tool_ran, failure_kind, failure_message, failure_remedy, transactions,
             queries, errors, elapsed_ns, transactions_per_second, latency_mean_ms,
             latency_p95_ms, cpu_seconds, peak_rss_bytes, rate_rounding, percentile_rounding
             FROM cross_check WHERE position = ?",
        )?
        .query_row([position], |row| {
            let mut columns = Columns::of("cross_check", row);
            // Fields are evaluated in the order written, which is that of the columns.
            Ok(CrossCheckRecord {
                tool: columns.next()?,
                order: columns.name()?,
                end: end(&mut columns)?,
            })
        })
        .optional()?;
    cross_check
        .map(|mut cross_check| {
            if let CrossCheckEnd::Measured(figures) = &mut cross_check.end {
                figures.parts = parts(connection, position)?;
            }
            Ok(cross_check)
        })
        .transpose()
}

fn end(columns: &mut Columns<'_>) -> Result<CrossCheckEnd> {
    let kind: Option<Name<FailureKind>> = columns.next()?;
    let words: Option<(String, String)> = columns.both()?;
    if kind.is_some() != words.is_some() {
        return Err(columns.wrong("a failure has a kind, a message and a remedy"));
    }
    if let (Some(Name(kind)), Some((message, remedy))) = (kind, words) {
        return Ok(CrossCheckEnd::Failed(Failure { kind, message, remedy }));
    }
    Ok(CrossCheckEnd::Measured(CrossCheckFigures {
        transactions: columns.count()?,
        queries: columns.count()?,
        errors: columns.count()?,
        elapsed: columns.nanos()?,
        transactions_per_second: columns.real()?,
        latency_mean_ms: columns.real()?,
        latency_p95_ms: columns.next()?,
        cpu_seconds: columns.real()?,
        peak_rss_bytes: columns.next()?,
        parts: Vec::new(),
        rate_rounding: columns.real()?,
        percentile_rounding: columns.real()?,
    }))
}
