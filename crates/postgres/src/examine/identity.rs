//! By what a server is told from others.

use super::Server;
use host::Host;
use model::Endpoint;
use system::ServerIdentity;

/// Data directories that were copied have the number of the first one: no two servers started at the same
/// moment with it.
const TOLD_BY: &str = "SELECT (SELECT system_identifier FROM pg_control_system()) || ' ' || \
                       extract(epoch FROM pg_postmaster_start_time())";

pub(super) fn find(server: &mut Server<'_>, load_host: &dyn Host) -> Option<ServerIdentity> {
    let told = server.value(TOLD_BY)?;
    let address = server.login.address();
    let peer = server.control.ends().ok().and_then(|ends| ends.peer());
    let endpoint = match (&address.endpoint, peer) {
        // Two names may lead to one address.
        (Endpoint::Tcp { .. }, Some(peer)) => peer.to_string(),
        (endpoint, _) => endpoint.to_string(),
    };
    let user = &server.login.credentials().user;
    let elsewhere = peer
        .map(|peer| peer.ip())
        .filter(|ip| !server.setting.is_private_here && !ip.is_loopback());
    let machine = match elsewhere {
        Some(ip) => ip.to_string(),
        None => load_host.facts().hostname,
    };
    Some(ServerIdentity {
        server: told,
        way: format!("{endpoint}\0{:?}\0{user}\0{}", address.tls, address.database),
        machine: Some(machine),
    })
}
