use crate::client::Connection;
use crate::facts::{value, variables};
use model::Failure;
use std::collections::BTreeMap;
use system::connections;

/// Checks that the server allows as many connections as `clients` need, with so many interventions beside
/// them: some of those that it allows are kept for administrators.
///
/// # Errors
/// `TooFewConnections`, with the setting to change.
pub(super) fn check_limits(
    control: &mut Connection,
    clients: u32,
    interventions: usize,
) -> Result<(), Failure> {
    let variables = variables(control)?;
    let endpoint = control.endpoint().clone();
    let needed = connections::needed(clients, interventions);
    let kept = reserved(&variables, is_superuser(control));
    let all = variables.get("max_connections").and_then(|value| value.parse::<u64>().ok());
    if let Some(allowed) = all.map(|all| all.saturating_sub(kept)).filter(|&own| own < needed) {
        let name = match kept {
            0 => "max_connections".to_owned(),
            kept => format!("max_connections without the {kept} that are reserved"),
        };
        let set =
            format!("ALTER SYSTEM SET max_connections = {}, and restart the server", needed + kept);
        return Err(connections::too_few(&endpoint, (&name, allowed), clients, needed, &set));
    }
    for (what, sql, set) in [
        (
            "the limit of the account",
            "SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user",
            "ALTER USER … CONNECTION LIMIT",
        ),
        (
            "the limit of the database",
            "SELECT datconnlimit FROM pg_database WHERE datname = current_database()",
            "ALTER DATABASE … CONNECTION LIMIT",
        ),
    ] {
        // -1 stands for no limit.
        let limit = value(control, sql).and_then(|limit| limit.parse::<u64>().ok());
        if let Some(allowed) = limit.filter(|&allowed| allowed < needed) {
            let set = format!("{set} {needed}");
            return Err(connections::too_few(&endpoint, (what, allowed), clients, needed, &set));
        }
    }
    Ok(())
}

/// Connections that the account does not get.
fn reserved(variables: &BTreeMap<String, String>, superuser: bool) -> u64 {
    let of = |name: &str| variables.get(name).and_then(|value| value.parse().ok()).unwrap_or(0);
    if superuser {
        return 0;
    }
    of("superuser_reserved_connections") + of("reserved_connections")
}

fn is_superuser(control: &mut Connection) -> bool {
    value(control, "SHOW is_superuser").as_deref() == Some("on")
}
