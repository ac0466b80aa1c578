//! Machines that make loads: `[[load_host]]` and `load_hosts`.

use crate::keys::value::TakenNames;
use crate::keys::{LoadHostTable, LoadHostsKey, Maybe};
use crate::problem::names::nearest;
use crate::problem::{Place, Problems};
use crate::read::hosts::destination::{destination, named};
use crate::read::hosts::instance;
use crate::read::hosts::instance::only_here;
use crate::read::tests::table::TestTable;
use model::{
    AgentChoice, HostInstance, Load, LoadHosts, Place as TargetPlace, RemoteHost, ServerKey,
    SshHost, Target, Test, Transport,
};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use toml::Spanned;

/// Longest name of an agent, in characters.
const LONGEST_AGENT: usize = 64;
/// Most labels of one table, and the longest key or value, in characters.
const MOST_LABELS: usize = 16;
const LONGEST_LABEL: usize = 64;

/// The `[[load_host]]` tables of a study.
#[derive(Default)]
pub(crate) struct LoadHostTables {
    groups: Vec<Group>,
    instances: Vec<HostInstance>,
    /// Names of those that make a load.
    used: RefCell<BTreeSet<String>>,
    /// A table could not be read, so that a name that is missing may be its.
    incomplete: bool,
}

/// The machines of one table: several where it asks for several agents.
struct Group {
    name: String,
    hosts: Vec<RemoteHost>,
    at: Place,
}

impl LoadHostTables {
    pub fn from_tables(tables: Vec<Spanned<LoadHostTable>>, problems: &mut Problems) -> Self {
        let mut names = TakenNames::new("load host");
        let (mut groups, mut incomplete) = (Vec::<Group>::new(), false);
        let mut instances = Vec::new();
        for table in tables {
            let (at, mut table) = (table.span(), table.into_inner());
            if table.instance.is_none() {
                instance::refuse_price(&table.price, problems);
            }
            names.take(table.name.as_ref().map(|n| (n.get_ref().as_str(), n.span())), problems);
            let name = named(&table.name, &at, "load host", problems);
            let (Some(name), Some(ways)) = (name, ways(&table, &at, problems)) else {
                incomplete = true;
                continue;
            };
            if let Some(written) = &table.instance {
                instances.extend(instance::instance_of_host(
                    written,
                    &name,
                    table.price.take(),
                    problems,
                ));
            }
            let at = table.name.as_ref().map_or(at, Spanned::span);
            let required = table.required.value();
            let group = Group { hosts: ways.into_hosts(&name, required), name, at };
            for host in &group.hosts {
                group.refuse_twice(host, &groups, problems);
            }
            groups.push(group);
        }
        let count: usize = groups.iter().map(|group| group.hosts.len()).sum();
        if let Some(last) = groups.last().filter(|_| count > Load::MAX_LOAD_HOSTS) {
            let most = Load::MAX_LOAD_HOSTS;
            problems
                .add(last.at.clone(), format!("the study has {count} load hosts"))
                .help(format!("at most {most} make a load together"));
        }
        Self { groups, incomplete, instances, ..Self::default() }
    }

    /// What brings up the provisioned ones.
    pub fn into_instances(self) -> Vec<HostInstance> {
        self.instances
    }

    fn all(&self) -> impl Iterator<Item = &RemoteHost> {
        self.groups.iter().flat_map(|group| &group.hosts)
    }

    /// Whether a table could not be read.
    pub fn are_incomplete(&self) -> bool {
        self.incomplete
    }

    /// Where the first is that is an agent.
    pub fn first_agent(&self) -> Option<Place> {
        let is_agent = |group: &&Group| group.hosts.iter().any(|host| host.agent().is_some());
        self.groups.iter().find(is_agent).map(|group| group.at.clone())
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
        let asked = self.asked(table.load_hosts(), targets, problems);
        let at = table.load_hosts().map_or_else(|| table.workload_place(), Spanned::span);
        for load in tests.iter_mut().filter_map(Test::load_mut) {
            load.load_hosts = asked.clone();
        }
        let Some(load) = tests.iter().find_map(Test::load) else { return };
        let load_hosts = || targets.iter().flat_map(|(target, _)| load.load_hosts(target));
        self.used.borrow_mut().extend(load_hosts().map(|host| host.name.clone()));
        // Targets that are wrong themselves take no load hosts from a test.
        if let LoadHosts::Same(hosts) = &asked {
            self.used.borrow_mut().extend(hosts.iter().map(|host| host.name.clone()));
        }
        check_targets(load, targets, &at, problems);
        if load_hosts().next().is_none() && asked.are_none() {
            return;
        }
        check_clients(load, targets, &at, problems);
        if let Some(at) = table.place("cross_check").filter(|_| tests.iter().any(|t| t.cross_check))
        {
            problems
                .add(at, "a cross-check tool would run on another machine than the load")
                .help("leave `cross_check` out, or write load_hosts = [], so that this machine makes the load");
        }
    }

    /// Those that a target has of its own; `None` where it does not say.
    pub fn hosts_of_target(
        &self,
        written: &Maybe<Vec<String>>,
        problems: &mut Problems,
    ) -> Option<Vec<RemoteHost>> {
        let written = written.as_ref()?;
        Some(self.named(written.get_ref(), &written.span(), problems))
    }

    /// Where one target has load hosts of its own, who makes the load of another that does not say?
    pub fn refuse_some(&self, targets: &[(Target, Place)], problems: &mut Problems) {
        let Some((_, at)) = first_with_own(targets) else { return };
        for (target, place) in targets.iter().filter(|(target, _)| target.load_hosts.is_none()) {
            let message = format!(
                "the target `{}` does not say which load hosts make its loads",
                target.name
            );
            problems
                .add(place.clone(), message)
                .other(at.clone(), "this target does")
                .help("give it load_hosts = [\"NAME\"] as well, or load_hosts = [] where the machine that weighin runs on makes them");
        }
    }

    /// Those that a test asks for: all, or all of each target, where it does not say.
    fn asked(
        &self,
        written: Option<&Spanned<LoadHostsKey>>,
        targets: &[(Target, Place)],
        problems: &mut Problems,
    ) -> LoadHosts {
        let own = first_with_own(targets);
        let Some(written) = written else {
            return match own {
                Some(_) => LoadHosts::OfTarget(None),
                None => LoadHosts::Same(self.all().cloned().collect()),
            };
        };
        match (own, written.get_ref()) {
            (None, _) => LoadHosts::Same(self.hosts_of_test(written, problems)),
            (Some(_), LoadHostsKey::Names(names)) if names.is_empty() => LoadHosts::default(),
            (Some((_, at)), LoadHostsKey::Names(_)) => {
                problems
                    .add(written.span(), "the test and the targets both name load hosts")
                    .other(at.clone(), "this target does")
                    .help("leave `load_hosts` out of the test, or ask for so many of each target's: load_hosts = 1; [] is the machine that weighin runs on");
                LoadHosts::OfTarget(None)
            }
            (Some(_), LoadHostsKey::Count(count)) => {
                let wanted = u32::try_from(*count).unwrap_or_default();
                for (target, place) in targets {
                    let there = target.load_hosts.as_ref().map_or(0, Vec::len);
                    if (wanted == 0 || wanted as usize > there) && !self.incomplete {
                        let name = &target.name;
                        problems
                            .add(
                                written.span(),
                                format!("`load_hosts` asks for {count}, and the target `{name}` has {there}"),
                            )
                            .other(place.clone(), "the target")
                            .help("ask for as many as every target has, or name more in `load_hosts` of the target; [] is the machine that weighin runs on");
                    }
                }
                LoadHosts::OfTarget(Some(wanted))
            }
        }
    }

    /// Those that a test asks for of all.
    fn hosts_of_test(
        &self,
        written: &Spanned<LoadHostsKey>,
        problems: &mut Problems,
    ) -> Vec<RemoteHost> {
        let all = || self.all().cloned();
        match written.get_ref() {
            LoadHostsKey::Count(count) => {
                let wanted = usize::try_from(*count).ok().filter(|&count| count > 0);
                let there = self.all().count();
                if wanted.is_none_or(|wanted| wanted > there) && !self.incomplete {
                    problems
                        .add(
                            written.span(),
                            format!("`load_hosts` asks for {count}, and the study has {there}"),
                        )
                        .help("add a table [[load_host]] for each, or ask for as many as there are; [] is the machine that weighin runs on");
                }
                all().take(wanted.unwrap_or_default()).collect()
            }
            LoadHostsKey::Names(names) => self.named(names, &written.span(), problems),
        }
    }

    /// The machines of these tables.
    fn named(&self, names: &[String], at: &Place, problems: &mut Problems) -> Vec<RemoteHost> {
        let mut hosts: Vec<RemoteHost> = Vec::new();
        for wanted in names {
            match self.groups.iter().find(|group| group.name == *wanted) {
                Some(group) if group.hosts.iter().any(|host| hosts.contains(host)) => {
                    problems
                        .add(at.clone(), format!("`load_hosts` has `{wanted}` twice"))
                        .help("name it once, and give the test load_generators = 2");
                }
                Some(group) => hosts.extend(group.hosts.iter().cloned()),
                None if self.incomplete => {}
                None => {
                    let names = self.groups.iter().map(|group| group.name.as_str());
                    let hint = match nearest(wanted, names) {
                        Some(near) => format!(": did you mean `{near}`?"),
                        None => String::new(),
                    };
                    problems
                        .add(at.clone(), format!("no load host of this study is named `{wanted}`{hint}"))
                        .help("add a table [[load_host]] with this name and ssh = \"user@machine\", or agent = \"NAME\"");
                }
            }
        }
        hosts
    }

    /// A machine that makes no load would be there for nothing.
    pub fn refuse_unused(&self, problems: &mut Problems) {
        let used = self.used.borrow();
        for Group { name, hosts, at } in &self.groups {
            if hosts.iter().any(|host| used.contains(&host.name)) {
                continue;
            }
            problems
                .add(at.clone(), format!("no test has its load made by `{name}`"))
                .help(format!("name it in load_hosts = [\"{name}\"] of a test, or remove it"));
        }
    }
}

impl Group {
    /// Notes a machine that is one of another table.
    fn refuse_twice(&self, host: &RemoteHost, others: &[Self], problems: &mut Problems) {
        for other in others {
            let named = other.hosts.iter().any(|one| one.name == host.name);
            // Of the same name are whole tables, which is noted already.
            if named && other.name != self.name {
                let message = format!("results would call two load hosts `{}`", host.name);
                problems
                    .add(self.at.clone(), message)
                    .other(other.at.clone(), "the other one")
                    .help("give one of them another name");
            }
            let is_one = match &host.transport {
                Transport::Ssh(_) | Transport::Agent(AgentChoice::Named(_)) => {
                    other.hosts.iter().any(|one| one.transport == host.transport)
                }
                Transport::Agent(AgentChoice::Any(_)) => false,
            };
            if is_one {
                problems
                    .add(self.at.clone(), "two load hosts are one machine")
                    .other(other.at.clone(), "the other one")
                    .help("keep one of them, and give the test load_generators = 2");
            }
        }
    }
}

/// How the machines of a table are reached.
enum Ways {
    One(Transport),
    /// As `up` of its instance says.
    Provisioned,
    Any(usize, BTreeMap<String, String>),
}

impl Ways {
    /// The machines of a table with that name.
    fn into_hosts(self, name: &str, required: bool) -> Vec<RemoteHost> {
        match self {
            Self::One(transport) => vec![RemoteHost { name: name.to_owned(), transport, required }],
            Self::Provisioned => {
                let host = SshHost::of_instance(name.to_owned());
                vec![RemoteHost { required, ..RemoteHost::from(host) }]
            }
            Self::Any(count, labels) => {
                let transport = || Transport::Agent(AgentChoice::Any(labels.clone()));
                let host = |number| RemoteHost {
                    name: format!("{name}-{number}"),
                    transport: transport(),
                    required,
                };
                (1..=count).map(host).collect()
            }
        }
    }
}

/// How the machines of a table are reached; `None` where it does not say, which is noted.
fn ways(table: &LoadHostTable, at: &Place, problems: &mut Problems) -> Option<Ways> {
    let ssh = table.ssh.as_ref().map(|ssh| ("ssh", ssh.span()));
    let agent = table.agent.as_ref().map(|agent| ("agent", agent.span()));
    let agents = table.agents.place().map(|at| ("agents", at));
    let instance = table.instance.as_ref().map(|instance| ("instance", instance.span()));
    let said: Vec<_> = [ssh, agent, agents, instance].into_iter().flatten().collect();
    if let [(first, one), (second, other), ..] = said.as_slice() {
        problems
            .add(
                one.clone(),
                format!("`{first}` and `{second}` both say how to reach this load host"),
            )
            .other(other.clone(), "the other one")
            .help("keep one of them");
        return None;
    }
    if let Some(labels) = table.labels.as_ref().filter(|_| !table.agents.is_some()) {
        problems
            .add(labels.span(), "`labels` choose among `agents`")
            .help("write agents = 1 for any agent that has them, or remove them");
    }
    if table.instance.is_some() {
        return Some(Ways::Provisioned);
    }
    if let Some(written) = &table.agent {
        return agent_name(written, problems)
            .map(|name| Ways::One(Transport::Agent(AgentChoice::Named(name))));
    }
    if let Some(count) = table.agents.value("agents", problems) {
        return labels(&table.labels, problems).map(|labels| Ways::Any(count, labels));
    }
    if table.ssh.is_none() {
        let message = "this load host has no `ssh`, `agent`, `agents` or `instance`";
        let help = "add a line like ssh = \"bench@10.0.1.21\", or agents = 1 for one that has registered with the broker of [fleet]";
        problems.missing(at.clone(), message, help);
    }
    destination(&table.ssh, problems).map(|ssh| Ways::One(Transport::Ssh(ssh)))
}

fn agent_name(written: &Spanned<String>, problems: &mut Problems) -> Option<String> {
    let name = written.get_ref();
    let is_possible = !name.is_empty()
        && name.len() <= LONGEST_AGENT
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    if !is_possible {
        problems
            .add(written.span(), "agents have names of letters, digits, `.`, `_` and `-`")
            .help("write the name that it registered under: `weighin hosts STUDY` lists them");
    }
    is_possible.then(|| name.clone())
}

fn labels(
    written: &Maybe<BTreeMap<String, String>>,
    problems: &mut Problems,
) -> Option<BTreeMap<String, String>> {
    let Some(written) = written else { return Some(BTreeMap::new()) };
    let labels = written.get_ref();
    let is_short = |text: &String| !text.is_empty() && text.chars().count() <= LONGEST_LABEL;
    if labels.len() > MOST_LABELS
        || !labels.iter().all(|(key, value)| is_short(key) && is_short(value))
    {
        problems
            .add(written.span(), format!("a label has a name and a value of 1 to {LONGEST_LABEL} characters, and there are at most {MOST_LABELS}"))
            .help("write labels = { zone = \"eu-west-1a\" }");
        return None;
    }
    Some(labels.clone())
}

/// The first target that has load hosts of its own.
fn first_with_own(targets: &[(Target, Place)]) -> Option<&(Target, Place)> {
    targets.iter().find(|(target, _)| target.load_hosts.is_some())
}

/// A load host must reach the targets that it makes a load on, and be the machine of none.
fn check_targets(load: &Load, targets: &[(Target, Place)], at: &Place, problems: &mut Problems) {
    for (target, place) in targets {
        let hosts = load.load_hosts(target);
        if hosts.is_empty() {
            continue;
        }
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
    }
    for (target, place) in targets {
        let Some(own) = target.ssh_host() else { continue };
        let is_its = |host: &&RemoteHost| {
            host.transport == Transport::Ssh(own.destination.clone()) || own.name == host.name
        };
        let mut load_hosts = targets.iter().flat_map(|(target, _)| load.load_hosts(target));
        if let Some(host) = load_hosts.find(is_its) {
            problems
                .add(at.clone(), format!("the load host `{}` is the machine of a target", host.name))
                .other(place.clone(), "the target")
                .help("name another machine: a load beside the server takes from it what it is measured with");
        }
    }
}

/// Every load generator needs a client.
fn check_clients(load: &Load, targets: &[(Target, Place)], at: &Place, problems: &mut Problems) {
    let fewest = load.levels.iter().map(|level| level.clients).min().unwrap_or(u32::MAX);
    let most = targets.iter().max_by_key(|(target, _)| load.generators(target));
    let Some((all, hosts)) =
        most.map(|(target, _)| (load.generators(target), load.load_hosts(target).len()))
    else {
        return;
    };
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
    match &spec.address.server_key {
        ServerKey::Pinned(_) => Some("a file with the server's key"),
        _ => None,
    }
}
