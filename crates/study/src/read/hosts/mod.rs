//! Machines that targets are on, and that weighin reaches over SSH.

mod destination;
pub(super) mod duet;
pub(super) mod fleet;
pub(crate) mod instance;
pub(super) mod load_hosts;
pub(super) mod parallel;
pub(super) mod slices;

use crate::keys::value::TakenNames;
use crate::keys::{HostTable, InstanceTable, Maybe, TargetTable};
use crate::problem::names::nearest;
use crate::problem::{Place, Problems};
use crate::read::hosts::destination::{destination, is_destination, named};
use model::{HostInstance, Load, RemoteHost, SshHost};
use std::cell::RefCell;
use std::collections::BTreeSet;
use toml::Spanned;

/// The `[[host]]` tables of a study.
#[derive(Default)]
pub(crate) struct Hosts {
    named: Vec<(SshHost, Place)>,
    instances: Vec<HostInstance>,
    /// Names that targets ask for.
    used: RefCell<BTreeSet<String>>,
    /// A table could not be read, so that a name that is missing may be its.
    incomplete: bool,
}

impl Hosts {
    pub fn from_tables(tables: Vec<Spanned<HostTable>>, problems: &mut Problems) -> Self {
        let mut instances = Vec::new();
        let (named, incomplete) = read(tables, &mut instances, problems);
        Self { named, incomplete, instances, ..Self::default() }
    }

    /// What brings up the provisioned ones.
    pub fn into_instances(self) -> Vec<HostInstance> {
        self.instances
    }

    /// The machines that have the volumes of a target; none where that is the one that weighin runs on,
    /// or where they make no sense, which is noted.
    pub fn machines_of_volumes(
        &self,
        table: &TargetTable,
        problems: &mut Problems,
    ) -> Vec<RemoteHost> {
        let host = table.host.as_ref().map(|host| ("host", host.span()));
        let ssh = table.ssh.as_ref().map(|ssh| ("ssh", ssh.span()));
        let hosts = table.hosts.as_ref().map(|hosts| ("hosts", hosts.span()));
        let said: Vec<_> = [host, ssh, hosts].into_iter().flatten().collect();
        if let [(first, one), (second, other), ..] = said.as_slice() {
            problems
                .add(
                    one.clone(),
                    format!("`{first}` and `{second}` both say which machine has the volumes"),
                )
                .other(other.clone(), "the other one")
                .help("keep one of them");
        }
        let Some(written) = &table.hosts else {
            return self
                .named_or_reached(table, problems)
                .map(RemoteHost::from)
                .into_iter()
                .collect();
        };
        if written.get_ref().is_empty() {
            problems.add(written.span(), "`hosts` is empty").help(
                "name one [[host]] at least, or leave it out for the machine that weighin runs on",
            );
        }
        if written.get_ref().len() > Load::MAX_LOAD_HOSTS {
            let most = Load::MAX_LOAD_HOSTS;
            problems
                .add(written.span(), format!("`hosts` names more than {most} machines"))
                .help(format!("name {most} at most"));
        }
        let mut all: Vec<RemoteHost> = Vec::new();
        for name in written.get_ref() {
            let Some(host) = self.host_named(name, problems).map(RemoteHost::from) else {
                continue;
            };
            if all.iter().any(|one| one.name == host.name) {
                problems.add(name.span(), "this host is named twice").help("name it once");
            } else if let Some(one) = all.iter().find(|one| one.transport == host.transport) {
                problems
                    .add(name.span(), format!("this host and `{}` are one machine", one.name))
                    .help("keep one of them: each of `hosts` has volumes of its own");
            }
            all.push(host);
        }
        all
    }

    /// The machine of a target; `None` where it names none, or one that makes no sense, which is
    /// noted.
    pub fn machine_of_target(
        &self,
        table: &TargetTable,
        problems: &mut Problems,
    ) -> Option<SshHost> {
        if let (Some(host), Some(ssh)) = (&table.host, &table.ssh) {
            problems
                .add(host.span(), "`host` and `ssh` both say which machine the target is on")
                .other(ssh.span(), "the other one")
                .help("keep one of them");
        }
        let (key, at) = match (&table.host, &table.ssh) {
            (Some(host), _) => ("host", host.span()),
            (None, Some(ssh)) => ("ssh", ssh.span()),
            (None, None) => return None,
        };
        if table.url.is_none() && table.instance.is_none() && table.sandbox.is_none() {
            problems
                .add(at, format!("`{key}` belongs to a url or a sandbox: this target is on the machine that weighin runs on"))
                .help("give the target the url of a server there or sandbox = {}, or leave it out");
            return None;
        }
        self.named_or_reached(table, problems)
    }

    /// What `host` or `ssh` says.
    fn named_or_reached(&self, table: &TargetTable, problems: &mut Problems) -> Option<SshHost> {
        let Some(written) = &table.host else {
            let at = table.ssh.as_ref()?.span();
            let destination = destination(&table.ssh, problems)?;
            let same = |(host, _): &&(SshHost, Place)| host.name == destination;
            let other = self.named.iter().find(same);
            if let Some((host, other)) = other.filter(|(host, _)| host.destination != destination) {
                let name = &host.name;
                problems
                    .add(at, format!("results would call this machine `{name}`, as another one"))
                    .other(other.clone(), "the other one")
                    .help(format!("give the host `{name}` another name, or write host = \"{name}\" if it is meant"));
            }
            return Some(SshHost { name: destination.clone(), destination });
        };
        self.host_named(written, problems)
    }

    /// The machine of that name.
    fn host_named(&self, written: &Spanned<String>, problems: &mut Problems) -> Option<SshHost> {
        let wanted = written.get_ref();
        self.used.borrow_mut().insert(wanted.clone());
        let found = self.named.iter().find(|(host, _)| host.name == *wanted);
        if found.is_none() && !self.incomplete {
            let names = self.named.iter().map(|(host, _)| host.name.as_str());
            let hint = match nearest(wanted, names) {
                Some(near) => format!(": did you mean `{near}`?"),
                None => String::new(),
            };
            problems
                .add(written.span(), format!("no host of this study is named `{wanted}`{hint}"))
                .help(format!(
                    "add a table [[host]] with this name and ssh = \"user@machine\", or write ssh = \"{}\" in place of host",
                    if is_destination(wanted) { wanted } else { "user@machine" }
                ));
        }
        found.map(|(host, _)| host.clone())
    }

    /// A host that no target is on would be there for nothing.
    pub fn refuse_unused(&self, problems: &mut Problems) {
        let used = self.used.borrow();
        for (host, at) in self.named.iter().filter(|(host, _)| !used.contains(&host.name)) {
            problems
                .add(at.clone(), format!("no target is on the host `{}`", host.name))
                .help(format!("add host = \"{}\" to a target, or remove this host", host.name));
        }
    }
}

/// Machines with a name and a destination each, and whether there are more, which could not be read.
fn read(
    tables: Vec<Spanned<HostTable>>,
    instances: &mut Vec<HostInstance>,
    problems: &mut Problems,
) -> (Vec<(SshHost, Place)>, bool) {
    let kind = "host";
    let mut names = TakenNames::new(kind);
    let (mut hosts, mut incomplete) = (Vec::new(), false);
    for table in tables {
        let at = table.span();
        let mut table = table.into_inner();
        if table.instance.is_none() {
            instance::refuse_price(&table.price, problems);
        }
        names.take(table.name.as_ref().map(|n| (n.get_ref().as_str(), n.span())), problems);
        let named = named(&table.name, &at, kind, problems);
        let host = match (&table.ssh, &table.instance) {
            (None, Some(written)) => named.and_then(|name| {
                instances.push(instance::instance_of_host(
                    written,
                    &name,
                    table.price.take(),
                    problems,
                )?);
                Some(SshHost::of_instance(name))
            }),
            (ssh, instance) => {
                if let Some(written) = instance {
                    refuse_both(written, ssh, problems);
                } else if ssh.is_none() {
                    let help = "add a line like ssh = \"admin@db2.internal\"";
                    problems.missing(at.clone(), format!("this {kind} has no `ssh`"), help);
                }
                let destination = destination(ssh, problems);
                named.zip(destination).map(|(name, destination)| SshHost { name, destination })
            }
        };
        match host {
            Some(host) => hosts.push((host, table.name.as_ref().map_or(at, Spanned::span))),
            None => incomplete = true,
        }
    }
    (hosts, incomplete)
}

/// Notes that a provisioned machine has an address of its own as well.
pub(crate) fn refuse_both(
    instance: &Spanned<InstanceTable>,
    other: &Maybe<String>,
    problems: &mut Problems,
) {
    let Some(other) = other else { return };
    problems
        .add(other.span(), "`up` of the instance says how to reach this machine")
        .other(instance.span(), "the instance")
        .help("keep one of them");
}
