//! The other machines that make loads: that they answer, reach every server, and have sockets enough.

use super::{Diagnostics, Examined, files};
use crate::Hosts;
use host::Host;
use model::{Failure, RemoteHost, Study, Test};
use std::collections::BTreeMap;

/// Whether each can do its part of the loads of a study, on targets that were looked at.
///
/// # Errors
/// [`Failure::stopped`] alone.
pub(super) fn check(
    study: &Study,
    targets: &mut [Examined],
    hosts: &Hosts,
    found: &mut Diagnostics,
) -> Result<(), Failure> {
    let mut makers: BTreeMap<&RemoteHost, &dyn Host> = BTreeMap::new();
    for load in study.tests.iter().filter_map(Test::load) {
        makers.extend(load.load_hosts.iter().zip(hosts.others_of(load)));
    }
    let mut answering = Vec::new();
    for (_, host) in makers {
        if found.keep(host.reach())?.is_some() {
            let facts = host.facts();
            let processors = facts.cpus;
            found.note(
                format!(
                    "{} makes load: {}, {processors} processor{}",
                    host.name(),
                    facts.hostname,
                    if processors == 1 { "" } else { "s" }
                ),
                "",
            );
            files::check_maker(study, host, found);
            answering.push(host);
        }
    }
    for examined in targets {
        let Some(handle) = &mut examined.handle else { continue };
        found.of(Some(&examined.target.name));
        if answering.is_empty() || examined.facts.is_none() {
            continue;
        }
        let Some(Some(address)) = found.keep(handle.network_address())? else { continue };
        for host in &answering {
            found.keep(host.check_connection(address))?;
        }
    }
    found.of(None);
    Ok(())
}
