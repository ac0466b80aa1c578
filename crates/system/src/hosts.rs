use crate::at_once;
use crate::client::SecretRules;
use host::{Host, InstanceDestination, Remote, this_machine};
use model::{
    Endpoint, Failure, FailureKind, Load, Place, RemoteHost, SshHost, Stop, Study, Target,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The machines that a study runs on.
#[derive(Clone, Debug)]
pub struct Hosts {
    /// Makes the load, where no other machine does, and runs cross-check tools. Private servers
    /// are on it as well, and volumes that name no machine.
    pub load: Arc<dyn Host>,
    /// Those that are reached over SSH, or by an agent that has registered.
    pub others: BTreeMap<RemoteHost, Arc<dyn Host>>,
    /// Where the provisioned ones of them are, by what the study calls them.
    pub provisioned: BTreeMap<String, InstanceDestination>,
    /// What of this machine's secrets may be sent to the servers that the study names.
    pub secrets: Arc<SecretRules>,
}

impl Default for Hosts {
    /// Everything is on this machine.
    fn default() -> Self {
        let (others, provisioned) = (BTreeMap::new(), BTreeMap::new());
        Self { load: this_machine(), others, provisioned, secrets: Arc::default() }
    }
}

impl Hosts {
    /// The same with the machine of a target whose instance may be on another one than the last was.
    pub fn with(&self, target: &Target, stop: &Stop) -> Self {
        let mut hosts = self.clone();
        let is_named = |host: &&SshHost| !self.provisioned.contains_key(&host.name);
        let own = target.ssh_host().filter(is_named);
        if let (Some(host), true) = (own, target.instance().is_some()) {
            let reached = Remote::over_ssh(host.clone(), stop);
            hosts.others.insert(host.clone().into(), Arc::new(reached));
        }
        hosts
    }

    /// The other machines that make a load on a target of that name; none where this one does.
    pub fn load_hosts(&self, study: &Study, load: &Load, target: &str) -> Vec<Arc<dyn Host>> {
        let target = study.measured().find(|one| one.name == target);
        let load_hosts = target.map(|target| load.load_hosts(target)).unwrap_or_default();
        load_hosts.iter().filter_map(|host| self.others.get(host)).map(Arc::clone).collect()
    }

    /// Those of [`Self::load_hosts`] that take part in a trial: all that the study requires, and of the others
    /// those that are there.
    ///
    /// # Errors
    /// `HostLost` where it would be none; [`Failure::stopped`].
    pub fn present_load_hosts(
        &self,
        study: &Study,
        load: &Load,
        target: &str,
    ) -> Result<Vec<Arc<dyn Host>>, Failure> {
        let target = study.measured().find(|one| one.name == target);
        let named = target.map(|target| load.load_hosts(target)).unwrap_or_default();
        let known = |host: &RemoteHost| Some((host.required, Arc::clone(self.others.get(host)?)));
        let asked = at_once(named.iter().filter_map(known).collect(), |(required, host)| {
            let found = if required { Ok(()) } else { host.find() };
            found.map(|()| host)
        });
        let mut present = Vec::new();
        let mut absent = None;
        for host in asked {
            match host {
                Ok(host) => present.push(host),
                Err(failure) if failure.is_stop() => return Err(failure),
                Err(failure) => absent = absent.or(Some(failure)),
            }
        }
        match absent {
            Some(failure) if present.is_empty() => Err(Failure {
                kind: FailureKind::HostLost,
                message: format!("no load host is there: {}", failure.message),
                ..failure
            }),
            _ => Ok(present),
        }
    }

    /// All machines that a target is on, in its order; `None` where one is not known.
    pub fn all_of(&self, target: &Target) -> Option<Vec<Arc<dyn Host>>> {
        match target.hosts().as_slice() {
            [] => Some(vec![self.for_target(target)?]),
            hosts => hosts.iter().map(|host| self.others.get(host).map(Arc::clone)).collect(),
        }
    }

    /// The machine that a target is on, the first of several; `None` where that is not known: of a server that is reached
    /// over a network alone.
    pub fn for_target(&self, target: &Target) -> Option<Arc<dyn Host>> {
        if let Some(host) = target.hosts().first() {
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
