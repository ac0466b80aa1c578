//! How many connections a load needs, whichever the server.

use model::{Endpoint, Failure, FailureKind};
use peer::Address;

/// Connections beside the load's: control, sampling, and one for a trigger or the administrator.
const OTHERS: u64 = 3;

/// Connections that a load of so many clients needs.
pub(super) fn needed(clients: u32) -> u64 {
    u64::from(clients) + OTHERS
}

/// That the setting `name` allows fewer; `set` is the server's command that changes it.
pub(super) fn too_few(
    endpoint: &Endpoint,
    (name, allowed): (&str, u64),
    clients: u32,
    set: &str,
) -> Failure {
    let needed = needed(clients);
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

/// Where the load engine connects to, as the tools take it.
pub(super) fn address(address: engine::Address) -> Address {
    match address {
        engine::Address::Tcp(address) => Address::Tcp(address),
        engine::Address::Unix(path) => Address::Socket(path),
    }
}
