//! Machines that make loads: `[[load_host]]` and `load_hosts`.

use crate::hosts;
use crate::names::nearest;
use crate::problem::{Place, Problems};
use crate::test::TestTable;
use crate::wire::{HostTable, LoadHostsKey};
use model::{Endpoint, Load, Place as TargetPlace, ServerKey, SshHost, Target, Test, Tls};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::net::IpAddr;
use toml::Spanned;

/// The `[[load_host]]` tables of a study.
#[derive(Default)]
pub(crate) struct LoadHosts {
    named: Vec<(SshHost, Place)>,
    /// Names of those that make a load.
    used: RefCell<BTreeSet<String>>,
    /// A table could not be read, so that a name that is missing may be its.
    incomplete: bool,
}

impl LoadHosts {
    pub fn of(tables: Vec<Spanned<HostTable>>, problems: &mut Problems) -> Self {
        let (named, incomplete) = hosts::read(tables, "load host", problems);
        for (place, (host, at)) in named.iter().enumerate() {
            let before = named.iter().take(place);
            let same = before.into_iter().find(|(other, _)| other.destination == host.destination);
            if let Some((_, other)) = same {
                problems
                    .add(at.clone(), "two load hosts are one machine")
                    .other(other.clone(), "the other one")
                    .help("keep one of them, and give the test load_generators = 2");
            }
        }
        Self { named, incomplete, ..Self::default() }
    }

    /// Gives the load of a test the machines that make it.
    pub fn make(
        &self,
        table: &TestTable,
        tests: &mut [Test],
        targets: &[(Target, Place)],
        problems: &mut Problems,
    ) {
        let is_possible = |load: &Load| load.workload.storage().is_none();
        if !tests.iter().filter_map(Test::load).any(is_possible) {
            return;
        }
        let hosts = self.asked(table.load_hosts(), problems);
        self.used.borrow_mut().extend(hosts.iter().map(|host| host.name.clone()));
        if hosts.is_empty() {
            return;
        }
        let at = table.load_hosts().map_or_else(|| table.workload_place(), Spanned::span);
        for load in tests.iter_mut().filter_map(Test::load_mut) {
            load.load_hosts = hosts.clone();
        }
        check_clients(tests, &at, problems);
        if let Some(at) = table.place("cross_check").filter(|_| tests.iter().any(|t| t.cross_check))
        {
            problems
                .add(at, "a cross-check tool would run on another machine than the load")
                .help("leave `cross_check` out, or write load_hosts = [], so that this machine makes the load");
        }
        self.check_targets(&hosts, targets, &at, problems);
    }

    /// Those that a test asks for: all where it does not say.
    fn asked(
        &self,
        written: Option<&Spanned<LoadHostsKey>>,
        problems: &mut Problems,
    ) -> Vec<SshHost> {
        let all = || self.named.iter().map(|(host, _)| host.clone());
        let Some(written) = written else { return all().collect() };
        match written.get_ref() {
            LoadHostsKey::Count(count) => {
                let wanted = usize::try_from(*count).ok().filter(|&count| count > 0);
                if wanted.is_none_or(|wanted| wanted > self.named.len()) && !self.incomplete {
                    problems
                        .add(
                            written.span(),
                            format!("`load_hosts` asks for {count}, and the study has {}", self.named.len()),
                        )
                        .help("add a table [[load_host]] for each, or ask for as many as there are; [] is the machine that weighin runs on");
                }
                all().take(wanted.unwrap_or_default()).collect()
            }
            LoadHostsKey::Names(names) => {
                let mut hosts: Vec<SshHost> = Vec::new();
                for wanted in names {
                    match all().find(|host| host.name == *wanted) {
                        Some(host) if hosts.contains(&host) => {
                            problems
                                .add(written.span(), format!("`load_hosts` has `{wanted}` twice"))
                                .help("name it once, and give the test load_generators = 2");
                        }
                        Some(host) => hosts.push(host),
                        None if self.incomplete => {}
                        None => {
                            let names = self.named.iter().map(|(host, _)| host.name.as_str());
                            let hint = match nearest(wanted, names) {
                                Some(near) => format!(": did you mean `{near}`?"),
                                None => String::new(),
                            };
                            problems
                                .add(
                                    written.span(),
                                    format!("no load host of this study is named `{wanted}`{hint}"),
                                )
                                .help("add a table [[load_host]] with this name and ssh = \"user@machine\"");
                        }
                    }
                }
                hosts
            }
        }
    }

    /// A load host must reach every target, and be the machine of none.
    fn check_targets(
        &self,
        hosts: &[SshHost],
        targets: &[(Target, Place)],
        at: &Place,
        problems: &mut Problems,
    ) {
        for (target, place) in targets {
            if let Some(where_it_is) = only_here(target) {
                problems
                    .add(at.clone(), format!("load hosts do not reach the target `{}`", target.name))
                    .other(place.clone(), where_it_is)
                    .help("give the target the url of a server that listens on a network, or the test load_hosts = []");
            }
            if let Some(file) = file_of_login(target) {
                problems
                    .add(at.clone(), format!("a login to the target `{}` takes {file}, which load hosts do not have", target.name))
                    .other(place.clone(), "the target")
                    .help("leave the file out: `tls = \"verified\"` checks against the certificates that the system of each load host trusts");
            }
            let own = target.ssh_host();
            let of_target = |host: &&SshHost| {
                own.is_some_and(|own| own.destination == host.destination || own.name == host.name)
            };
            if let Some(host) = hosts.iter().find(of_target) {
                problems
                    .add(at.clone(), format!("the load host `{}` is the machine of a target", host.name))
                    .other(place.clone(), "the target")
                    .help("name another machine: a load beside the server takes from it what it is measured with");
            }
        }
    }

    /// A machine that makes no load would be there for nothing.
    pub fn refuse_unused(&self, problems: &mut Problems) {
        let used = self.used.borrow();
        for (host, at) in self.named.iter().filter(|(host, _)| !used.contains(&host.name)) {
            problems.add(at.clone(), format!("no test has its load made by `{}`", host.name)).help(
                format!("name it in load_hosts = [\"{}\"] of a test, or remove it", host.name),
            );
        }
    }
}

/// Every load generator needs a client.
fn check_clients(tests: &[Test], at: &Place, problems: &mut Problems) {
    let Some(load) = tests.iter().find_map(Test::load) else { return };
    let fewest = load.levels.iter().map(|level| level.clients).min().unwrap_or(u32::MAX);
    let (all, hosts) = (load.all_generators(), load.load_hosts.len());
    if fewest < all && load.load_generators <= fewest {
        problems
            .add(
                at.clone(),
                format!("{hosts} load hosts with {all} load generators cannot share a level of {fewest} clients"),
            )
            .help(format!("every generator needs a client: begin with clients = {all}, or more, or ask for fewer load_hosts"));
    }
}

/// A file of the machine that weighin runs on without which a load host could not log in.
fn file_of_login(target: &Target) -> Option<&'static str> {
    let TargetPlace::Server(spec) = &target.place else { return None };
    match (&spec.address.tls, &spec.address.server_key) {
        (Tls::Verified(Some(_)), _) => Some("a file of certificates"),
        (_, ServerKey::Pinned(_)) => Some("a file with the server's key"),
        _ => None,
    }
}

/// Why a target is reached from the machine alone that weighin runs on; `None` where it may be reached
/// from elsewhere.
pub(crate) fn only_here(target: &Target) -> Option<&'static str> {
    match &target.place {
        TargetPlace::Sandbox(_) => Some("a private server, which others do not reach"),
        TargetPlace::Storage(_) => Some("volumes of the machine that weighin runs on"),
        TargetPlace::Imported => None,
        TargetPlace::Server(spec) => match &spec.address.endpoint {
            Endpoint::NotUp => None,
            Endpoint::Socket(_) => Some("a socket of the machine that weighin runs on"),
            Endpoint::Tcp { host, .. } => {
                let is_loopback = host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
                (is_loopback || host == "localhost")
                    .then_some("an address of the machine that weighin runs on")
            }
        },
    }
}
