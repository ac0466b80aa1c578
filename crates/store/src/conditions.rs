//! Under which conditions a trial ran.

use crate::value::{Columns, required};
use model::{HostAccount, Throttling};
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
             server_throttled, client_periods, client_throttled, thermal_events)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            position,
            account.server_read_bytes,
            server.map(|limit| limit.periods),
            server.map(|limit| limit.throttled),
            client.map(|limit| limit.periods),
            client.map(|limit| limit.throttled),
            account.thermal_events
        ])?;
    Ok(())
}

/// Reads it.
pub(crate) fn select_account(connection: &Connection, position: u32) -> Result<HostAccount> {
    let account = connection
        .prepare_cached(
            "SELECT server_read_bytes, server_periods, server_throttled, client_periods,
             client_throttled, thermal_events FROM host_account WHERE position = ?",
        )?
        .query_row([position], |row| {
            let mut columns = Columns::of("host_account", row);
            Ok(HostAccount {
                server_read_bytes: columns.next()?,
                server_throttling: throttling(&mut columns)?,
                client_throttling: throttling(&mut columns)?,
                thermal_events: columns.next()?,
            })
        });
    required("host_account", account)
}

fn throttling(columns: &mut Columns<'_>) -> Result<Option<Throttling>> {
    Ok(columns.both()?.map(|(periods, throttled)| Throttling { periods, throttled }))
}
