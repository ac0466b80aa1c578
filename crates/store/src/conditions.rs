//! Under which conditions a trial ran.

use crate::value::{Columns, Json, required};
use model::{ClockReading, HostAccount, HostFacts, HostSampling, ProcessorUse, Throttling};
use rusqlite::{Connection, Result, params};

/// Writes what the kernel says of a trial's surroundings.
pub(crate) fn insert_account(
    connection: &Connection,
    position: u32,
    account: &HostAccount,
) -> Result<()> {
    let HostAccount { server_throttling: server, client_throttling: client, .. } = account;
    connection
        .prepare_cached(
            "INSERT INTO host_account (position, server_read_bytes, server_periods,
             server_throttled, client_periods, client_throttled, thermal_events,
             processor_use_json) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            position,
            account.server_read_bytes,
            server.map(|limit| limit.periods),
            server.map(|limit| limit.throttled),
            client.map(|limit| limit.periods),
            client.map(|limit| limit.throttled),
            account.thermal_events,
            Json(&account.processor_use)
        ])?;
    Ok(())
}

/// Reads it.
pub(crate) fn select_account(connection: &Connection, position: u32) -> Result<HostAccount> {
    let account = connection
        .prepare_cached(
            "SELECT server_read_bytes, server_periods, server_throttled, client_periods,
             client_throttled, thermal_events, processor_use_json FROM host_account WHERE position = ?",
        )?
        .query_row([position], |row| {
            let mut columns = Columns::of("host_account", row);
            Ok(HostAccount {
                server_read_bytes: columns.next()?,
                server_throttling: throttling(&mut columns)?,
                client_throttling: throttling(&mut columns)?,
                thermal_events: columns.next()?,
                processor_use: columns.next::<Json<ProcessorUse>>()?.0,
            })
        });
    required("host_account", account)
}

/// Writes what there is of another machine of a trial besides samples.
pub(crate) fn insert_host(
    connection: &Connection,
    position: u32,
    machine: u32,
    host: &HostSampling,
) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO other_host (position, machine, host, host_json, thermal_events,
             processor_use_json, clock_ahead_before_seconds, clock_uncertainty_before_seconds,
             clock_ahead_after_seconds, clock_uncertainty_after_seconds)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            position,
            machine,
            host.host,
            host.facts.as_ref().map(Json),
            host.thermal_events,
            Json(&host.processor_use),
            host.clock_before.ahead_seconds,
            host.clock_before.uncertainty_seconds,
            host.clock_after.ahead_seconds,
            host.clock_after.uncertainty_seconds
        ])?;
    Ok(())
}

/// Reads it of all of them, by their number; without samples and disks.
pub(crate) fn select_hosts(
    connection: &Connection,
    position: u32,
) -> Result<Vec<(u32, HostSampling)>> {
    let mut statement = connection.prepare_cached(
        "SELECT machine, host, host_json, thermal_events, processor_use_json,
         clock_ahead_before_seconds, clock_uncertainty_before_seconds, clock_ahead_after_seconds,
         clock_uncertainty_after_seconds FROM other_host WHERE position = ? ORDER BY machine",
    )?;
    let hosts = statement.query_map([position], |row| {
        let mut columns = Columns::of("other_host", row);
        let machine = columns.next()?;
        let (host, facts) = (columns.next()?, columns.next::<Option<Json<HostFacts>>>()?);
        let thermal_events = columns.next()?;
        let Json(processor_use) = columns.next()?;
        let mut clock = || -> Result<ClockReading> {
            Ok(ClockReading {
                ahead_seconds: columns.real()?,
                uncertainty_seconds: columns.real()?,
            })
        };
        let (clock_before, clock_after) = (clock()?, clock()?);
        let (facts, samples) = (facts.map(|Json(facts)| facts), Vec::new());
        let volume = Vec::new();
        let host = HostSampling {
            host,
            facts,
            samples,
            volume,
            thermal_events,
            processor_use,
            clock_before,
            clock_after,
        };
        Ok((machine, host))
    })?;
    hosts.collect()
}

fn throttling(columns: &mut Columns<'_>) -> Result<Option<Throttling>> {
    Ok(columns.both()?.map(|(periods, throttled)| Throttling { periods, throttled }))
}
