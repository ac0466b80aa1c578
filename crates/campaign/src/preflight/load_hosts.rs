//! The other machines that make loads: that they answer, reach every server, and have sockets enough.

use super::{Diagnostics, Examined, between, files};
use crate::instances::command_line;
use host::Host;
use model::{Failure, HostInstance, RemoteHost, Study, Test};
use std::collections::{BTreeMap, BTreeSet};
use system::Hosts;

/// Whether each can do its part of the loads of a study, on targets that were looked at, and is none of
/// their servers.
///
/// # Errors
/// [`Failure::stopped`] alone.
pub(super) fn check(
    study: &Study,
    targets: &mut [Examined],
    hosts: &Hosts,
    found: &mut Diagnostics,
) -> Result<(), Failure> {
    let named: BTreeSet<&RemoteHost> = study.load_hosts().collect();
    let load_hosts =
        named.into_iter().filter_map(|host| Some((host, hosts.others.get(host)?.as_ref())));
    let mut answering: BTreeMap<&RemoteHost, &dyn Host> = BTreeMap::new();
    let mut names: BTreeMap<&RemoteHost, String> = BTreeMap::new();
    for (named, host) in load_hosts {
        let provisioned = study.host_instance(&named.name);
        let is_up = || hosts.provisioned.get(&named.name).is_some_and(|at| at.get().is_some());
        if let Some(HostInstance { spec, .. }) = provisioned.filter(|_| !is_up()) {
            found.note(
                format!(
                    "{} is not looked at: it comes up with {}, and is not up",
                    host.name(),
                    command_line(&spec.up)
                ),
                "weighin check --up brings it up, looks at it, and takes it down again",
            );
            continue;
        }
        let reached = match host.reach() {
            Err(failure) if !named.required && !failure.is_stop() => {
                found.warn(
                    format!("{} is not there: {}", host.name(), failure.message),
                    "trials begin without it until it is (required = false)",
                );
                None
            }
            reached => found.keep(reached)?,
        };
        if reached.is_some() {
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
            names.insert(named, facts.hostname);
            files::check_maker(study, host, found);
            answering.insert(named, host);
        }
    }
    between::load_hosts(study, targets, &hosts.load.facts().hostname, &names, found);
    for examined in targets {
        let Some(handle) = &mut examined.handle else { continue };
        found.for_target(Some(&examined.target.name));
        if answering.is_empty() || examined.facts.is_none() {
            continue;
        }
        let of_study = study.measured().find(|target| target.name == examined.target.name);
        let loads = study.tests.iter().filter_map(Test::load);
        let own: BTreeSet<&RemoteHost> = of_study
            .iter()
            .flat_map(|target| loads.clone().flat_map(|load| load.load_hosts(target)))
            .collect();
        if own.is_empty() {
            continue;
        }
        let Some(Some(address)) = found.keep(handle.network_address())? else { continue };
        for host in own.into_iter().filter_map(|host| answering.get(host)) {
            let connected = host.check_connection(address).map_err(|failure| Failure {
                message: format!("from {}: {}", host.name(), failure.message),
                ..failure
            });
            found.keep(connected)?;
        }
    }
    found.for_target(None);
    Ok(())
}
