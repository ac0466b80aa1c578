//! Records of trials: outcome, load, phases, intervals and errors.

use crate::value::{Columns, Histogram, Json, Name, Nanos, Packed, damage, required};
use crate::{counts, cross_check, fleet, generators, open_loop, outcome, sampling, search};
use model::{
    ClientCost, ErrorCount, Failure, FailureKind, Interval, Ledger, LoadResult, Moved, Phase,
    PhaseTotals, ReceiveDelay, SideBySide, Trial, TrialEnd, TrialRecord, UnixMillis,
};
use rusqlite::{Connection, OptionalExtension, Result, params};
use std::collections::BTreeSet;
use std::time::Duration;

/// Writes a record whose trial is in the plan and has none yet.
pub(crate) fn insert(connection: &Connection, record: &TrialRecord) -> Result<()> {
    let position = record.position;
    let outcome = match &record.end {
        TrialEnd::Completed(_) => "completed",
        TrialEnd::Failed(_) => "failed",
    };
    connection
        .prepare_cached(
            "INSERT INTO trial
             (position, started_at_ms, finished_at_ms, clock_jump_ms, outcome, side_by_side,
             began_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            position,
            record.started_at.0,
            record.finished_at.0,
            record.clock_jump_ms,
            outcome,
            record.side_by_side.as_ref().map(|others| Json(&others.with)),
            record.side_by_side.as_ref().map(|others| others.began_at.0),
        ])?;
    match &record.end {
        TrialEnd::Completed(outcome) => {
            outcome::insert(connection, position, outcome)?;
            if let Some(load) = &outcome.load {
                insert_load(connection, position, load)?;
            }
        }
        TrialEnd::Failed(failure) => {
            connection
                .prepare_cached(
                    "INSERT INTO failure (position, kind, message, remedy) VALUES (?, ?, ?, ?)",
                )?
                .execute(params![position, Name(failure.kind), failure.message, failure.remedy])?;
        }
    }
    if let Some(second) = &record.cross_check {
        cross_check::insert(connection, position, second)?;
    }
    if let Some(found) = &record.search {
        search::insert(connection, position, found)?;
    }
    sampling::insert(connection, position, &record.sampling)
}

/// Fails where a record that was written cannot be read.
pub(crate) fn can_be_read(connection: &Connection, record: &TrialRecord) -> Result<()> {
    let TrialRecord { key, position, seed, .. } = record;
    let load_time = Duration::ZERO;
    let trial = Trial { key: key.clone(), position: *position, seed: *seed, load_time };
    select(connection, &trial).map(drop)
}

/// Positions of the trials that have a record, in the order of the plan.
pub(crate) fn positions(connection: &Connection) -> Result<BTreeSet<u32>> {
    let mut statement = connection.prepare("SELECT position FROM trial ORDER BY position")?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// Positions of those that failed. That a server does not offer something is no failure.
pub(crate) fn failed(connection: &Connection) -> Result<BTreeSet<u32>> {
    let mut statement =
        connection.prepare("SELECT position FROM failure WHERE kind <> ? ORDER BY position")?;
    statement.query_map([Name(FailureKind::NotOffered)], |row| row.get(0))?.collect()
}

/// Reads the record of a planned trial, if it has one.
pub(crate) fn select(connection: &Connection, planned: &Trial) -> Result<Option<TrialRecord>> {
    let position = planned.position;
    let head = connection
        .prepare_cached(
            "SELECT started_at_ms, finished_at_ms, clock_jump_ms, outcome, side_by_side, began_at_ms
             FROM trial WHERE position = ?",
        )?
        .query_row([position], |row| {
            let mut columns = Columns::of("trial", row);
            let times = (columns.next()?, columns.next()?, columns.next()?);
            let head = (times, columns.next::<String>()?);
            let with: Option<Json<Vec<u32>>> = columns.next()?;
            let began_at: Option<u64> = columns.next()?;
            let side_by_side = with
                .zip(began_at)
                .map(|(Json(with), began_at)| SideBySide { with, began_at: UnixMillis(began_at) });
            Ok((head, side_by_side))
        })
        .optional()?;
    let Some(((times, outcome), side_by_side)) = head else { return Ok(None) };
    let (started_at, finished_at, clock_jump_ms) = times;
    let end = if outcome == "failed" {
        TrialEnd::Failed(required("failure", select_failure(connection, position))?)
    } else if outcome != "completed" {
        return Err(damage("trial.outcome", format!("{outcome:?} is not an outcome")));
    } else {
        let load = select_load(connection, position).optional()?;
        TrialEnd::Completed(Box::new(outcome::select(connection, position, load)?))
    };
    Ok(Some(TrialRecord {
        key: planned.key.clone(),
        position,
        seed: planned.seed,
        started_at: UnixMillis(started_at),
        finished_at: UnixMillis(finished_at),
        clock_jump_ms,
        end,
        sampling: sampling::select(connection, position)?,
        cross_check: cross_check::select(connection, position)?,
        search: search::select(connection, position)?,
        side_by_side,
    }))
}

fn select_failure(connection: &Connection, position: u32) -> Result<Failure> {
    connection
        .prepare_cached("SELECT kind, message, remedy FROM failure WHERE position = ?")?
        .query_row([position], |row| {
            let mut columns = Columns::of("failure", row);
            Ok(Failure { kind: columns.name()?, message: columns.next()?, remedy: columns.next()? })
        })
}

fn insert_load(connection: &Connection, position: u32, load: &LoadResult) -> Result<()> {
    let LoadResult { ledger, requests, client, .. } = load;
    let delay = client.receive_delay;
    connection
        .prepare_cached(
            "INSERT INTO load (position, clients, began_at_ms, connect_time_ns, scheduled, ok, failed,
             timed_out, dropped, workers, cpus_allowed, cpu_seconds, busiest_worker, peak_rss_bytes,
             max_loop_lag_ns, io, client_delay_seconds, stamped_replies, receive_delay_p50_ms,
             receive_delay_p99_ms, receive_delay_max_ms, latencies, waits,
             idle_losses)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            position,
            load.clients,
            load.began_at.map(|at| at.0),
            Nanos(load.connect_time),
            ledger.scheduled,
            ledger.ok,
            ledger.failed,
            ledger.timed_out,
            ledger.dropped,
            client.workers,
            client.cpus_allowed,
            client.cpu_seconds,
            client.busiest_worker,
            client.peak_rss_bytes,
            Nanos(client.max_loop_lag),
            Name(client.io),
            client.client_delay_seconds,
            delay.map(|n| n.replies),
            delay.map(|n| n.p50_ms),
            delay.map(|n| n.p99_ms),
            delay.map(|n| n.max_ms),
            load.latencies.to_bytes(),
            load.waits.to_bytes(),
            load.idle_losses
        ])?;
    for (phase, totals) in [
        (Phase::Warmup, &load.warmup),
        (Phase::Measure, &load.measure),
        (Phase::Drain, &load.drain),
    ] {
        connection
            .prepare_cached(
                "INSERT INTO phase (position, phase, elapsed_ns, transactions, queries, errors,
                 bytes_read, bytes_written) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![
                position,
                Name(phase),
                Nanos(totals.elapsed),
                totals.transactions,
                totals.queries,
                totals.errors,
                totals.moved.read,
                totals.moved.written
            ])?;
    }
    counts::insert(connection, position, requests)?;
    insert_intervals(connection, position, &load.intervals)?;
    if let Some(open) = &load.open {
        open_loop::insert(connection, position, open)?;
    }
    open_loop::insert_outages(connection, position, &load.outages)?;
    fleet::insert_by_statement(connection, position, &load.by_statement)?;
    if let Some(fleet) = &load.fleet {
        fleet::insert(connection, position, fleet)?;
    }
    insert_errors(connection, position, &load.errors)?;
    generators::insert(connection, position, &load.generators)
}

fn insert_intervals(connection: &Connection, position: u32, intervals: &[Interval]) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO interval (position, number, phase, start_ns, length_ns, transactions,
         queries, errors, bytes_read, bytes_written, longest_statement_ns, latencies)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for (number, interval) in intervals.iter().enumerate() {
        statement.execute(params![
            position,
            number as u64,
            Name(interval.phase),
            Nanos(interval.start),
            Nanos(interval.length),
            interval.transactions,
            interval.queries,
            interval.errors,
            interval.moved.read,
            interval.moved.written,
            interval.longest_statement.map(Nanos),
            interval.latencies.as_bytes()
        ])?;
    }
    Ok(())
}

fn insert_errors(connection: &Connection, position: u32, errors: &[ErrorCount]) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO error (position, number, class, code, sql_state, message, count, remedy)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for (number, error) in errors.iter().enumerate() {
        statement.execute(params![
            position,
            number as u64,
            Name(error.class),
            error.code,
            error.sql_state,
            error.message,
            error.count,
            error.remedy
        ])?;
    }
    Ok(())
}

fn select_load(connection: &Connection, position: u32) -> Result<LoadResult> {
    let mut statement = connection.prepare_cached(
        "SELECT clients, began_at_ms, connect_time_ns, scheduled, ok, failed, timed_out, dropped, workers,
         cpus_allowed, cpu_seconds, busiest_worker, peak_rss_bytes, max_loop_lag_ns, io,
         client_delay_seconds, stamped_replies, receive_delay_p50_ms, receive_delay_p99_ms, receive_delay_max_ms, latencies,
         waits, idle_losses FROM load WHERE position = ?",
    )?;
    statement.query_row([position], |row| {
        let mut columns = Columns::of("load", row);
        // Fields are evaluated in the order written, which is that of the columns.
        Ok(LoadResult {
            clients: columns.next()?,
            began_at: columns.next::<Option<u64>>()?.map(UnixMillis),
            connect_time: columns.nanos()?,
            ledger: Ledger {
                scheduled: columns.count()?,
                ok: columns.count()?,
                failed: columns.count()?,
                timed_out: columns.count()?,
                dropped: columns.count()?,
            },
            by_statement: fleet::select_by_statement(connection, position)?,
            requests: counts::select(connection, position)?,
            client: ClientCost {
                workers: columns.next()?,
                cpus_allowed: columns.next()?,
                cpu_seconds: columns.real()?,
                busiest_worker: columns.real()?,
                peak_rss_bytes: columns.next()?,
                max_loop_lag: columns.nanos()?,
                io: columns.name()?,
                client_delay_seconds: columns.real()?,
                receive_delay: receive_delay(&mut columns)?,
            },
            latencies: columns.next::<Histogram>()?.0,
            waits: columns.next::<Histogram>()?.0,
            idle_losses: columns.count()?,
            warmup: select_phase(connection, position, Phase::Warmup)?,
            measure: select_phase(connection, position, Phase::Measure)?,
            drain: select_phase(connection, position, Phase::Drain)?,
            intervals: select_intervals(connection, position)?,
            errors: select_errors(connection, position)?,
            open: open_loop::select(connection, position)?,
            outages: open_loop::select_outages(connection, position)?,
            generators: generators::select(connection, position)?,
            fleet: fleet::select(connection, position)?,
        })
    })
}

/// How late replies were noticed; of what was not, the figures are missing as well.
fn receive_delay(columns: &mut Columns<'_>) -> Result<Option<ReceiveDelay>> {
    let replies: Option<u64> = columns.next()?;
    let (p50_ms, p99_ms, max_ms) = (columns.real()?, columns.real()?, columns.real()?);
    if replies.is_none() && [p50_ms, p99_ms, max_ms].iter().any(|ms| !ms.is_nan()) {
        return Err(columns.wrong("it is there, and stamped_replies is missing"));
    }
    Ok(replies.map(|replies| ReceiveDelay { replies, p50_ms, p99_ms, max_ms }))
}

fn select_phase(connection: &Connection, position: u32, phase: Phase) -> Result<PhaseTotals> {
    let totals = connection
        .prepare_cached(
            "SELECT elapsed_ns, transactions, queries, errors, bytes_read, bytes_written FROM phase
             WHERE position = ? AND phase = ?",
        )?
        .query_row(params![position, Name(phase)], |row| {
            let mut columns = Columns::of("phase", row);
            Ok(PhaseTotals {
                elapsed: columns.nanos()?,
                transactions: columns.count()?,
                queries: columns.count()?,
                errors: columns.count()?,
                moved: Moved { read: columns.count()?, written: columns.count()? },
            })
        });
    required("phase", totals)
}

fn select_intervals(connection: &Connection, position: u32) -> Result<Vec<Interval>> {
    let mut statement = connection.prepare_cached(
        "SELECT phase, start_ns, length_ns, transactions, queries, errors, bytes_read,
         bytes_written, longest_statement_ns, latencies FROM interval WHERE position = ? ORDER BY number",
    )?;
    let intervals = statement.query_map([position], |row| {
        let mut columns = Columns::of("interval", row);
        Ok(Interval {
            phase: columns.name()?,
            start: columns.nanos()?,
            length: columns.nanos()?,
            transactions: columns.count()?,
            queries: columns.count()?,
            errors: columns.count()?,
            moved: Moved { read: columns.count()?, written: columns.count()? },
            longest_statement: columns.maybe_nanos()?,
            latencies: columns.next::<Packed>()?.0,
        })
    })?;
    intervals.collect()
}

fn select_errors(connection: &Connection, position: u32) -> Result<Vec<ErrorCount>> {
    let mut statement = connection.prepare_cached(
        "SELECT class, code, sql_state, message, count, remedy FROM error
         WHERE position = ? ORDER BY number",
    )?;
    let errors = statement.query_map([position], |row| {
        let mut columns = Columns::of("error", row);
        Ok(ErrorCount {
            class: columns.name()?,
            code: columns.next()?,
            sql_state: columns.next()?,
            message: columns.next()?,
            count: columns.count()?,
            remedy: columns.next()?,
        })
    })?;
    errors.collect()
}
