//! The machines that a study runs on.

use crate::systems::{SamplingScope, TargetHandle};
use host::{Host, Remote, SamplerOptions, Scope, SpaceUsed, Watch, Watched, this_machine};
use model::{
    Endpoint, Failure, HostAccount, HostSampling, Place, Sample, SshHost, Stop, Study, Target,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The machines that a study runs on.
#[derive(Clone, Debug)]
pub struct Hosts {
    /// Makes the load and runs cross-check tools. Private servers and volumes are on it as well.
    pub load: Arc<dyn Host>,
    /// Those that are reached over SSH.
    pub others: BTreeMap<SshHost, Arc<dyn Host>>,
}

impl Default for Hosts {
    /// Everything is on this machine.
    fn default() -> Self {
        Self { load: this_machine(), others: BTreeMap::new() }
    }
}

impl Hosts {
    /// Those of a study: this machine makes the load. None is connected to before it is needed, and
    /// waiting for one ends when `stop` is requested.
    pub fn of_study(study: &Study, stop: &Stop) -> Self {
        let reached = study.measured().filter_map(Target::ssh_host);
        let others = reached
            .map(|host| (host.clone(), Arc::new(Remote::new(host.clone(), stop)) as Arc<dyn Host>));
        Self { others: others.collect(), ..Self::default() }
    }

    /// The machine that a target is on; `None` where that is not known: of a server that is reached
    /// over a network alone.
    pub(crate) fn of(&self, target: &Target) -> Option<Arc<dyn Host>> {
        if let Some(host) = target.ssh_host() {
            return self.others.get(host).map(Arc::clone);
        }
        let is_known = match &target.place {
            Place::Sandbox(_) | Place::Storage(_) => true,
            Place::Server(spec) => matches!(spec.address.endpoint, Endpoint::Socket(_)),
            Place::Imported => false,
        };
        is_known.then(|| Arc::clone(&self.load))
    }
}

/// What of a target is sampled on the machine that makes the load: nothing unless the target is
/// known to be on it.
fn scope_on(load_host: &dyn Host, target: &dyn TargetHandle) -> SamplingScope {
    match target.host() {
        Some(host) if host.name() == load_host.name() => target.sampling_scope(),
        _ => SamplingScope::default(),
    }
}

/// Watches the machine that makes the load, and the target's own where that is another.
pub(crate) struct Watches {
    load: Box<dyn Watch>,
    scope: SamplingScope,
    target: Option<TargetWatch>,
}

/// Of a target that is on another machine.
struct TargetWatch {
    host: String,
    watch: Box<dyn Watch>,
    scope: SamplingScope,
}

/// What both saw.
pub(crate) struct Seen {
    /// On the machine that makes the load.
    pub(crate) samples: Vec<Sample>,
    /// The server's part is of the machine that it is on.
    pub(crate) account: HostAccount,
    pub(crate) space: SpaceUsed,
    /// The disks under the server's data.
    pub(crate) disks: Vec<String>,
    pub(crate) target_host: Option<HostSampling>,
}

impl Watches {
    /// Begins to watch; with the space that the target takes, where that is asked for.
    ///
    /// # Errors
    /// When the target's machine cannot be reached; [`Failure::stopped`].
    pub(crate) fn begin(
        load_host: &dyn Host,
        target: &dyn TargetHandle,
        watches_space: bool,
    ) -> Result<Self, Failure> {
        let watched = |scope: &SamplingScope| Scope {
            server_pid: scope.server_pid,
            temporary_space: watches_space,
            data: scope.data_directory.clone().filter(|_| watches_space),
        };
        let own = target.host().filter(|host| host.name() != load_host.name());
        let own = own.map(|host| -> Result<TargetWatch, Failure> {
            let scope = target.sampling_scope();
            let (name, watch) = (host.name().to_owned(), host.watch(&watched(&scope))?);
            Ok(TargetWatch { host: name, watch, scope })
        });
        let own = own.transpose()?;
        let scope = scope_on(load_host, target);
        Ok(Self { load: load_host.watch(&watched(&scope))?, scope, target: own })
    }

    /// Requests a stop when the target's machine is lost.
    pub(crate) fn stop_when_lost(&mut self, stop: &Stop) {
        if let Some(target) = &mut self.target {
            target.watch.stop_when_lost(stop);
        }
    }

    /// Begins to take samples, from `options`, which name no process of the server yet.
    pub(crate) fn sample(&mut self, options: SamplerOptions) {
        if let Some(target) = &mut self.target {
            let (every, origin, measured) = (options.every, options.origin, options.measured);
            target.watch.sample(SamplerOptions {
                server_pid: target.scope.server_pid,
                replica_pids: target.scope.replica_pids.clone(),
                ..SamplerOptions::of_host(every, origin, measured)
            });
        }
        self.load.sample(SamplerOptions {
            server_pid: self.scope.server_pid,
            replica_pids: self.scope.replica_pids.clone(),
            ..options
        });
    }

    /// The load is over.
    ///
    /// # Errors
    /// `HostLost` where the target's machine was lost meanwhile.
    pub(crate) fn end(self) -> Result<Seen, Failure> {
        // Both end, whatever becomes of the other.
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
                let (clock_before, clock_after) = watched.clocks.unwrap_or_default();
                Some(HostSampling {
                    host,
                    samples: watched.samples,
                    thermal_events: watched.account.thermal_events,
                    clock_before,
                    clock_after,
                })
            }
        };
        Ok(Seen { samples, account, space, disks, target_host })
    }
}
