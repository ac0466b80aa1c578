use crate::systems::connections;
use model::Failure;
use protocol::redis::Value;
use target::client::redis::RedisConnection;

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
    let needed = connections::needed(clients);
    match allowed {
        Some(allowed) if allowed < needed => {
            let set = format!("CONFIG SET maxclients {needed}");
            Err(connections::too_few(control.endpoint(), ("maxclients", allowed), clients, &set))
        }
        _ => Ok(()),
    }
}
