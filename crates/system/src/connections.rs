//! How many connections a load needs, whichever the server.

use model::{Endpoint, Failure, FailureKind};

/// Connections beside the load's: control, sampling, and one for the administrator, or to end the
/// statement of an intervention.
const OTHERS: u64 = 3;

/// Connections that a load of so many clients needs, with so many interventions.
pub fn needed(clients: u32, interventions: usize) -> u64 {
    u64::from(clients) + interventions as u64 + OTHERS
}

/// That the setting `name` allows fewer; `set` is the server's command that changes it.
pub fn too_few(
    endpoint: &Endpoint,
    (name, allowed): (&str, u64),
    clients: u32,
    needed: u64,
    set: &str,
) -> Failure {
    Failure::new(
        FailureKind::TooFewConnections,
        format!(
            "{endpoint} allows {allowed} connections ({name}), and {clients} clients need {needed}"
        ),
        format!(
            "raise it: {set} (in a sandbox: settings = {{ {name} = {needed} }}), or run fewer clients"
        ),
    )
}
