use super::facts::variables;
use super::session;
use crate::client::Connection;
use crate::load::READER;
use model::{Failure, FailureKind, Workload};
use sql::Statements;
use system::connections;

/// Checks that the server allows as many connections and prepared statements as `clients` of the
/// workload need, with so many interventions beside them, and that its sessions commit.
///
/// # Errors
/// `TooFewConnections` and `NotPermitted`, with the setting to change.
pub fn check_limits(
    control: &mut Connection,
    workload: &Workload,
    clients: u32,
    interventions: usize,
) -> Result<(), Failure> {
    session::refuse_unfit(control, workload.oltp().ok())?;
    let variables = variables(control)?;
    let endpoint = control.endpoint();
    let limit = |name: &str| variables.get(name).and_then(|value| value.parse::<u64>().ok());
    let needed = connections::needed(clients, interventions);
    for name in ["max_connections", "max_user_connections"] {
        // Zero stands for no limit per user.
        let Some(allowed) = limit(name).filter(|&allowed| allowed > 0 && allowed < needed) else {
            continue;
        };
        let set = format!("SET GLOBAL {name} = {needed}");
        return Err(connections::too_few(endpoint, (name, allowed), clients, needed, &set));
    }
    let per_client = Statements::new(READER.outline(workload)?, 0, clients).per_client() as u64;
    let needed = per_client * u64::from(clients);
    let name = "max_prepared_stmt_count";
    match limit(name) {
        Some(allowed) if allowed < needed => Err(Failure::new(
            FailureKind::TooFewConnections,
            format!(
                "{endpoint} allows {allowed} prepared statements ({name}), and {clients} clients with {per_client} each need {needed}"
            ),
            format!(
                "raise it: SET GLOBAL {name} = {needed} (in a sandbox: settings = {{ {name} = {needed} }}), or run fewer clients or tables"
            ),
        )),
        _ => Ok(()),
    }
}
