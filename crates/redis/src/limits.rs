use crate::client::RedisConnection;
use crate::protocol::Value;
use model::Failure;
use system::connections;

/// Checks that the server allows as many connections as so many clients need, with so many
/// interventions beside them. Where the account may not read the setting, the load itself will show.
///
/// # Errors
/// `TooFewConnections`, with the setting to change.
pub(crate) fn check_limits(
    control: &mut RedisConnection,
    clients: u32,
    interventions: usize,
) -> Result<(), Failure> {
    let Ok(Value::Array(pair)) = control.command(&[b"CONFIG", b"GET", b"maxclients"]) else {
        return Ok(());
    };
    let allowed = pair.get(1).and_then(Value::text).and_then(|text| text.parse::<u64>().ok());
    let needed = connections::needed(clients, interventions);
    match allowed {
        Some(allowed) if allowed < needed => {
            let set = format!("CONFIG SET maxclients {needed}");
            let (endpoint, limit) = (control.endpoint(), ("maxclients", allowed));
            Err(connections::too_few(endpoint, limit, clients, needed, &set))
        }
        _ => Ok(()),
    }
}
