use model::{Failure, FailureKind};
use protocol::redis::Value;
use target::client::redis::RedisConnection;

/// Connections beside the load's: control, sampling, and one for the administrator.
const OTHERS: u64 = 3;

/// Checks that the server allows as many connections as so many clients need. Where the account
/// may not read the setting, the load itself will show.
///
/// # Errors
/// `TooFewConnections`, with the setting to change.
pub(crate) fn check_limits(control: &mut RedisConnection, clients: u32) -> Result<(), Failure> {
    let Ok(Value::Array(pair)) = control.command(&[b"CONFIG", b"GET", b"maxclients"]) else {
        return Ok(());
    };
    let allowed = pair.get(1).and_then(Value::text).and_then(|text| text.parse::<u64>().ok());
    let needed = u64::from(clients) + OTHERS;
    match allowed {
        Some(allowed) if allowed < needed => Err(Failure::new(
            FailureKind::TooFewConnections,
            format!(
                "{} allows {allowed} connections (maxclients), and {clients} clients need {needed}",
                control.endpoint()
            ),
            format!(
                "raise it: CONFIG SET maxclients {needed} (in a sandbox: settings = {{ maxclients = {needed} }}), or run fewer clients"
            ),
        )),
        _ => Ok(()),
    }
}
