//! Targets that run side by side: that they share no machine.

use super::{Diagnostics, Examined};
use model::{Failure, FailureKind, Study, Test};
use std::collections::{BTreeMap, BTreeSet};
use system::Hosts;

/// A machine, by what tells it from others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Machine {
    /// What it was given when it started.
    Boot(String),
    /// An address of a server there.
    Address(std::net::IpAddr),
}

/// What each target takes of which machine, in words.
type Uses = BTreeMap<Machine, Vec<(String, String)>>;

/// Whether two targets of a study whose targets run side by side share a machine, whether as theirs or as
/// one that makes their loads.
///
/// # Errors
/// [`Failure::stopped`] alone.
pub(super) fn check(
    study: &Study,
    targets: &mut [Examined],
    hosts: &Hosts,
    found: &mut Diagnostics,
) -> Result<(), Failure> {
    if !study.parallel {
        return Ok(());
    }
    let mut uses = Uses::new();
    let mut unseen = Vec::new();
    for examined in targets {
        let name = &examined.target.name;
        let mut take = |machine: Machine, what: String| {
            let of = uses.entry(machine).or_default();
            if !of.iter().any(|(target, _)| target == name) {
                of.push((name.clone(), what));
            }
        };
        let load_hosts = load_hosts(study, name);
        for (host, named) in load_hosts.iter().filter_map(|named| {
            let host = match named {
                Some(named) => hosts.others.get(*named)?.as_ref(),
                None => hosts.load.as_ref(),
            };
            Some((host, named.map_or("the machine that weighin runs on", |one| one.name.as_str())))
        }) {
            if let Some(boot) = host.boot() {
                take(Machine::Boot(boot), format!("{named} makes the load on {name}"));
            }
        }
        let Some(handle) = &mut examined.handle else { continue };
        if examined.facts.is_none() {
            continue;
        }
        match handle.host().and_then(|host| Some((host.boot()?, host.name().to_owned()))) {
            Some((boot, host)) => take(Machine::Boot(boot), format!("{name} is on {host}")),
            None => unseen.push(name.clone()),
        }
        found.for_target(Some(name));
        if let Some(Some(address)) = found.keep(handle.network_address())? {
            take(Machine::Address(address.ip()), format!("{name} is at {address}"));
        }
    }
    found.for_target(None);
    let mut told: BTreeSet<Vec<String>> = BTreeSet::new();
    for of in uses.values().filter(|of| of.len() > 1) {
        if told.insert(of.iter().map(|(target, _)| target.clone()).collect()) {
            let what: Vec<&str> = of.iter().map(|(_, what)| what.as_str()).collect();
            found.error(Failure::new(
                FailureKind::NotPermitted,
                format!(
                    "targets that run side by side share a machine, so that each is measured with the \
                     load of the others: {}",
                    what.join(", ")
                ),
                "remove `parallel`, or give each target a machine and load hosts of its own",
            ));
        }
    }
    if !unseen.is_empty() {
        found.note(
            format!(
                "whether the machine of {} is that of another target as well is told by addresses alone",
                unseen.join(", ")
            ),
            "with `ssh` weighin knows machines by more than their addresses",
        );
    }
    Ok(())
}

/// Who makes loads on a target; `None` is the machine that weighin runs on.
fn load_hosts<'s>(study: &'s Study, target: &str) -> BTreeSet<Option<&'s model::RemoteHost>> {
    let target = study.targets.iter().find(|one| one.name == target);
    let loads = study.tests.iter().filter_map(Test::load);
    let each = loads.zip(target.into_iter().cycle()).map(|(load, target)| load.load_hosts(target));
    each.flat_map(|load_hosts| {
        load_hosts.iter().map(Some).chain(load_hosts.is_empty().then_some(None))
    })
    .collect()
}
