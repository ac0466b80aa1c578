//! What is watched of a load on this machine.

use super::sample::{OpenAccount, Sampled, Sampler, SpaceWatch};
use crate::question::{SamplerOptions, Scope, Watch, Watched};
use model::{Failure, HostAccount};

pub(crate) struct LocalWatch {
    account: OpenAccount,
    space: Option<SpaceWatch>,
    sampler: Option<Sampler>,
}

impl LocalWatch {
    pub(crate) fn begin(scope: &Scope) -> Self {
        let pid = scope.server_pid.filter(|_| scope.temporary_space);
        Self {
            account: OpenAccount::open(scope.server_pid),
            space: SpaceWatch::begin(pid, scope.data.as_deref()),
            sampler: None,
        }
    }
}

impl Watch for LocalWatch {
    fn sample(&mut self, options: SamplerOptions) {
        self.sampler = Some(Sampler::start(options));
    }

    fn end(self: Box<Self>) -> Result<Watched, Failure> {
        let Sampled { samples, processor_use } =
            self.sampler.map(Sampler::stop).unwrap_or_default();
        Ok(Watched {
            samples,
            account: HostAccount { processor_use, ..self.account.close() },
            space: self.space.map(SpaceWatch::most).unwrap_or_default(),
            clocks: None,
        })
    }
}
