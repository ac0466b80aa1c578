//! The machines that a study runs on.

use fleet::{AgentKeys, Fleet, Identity, Login, Proof};
use host::{
    Host, InstanceDestination, Remote, SamplerOptions, Scope, SpaceUsed, Watch, Watched,
    this_machine,
};
use model::{
    AgentChoice, Broker, BrokerProof, Failure, FailureKind, HostAccount, HostFacts, HostSampling,
    RemoteHost, Sample, Stop, Study, Target, Tls,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use system::at_once;
use system::client::tls::client_config;
use system::client::{LoginEnvironment, SecretRules, resolve_token};
use system::{Hosts, SamplingScope, TargetHandle};

/// Those of a study: this machine leads, and makes the loads that no other does. None is connected
/// to before it is needed, and waiting for one ends when `stop` is requested.
pub fn hosts_of_study(study: &Study, secrets: &Arc<SecretRules>, stop: &Stop) -> Hosts {
    let fleet = fleet(study, secrets);
    let names = study.host_instances.iter().map(|instance| instance.name.clone());
    let provisioned: BTreeMap<String, InstanceDestination> =
        names.map(|name| (name, InstanceDestination::default())).collect();
    let remote = |host: RemoteHost| {
        let reached = match provisioned.get(&host.name).zip(host.ssh()) {
            Some((provisioned, ssh)) => Remote::provisioned(ssh, provisioned.clone(), stop),
            None => remote(&host, fleet.as_ref(), stop)?,
        };
        Some((host, Arc::new(reached) as Arc<dyn Host>))
    };
    let others = remote_hosts(study).into_iter().filter_map(remote).collect();
    Hosts { others, provisioned, secrets: Arc::clone(secrets), ..Hosts::default() }
}

/// The other machines of a study: those that targets are on, and those that make loads.
pub fn remote_hosts(study: &Study) -> BTreeSet<RemoteHost> {
    let of_targets = study.measured().flat_map(Target::hosts);
    of_targets.chain(study.load_hosts().cloned()).collect()
}

/// The agents that have registered with the broker of a study, where it has one. It is connected to when
/// one is needed.
pub fn fleet(study: &Study, secrets: &Arc<SecretRules>) -> Option<Arc<Fleet>> {
    let broker = study.fleet.clone()?;
    let named = study.load_hosts().filter_map(|host| match host.agent() {
        Some(AgentChoice::Named(name)) => Some(name.clone()),
        Some(AgentChoice::Any(_)) | None => None,
    });
    let lead = format!(
        "weighin {} on {}, process {}",
        env!("CARGO_PKG_VERSION"),
        this_machine().facts().hostname,
        std::process::id()
    );
    let address = broker.address.clone();
    let secrets = Arc::clone(secrets);
    let agents = match broker.proof {
        BrokerProof::Token => None,
        // The study was checked: where a key is none all the same, no agent has it.
        BrokerProof::Seed => Some(AgentKeys::read(&broker.agents).unwrap_or_default()),
    };
    let login = Box::new(move || login(&broker, "weighin", &secrets));
    Some(Arc::new(Fleet::new(address, login, lead, named.collect(), agents)))
}

/// How to log in to a broker; `name` is what that calls the connection.
///
/// # Errors
/// `AccessDenied` where there is no token or seed, `Tls` where there are no certificates to check the
/// broker against, `NotPermitted` where the secret may not be sent.
pub fn login(broker: &Broker, name: &str, rules: &SecretRules) -> Result<Login, Failure> {
    let secret = resolve_token(broker, &LoginEnvironment::of_this_process(rules))?;
    let secret = String::from_utf8_lossy(secret.bytes()).into_owned();
    let proof = match broker.proof {
        BrokerProof::Token => Proof::Token(secret),
        BrokerProof::Seed => Proof::Seed(Identity::read(&secret).map_err(|error| {
            Failure::new(
                FailureKind::AccessDenied,
                format!("the seed for the broker {}: {error}", broker.address),
                "weighin seed FILE makes one, and prints the public key that belongs to it",
            )
        })?),
    };
    let tls = match broker.address.tls {
        true => {
            let ca = broker.ca.as_deref().map(|ca| rules.path_of(ca));
            client_config(&Tls::Verified(ca))?
        }
        false => None,
    };
    Ok(Login { address: broker.address.clone(), proof, tls, name: name.to_owned() })
}

/// A machine, where the study says how to reach it.
pub fn remote(host: &RemoteHost, fleet: Option<&Arc<Fleet>>, stop: &Stop) -> Option<Remote> {
    match (host.ssh(), host.agent()) {
        (Some(ssh), _) => Some(Remote::over_ssh(ssh, stop)),
        (None, Some(choice)) => {
            let route = fleet?.route(host.name.clone(), choice.clone());
            Some(Remote::new(host.name.clone(), route, stop))
        }
        (None, None) => None,
    }
}

/// What of a target is sampled on the machine that makes the load: no more than a proxy there unless the
/// target is known to be on it.
fn scope_on(load_host: &dyn Host, target: &dyn TargetHandle) -> SamplingScope {
    let scope = target.sampling_scope();
    match target.host() {
        Some(host) if host.name() == load_host.name() => scope,
        _ => SamplingScope { proxy_pid: scope.proxy_pid, ..SamplingScope::default() },
    }
}

/// Watches this machine, the target's own where that is another, and others that make the load.
pub(crate) struct Watches {
    load: Box<dyn Watch>,
    scope: SamplingScope,
    target: Option<TargetWatch>,
    load_hosts: Vec<LoadHostWatch>,
}

/// Of another machine that makes the load.
struct LoadHostWatch {
    host: String,
    facts: HostFacts,
    /// The disks under the target's data there.
    disks: Vec<String>,
    watch: Box<dyn Watch>,
}

impl LoadHostWatch {
    /// Begins to watch all of these. What each is asked takes a second where it is far away: they are
    /// asked at once.
    fn begin_all(hosts: &[Arc<dyn Host>], target: &dyn TargetHandle) -> Result<Vec<Self>, Failure> {
        let disks = |host: &Arc<dyn Host>| target.disks_on(host.name());
        let hosts: Vec<_> = hosts.iter().map(|host| (Arc::clone(host), disks(host))).collect();
        let begun = at_once(hosts, |(host, disks)| {
            let watch = host.watch(&Scope::default())?;
            Ok(Self { host: host.name().to_owned(), facts: host.facts(), disks, watch })
        });
        begun.into_iter().collect()
    }

    fn end(self) -> Result<HostSampling, Failure> {
        let watched = self.watch.end()?;
        let (facts, volume) = (Some(self.facts), self.disks);
        Ok(HostSampling { facts, volume, ..sampling(self.host, watched) })
    }
}

/// What a machine elsewhere has seen.
fn sampling(host: String, watched: Watched) -> HostSampling {
    let (clock_before, clock_after) = watched.clocks.unwrap_or_default();
    HostSampling {
        host,
        facts: None,
        samples: watched.samples,
        volume: Vec::new(),
        thermal_events: watched.account.thermal_events,
        processor_use: watched.account.processor_use,
        clock_before,
        clock_after,
    }
}

/// Of a target that is on another machine.
struct TargetWatch {
    host: String,
    watch: Box<dyn Watch>,
    scope: SamplingScope,
}

/// What they saw.
pub(crate) struct HostObservation {
    /// On this machine.
    pub(crate) samples: Vec<Sample>,
    /// The server's part is of the machine that it is on.
    pub(crate) account: HostAccount,
    pub(crate) space: SpaceUsed,
    /// The disks under the server's data.
    pub(crate) disks: Vec<String>,
    pub(crate) target_host: Option<Box<HostSampling>>,
    pub(crate) load_hosts: Vec<HostSampling>,
}

impl Watches {
    /// Begins to watch; with the space that the target takes, where that is asked for. `load_hosts` make
    /// the load, where that is not `load_host`.
    ///
    /// # Errors
    /// When another machine cannot be reached; [`Failure::stopped`].
    pub(crate) fn begin(
        load_host: &dyn Host,
        target: &dyn TargetHandle,
        watches_space: bool,
        load_hosts: &[Arc<dyn Host>],
    ) -> Result<Self, Failure> {
        let watched = |scope: &SamplingScope| Scope {
            server_pid: scope.server_pid,
            temporary_space: watches_space,
            data: scope.data_directory.clone().filter(|_| watches_space),
        };
        // One that makes the load as well is watched as such.
        let makes =
            |host: &dyn Host| load_hosts.iter().any(|load_host| load_host.name() == host.name());
        let own = target.host().filter(|host| host.name() != load_host.name() && !makes(*host));
        let own = own.map(|host| -> Result<TargetWatch, Failure> {
            let scope = target.sampling_scope();
            let (name, watch) = (host.name().to_owned(), host.watch(&watched(&scope))?);
            Ok(TargetWatch { host: name, watch, scope })
        });
        let own = own.transpose()?;
        let scope = scope_on(load_host, target);
        let load_hosts = LoadHostWatch::begin_all(load_hosts, target)?;
        Ok(Self { load: load_host.watch(&watched(&scope))?, scope, target: own, load_hosts })
    }

    /// Requests a stop when another machine is lost.
    pub(crate) fn stop_when_lost(&mut self, stop: &Stop) {
        let target = self.target.iter_mut().map(|target| &mut target.watch);
        let load_hosts = self.load_hosts.iter_mut().map(|load_host| &mut load_host.watch);
        target.chain(load_hosts).for_each(|watch| watch.stop_when_lost(stop));
    }

    /// Begins to take samples, from `options`, which name no process of the server yet. `generators`
    /// says which processes make the load on each of the other machines that do.
    pub(crate) fn sample(&mut self, options: SamplerOptions, generators: &[Vec<u32>]) {
        for (load_host, pids) in self.load_hosts.iter_mut().zip(generators) {
            load_host.watch.sample(SamplerOptions {
                companions: pids.clone(),
                ..SamplerOptions::of_host(options.every, options.origin, options.measured.clone())
            });
        }
        if let Some(target) = &mut self.target {
            let measured = options.measured.clone();
            target.watch.sample(SamplerOptions {
                server_pid: target.scope.server_pid,
                replica_pids: target.scope.replica_pids.clone(),
                ..SamplerOptions::of_host(options.every, options.origin, measured)
            });
        }
        self.load.sample(SamplerOptions {
            server_pid: self.scope.server_pid,
            replica_pids: self.scope.replica_pids.clone(),
            proxy_pid: self.scope.proxy_pid,
            ..options
        });
    }

    /// The load is over.
    ///
    /// # Errors
    /// `HostLost` where the target's machine was lost meanwhile.
    pub(crate) fn end(self) -> Result<HostObservation, Failure> {
        // All end, whatever becomes of the others.
        let load_hosts = at_once(self.load_hosts, LoadHostWatch::end);
        let target = self.target.map(|own| (own.host, own.scope, own.watch.end()));
        let Watched { samples, mut account, mut space, .. } = self.load.end()?;
        let mut disks = self.scope.disks;
        let target_host = match target {
            None => None,
            Some((host, scope, watched)) => {
                let watched = watched?;
                disks = scope.disks;
                account.server_read_bytes = watched.account.server_read_bytes;
                account.server_throttling = watched.account.server_throttling;
                space = watched.space;
                Some(Box::new(sampling(host, watched)))
            }
        };
        let load_hosts = load_hosts.into_iter().collect::<Result<_, Failure>>()?;
        Ok(HostObservation { samples, account, space, disks, target_host, load_hosts })
    }
}
