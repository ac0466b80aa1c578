//! What a load on storage adds: its virtual machines and volumes, and latencies by kind.

use crate::value::{Columns, Histogram, Nanos};
use model::{
    Fleet, FleetProcessors, IoAccount, IoFigures, StatementLatencies, Throttling, Verified,
    VmAccount, VolumeAccount,
};
use rusqlite::{Connection, OptionalExtension, Result, params};

pub(crate) fn insert_by_statement(
    connection: &Connection,
    position: u32,
    by_statement: &[StatementLatencies],
) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO statement_latencies (position, number, name, latencies) VALUES (?, ?, ?, ?)",
    )?;
    for (number, kind) in by_statement.iter().enumerate() {
        statement.execute(params![
            position,
            number as u64,
            kind.name,
            kind.latencies.to_bytes()
        ])?;
    }
    Ok(())
}

pub(crate) fn select_by_statement(
    connection: &Connection,
    position: u32,
) -> Result<Vec<StatementLatencies>> {
    let mut statement = connection.prepare_cached(
        "SELECT name, latencies FROM statement_latencies WHERE position = ? ORDER BY number",
    )?;
    let kinds = statement.query_map([position], |row| {
        let mut columns = Columns::of("statement_latencies", row);
        Ok(StatementLatencies { name: columns.next()?, latencies: histogram(&mut columns)? })
    })?;
    kinds.collect()
}

pub(crate) fn insert(connection: &Connection, position: u32, fleet: &Fleet) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO fleet (position, queue_depth, blocked_seconds, verified_units, \
             unknown_units)
             VALUES (?, ?, ?, ?, ?)",
        )?
        .execute(params![
            position,
            fleet.queue_depth,
            fleet.blocked_seconds,
            fleet.verified.map(|verified| verified.units),
            fleet.verified.map(|verified| verified.unknown)
        ])?;
    if let Some(processors) = &fleet.processors {
        insert_processors(connection, position, processors)?;
    }
    insert_volumes(connection, position, &fleet.volumes)?;
    insert_vms(connection, position, &fleet.vms)
}

fn insert_processors(
    connection: &Connection,
    position: u32,
    processors: &FleetProcessors,
) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO fleet_processors (position, count, busy, periods, throttled,
             throttled_seconds, period_ns) VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            position,
            processors.count,
            processors.busy,
            processors.throttling.periods,
            processors.throttling.throttled,
            processors.throttled_seconds,
            Nanos(processors.period)
        ])?;
    Ok(())
}

fn select_processors(connection: &Connection, position: u32) -> Result<Option<FleetProcessors>> {
    connection
        .prepare_cached(
            "SELECT count, busy, periods, throttled, throttled_seconds, period_ns
             FROM fleet_processors WHERE position = ?",
        )?
        .query_row([position], |row| {
            let mut columns = Columns::of("fleet_processors", row);
            Ok(FleetProcessors {
                count: columns.real()?,
                busy: columns.real()?,
                throttling: Throttling { periods: columns.next()?, throttled: columns.next()? },
                throttled_seconds: columns.real()?,
                period: columns.nanos()?,
            })
        })
        .optional()
}

fn insert_volumes(connection: &Connection, position: u32, volumes: &[VolumeAccount]) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO volume_account (position, volume, vms, bytes_read, read_latencies,
         bytes_written, write_latencies) VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?;
    for (number, volume) in volumes.iter().enumerate() {
        statement.execute(params![
            position,
            number as u64,
            volume.vms,
            volume.reads.bytes,
            volume.reads.latencies.to_bytes(),
            volume.writes.bytes,
            volume.writes.latencies.to_bytes()
        ])?;
    }
    Ok(())
}

fn insert_vms(connection: &Connection, position: u32, vms: &[VmAccount]) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO vm_account (position, vm, volume, reads, bytes_read, read_mean_ms,
         read_p99_ms, read_max_ms, writes, bytes_written, write_mean_ms, write_p99_ms,
         write_max_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for (number, VmAccount { volume, reads, writes }) in vms.iter().enumerate() {
        statement.execute(params![
            position,
            number as u64,
            volume,
            reads.count,
            reads.bytes,
            reads.mean_ms,
            reads.p99_ms,
            reads.max_ms,
            writes.count,
            writes.bytes,
            writes.mean_ms,
            writes.p99_ms,
            writes.max_ms
        ])?;
    }
    Ok(())
}

pub(crate) fn select(connection: &Connection, position: u32) -> Result<Option<Fleet>> {
    connection
        .prepare_cached(
            "SELECT queue_depth, blocked_seconds, verified_units, unknown_units FROM fleet
             WHERE position = ?",
        )?
        .query_row([position], |row| {
            let mut columns = Columns::of("fleet", row);
            Ok(Fleet {
                queue_depth: columns.next()?,
                blocked_seconds: columns.real()?,
                verified: verified(&mut columns)?,
                processors: select_processors(connection, position)?,
                volumes: select_volumes(connection, position)?,
                vms: select_vms(connection, position)?,
            })
        })
        .optional()
}

fn verified(columns: &mut Columns<'_>) -> Result<Option<Verified>> {
    Ok(columns.both()?.map(|(units, unknown)| Verified { units, unknown }))
}

fn select_volumes(connection: &Connection, position: u32) -> Result<Vec<VolumeAccount>> {
    let mut statement = connection.prepare_cached(
        "SELECT vms, bytes_read, read_latencies, bytes_written, write_latencies
         FROM volume_account WHERE position = ? ORDER BY volume",
    )?;
    let volumes = statement.query_map([position], |row| {
        let mut columns = Columns::of("volume_account", row);
        let vms = columns.next()?;
        let mut account = || -> Result<IoAccount> {
            Ok(IoAccount { bytes: columns.count()?, latencies: histogram(&mut columns)? })
        };
        Ok(VolumeAccount { vms, reads: account()?, writes: account()? })
    })?;
    volumes.collect()
}

fn select_vms(connection: &Connection, position: u32) -> Result<Vec<VmAccount>> {
    let mut statement = connection.prepare_cached(
        "SELECT volume, reads, bytes_read, read_mean_ms, read_p99_ms, read_max_ms, writes,
         bytes_written, write_mean_ms, write_p99_ms, write_max_ms FROM vm_account
         WHERE position = ? ORDER BY vm",
    )?;
    let vms = statement.query_map([position], |row| {
        let mut columns = Columns::of("vm_account", row);
        let volume = columns.next()?;
        let mut figures = || -> Result<IoFigures> {
            Ok(IoFigures {
                count: columns.count()?,
                bytes: columns.count()?,
                mean_ms: columns.next()?,
                p99_ms: columns.next()?,
                max_ms: columns.next()?,
            })
        };
        Ok(VmAccount { volume, reads: figures()?, writes: figures()? })
    })?;
    vms.collect()
}

fn histogram(columns: &mut Columns<'_>) -> Result<model::Latencies> {
    Ok(columns.next::<Histogram>()?.0)
}
