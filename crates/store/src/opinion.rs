//! What another tool made of a trial.

use crate::value::{Columns, Name, Nanos};
use model::{Failure, FailureKind, OpinionEnd, OpinionFigures, OpinionPart, SecondOpinion};
use rusqlite::{Connection, OptionalExtension, Result, params};

/// Writes the second opinion on a trial.
pub(crate) fn insert(
    connection: &Connection,
    position: u32,
    opinion: &SecondOpinion,
) -> Result<()> {
    let (figures, failure) = match &opinion.end {
        OpinionEnd::Measured(figures) => (Some(figures), None),
        OpinionEnd::Failed(failure) => (None, Some(failure)),
    };
    connection
        .prepare_cached(
            "INSERT INTO second_opinion (position, tool, turn, transactions, queries, errors,
             elapsed_ns, transactions_per_second, latency_mean_ms, latency_p95_ms, cpu_seconds,
             peak_rss_bytes, rate_rounding, percentile_rounding, failure_kind, failure_message,
             failure_remedy)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            position,
            opinion.tool,
            Name(opinion.turn),
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
        "INSERT INTO second_opinion_part (position, direction, per_second, latency_mean_ms,
         latency_p99_ms) VALUES (?, ?, ?, ?, ?)",
    )?;
    for part in figures.map(|figures| &figures.parts).into_iter().flatten() {
        let OpinionPart { direction, per_second, latency_mean_ms, latency_p99_ms } = part;
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

fn parts(connection: &Connection, position: u32) -> Result<Vec<OpinionPart>> {
    connection
        .prepare_cached(
            "SELECT direction, per_second, latency_mean_ms, latency_p99_ms
             FROM second_opinion_part WHERE position = ? ORDER BY direction",
        )?
        .query_map([position], |row| {
            let mut columns = Columns::of("second_opinion_part", row);
            Ok(OpinionPart {
                direction: columns.name()?,
                per_second: columns.real()?,
                latency_mean_ms: columns.real()?,
                latency_p99_ms: columns.next()?,
            })
        })?
        .collect()
}

/// Reads the second opinion on a trial, if there is one.
pub(crate) fn select(connection: &Connection, position: u32) -> Result<Option<SecondOpinion>> {
    let opinion = connection
        .prepare_cached(
            "SELECT tool, turn, failure_kind, failure_message, failure_remedy, transactions,
             queries, errors, elapsed_ns, transactions_per_second, latency_mean_ms,
             latency_p95_ms, cpu_seconds, peak_rss_bytes, rate_rounding, percentile_rounding
             FROM second_opinion WHERE position = ?",
        )?
        .query_row([position], |row| {
            let mut columns = Columns::of("second_opinion", row);
            // Fields are evaluated in the order written, which is that of the columns.
            Ok(SecondOpinion {
                tool: columns.next()?,
                turn: columns.name()?,
                end: end(&mut columns)?,
            })
        })
        .optional()?;
    opinion
        .map(|mut opinion| {
            if let OpinionEnd::Measured(figures) = &mut opinion.end {
                figures.parts = parts(connection, position)?;
            }
            Ok(opinion)
        })
        .transpose()
}

fn end(columns: &mut Columns<'_>) -> Result<OpinionEnd> {
    let kind: Option<Name<FailureKind>> = columns.next()?;
    let words: Option<(String, String)> = columns.both()?;
    if kind.is_some() != words.is_some() {
        return Err(columns.wrong("a failure has a kind, a message and a remedy"));
    }
    if let (Some(Name(kind)), Some((message, remedy))) = (kind, words) {
        return Ok(OpinionEnd::Failed(Failure { kind, message, remedy }));
    }
    Ok(OpinionEnd::Measured(OpinionFigures {
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
