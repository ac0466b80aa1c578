//! The machines that a study runs on.

use crate::systems::{SamplingScope, TargetHandle};
use host::{Host, this_machine};
use model::{Endpoint, Place, Target};
use std::sync::Arc;

/// The machines that a study runs on.
#[derive(Clone, Debug)]
pub struct Hosts {
    /// Makes the load and runs cross-check tools. Private servers and volumes are on it as well.
    pub load: Arc<dyn Host>,
}

impl Default for Hosts {
    /// Everything is on this machine.
    fn default() -> Self {
        Self { load: this_machine() }
    }
}

impl Hosts {
    /// The machine that a target is on; `None` where that is not known: of a server that is reached
    /// over a network.
    pub(crate) fn of(&self, target: &Target) -> Option<Arc<dyn Host>> {
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
pub(crate) fn scope_on(load_host: &dyn Host, target: &dyn TargetHandle) -> SamplingScope {
    match target.host() {
        Some(host) if host.name() == load_host.name() => target.sampling_scope(),
        _ => SamplingScope::default(),
    }
}
