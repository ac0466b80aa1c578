//! What the disks did while a trial ran, and which of them its server's data is on.

use crate::value::Columns;
use model::{DiskRates, Sample};
use rusqlite::{Connection, Result, params};

/// Writes the disks of a trial's sample of that number.
pub(crate) fn insert(
    connection: &Connection,
    position: u32,
    machine: u32,
    number: u64,
    sample: &Sample,
) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO disk_sample (position, machine, sample, number, device, reads, writes, read_bytes,
         written_bytes, reads_merged, writes_merged, read_await_ms, write_await_ms, flushes,
         flush_await_ms, discards, discarded_bytes, discards_merged, discard_await_ms, queue,
         utilisation) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for (disk_number, disk) in sample.disks.iter().enumerate() {
        statement.execute(params![
            position,
            machine,
            number,
            disk_number as u64,
            disk.device,
            disk.reads,
            disk.writes,
            disk.read_bytes,
            disk.written_bytes,
            disk.reads_merged,
            disk.writes_merged,
            disk.read_await_ms,
            disk.write_await_ms,
            disk.flushes,
            disk.flush_await_ms,
            disk.discards,
            disk.discarded_bytes,
            disk.discards_merged,
            disk.discard_await_ms,
            disk.queue,
            disk.utilisation
        ])?;
    }
    Ok(())
}

/// Reads them.
pub(crate) fn select(
    connection: &Connection,
    position: u32,
    machine: u32,
    sample: u64,
) -> Result<Vec<DiskRates>> {
    let mut statement = connection.prepare_cached(
        "SELECT device, reads, writes, read_bytes, written_bytes, reads_merged, writes_merged,
         read_await_ms, write_await_ms, flushes, flush_await_ms, discards, discarded_bytes,
         discards_merged, discard_await_ms, queue, utilisation
         FROM disk_sample WHERE position = ? AND machine = ? AND sample = ? ORDER BY number",
    )?;
    let disks = statement.query_map(params![position, machine, sample], |row| {
        let mut columns = Columns::of("disk_sample", row);
        // Fields are evaluated in the order written, which is that of the columns.
        Ok(DiskRates {
            device: columns.next()?,
            reads: columns.real()?,
            writes: columns.real()?,
            read_bytes: columns.real()?,
            written_bytes: columns.real()?,
            reads_merged: columns.real()?,
            writes_merged: columns.real()?,
            read_await_ms: columns.next()?,
            write_await_ms: columns.next()?,
            flushes: columns.real()?,
            flush_await_ms: columns.next()?,
            discards: columns.real()?,
            discarded_bytes: columns.real()?,
            discards_merged: columns.real()?,
            discard_await_ms: columns.next()?,
            queue: columns.real()?,
            utilisation: columns.real()?,
        })
    })?;
    disks.collect()
}

/// Writes the disks that the data of a trial's server is on.
pub(crate) fn insert_volume(
    connection: &Connection,
    position: u32,
    machine: u32,
    devices: &[String],
) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO volume_device (position, machine, number, device) VALUES (?, ?, ?, ?)",
    )?;
    for (number, device) in devices.iter().enumerate() {
        statement.execute(params![position, machine, number as u64, device])?;
    }
    Ok(())
}

/// Reads them.
pub(crate) fn select_volume(
    connection: &Connection,
    position: u32,
    machine: u32,
) -> Result<Vec<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT device FROM volume_device WHERE position = ? AND machine = ? ORDER BY number",
    )?;
    statement
        .query_map([position, machine], |row| Columns::of("volume_device", row).next())?
        .collect()
}
