//! By what a server is told from others.

use super::Server;
use host::Host;
use model::Endpoint;
use system::ServerIdentity;

/// What no two servers have in common.
const TOLD_BY: [&str; 6] =
    ["server_uuid", "server_uid", "hostname", "port", "datadir", "server_id"];

pub(super) fn find(server: &Server<'_>, load_host: &dyn Host) -> ServerIdentity {
    let address = server.login.address();
    let told: Vec<&str> = TOLD_BY.iter().map(|name| server.text(name)).collect();
    let peer = server.control.ends().ok().and_then(|ends| ends.peer());
    let endpoint = match (&address.endpoint, peer) {
        // Two names may lead to one address.
        (Endpoint::Tcp { .. }, Some(peer)) => peer.to_string(),
        (endpoint, _) => endpoint.to_string(),
    };
    let user = &server.login.credentials().user;
    let machine = match &address.endpoint {
        Endpoint::Socket(_) => load_host.facts().hostname,
        _ if server.setting.is_private_here => load_host.facts().hostname,
        Endpoint::Tcp { .. } | Endpoint::NotUp => server.text("hostname").to_owned(),
    };
    ServerIdentity {
        server: told.join("\0"),
        way: format!("{endpoint}\0{:?}\0{user}\0{}", address.tls, address.database),
        machine: Some(machine).filter(|name| !name.is_empty()),
    }
}
