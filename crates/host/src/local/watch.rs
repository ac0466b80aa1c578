//! What is watched of a load on this machine.

use super::sample::{OpenAccount, Sampler, SamplerOptions, TemporarySpace};
use crate::{Scope, Watch, Watched};

pub(crate) struct LocalWatch {
    account: OpenAccount,
    space: Option<TemporarySpace>,
    sampler: Option<Sampler>,
}

impl LocalWatch {
    pub(crate) fn begin(scope: &Scope) -> Self {
        let space = scope.server_pid.filter(|_| scope.temporary_space);
        Self {
            account: OpenAccount::open(scope.server_pid),
            space: space.map(TemporarySpace::watch),
            sampler: None,
        }
    }
}

impl Watch for LocalWatch {
    fn sample(&mut self, options: SamplerOptions) {
        self.sampler = Some(Sampler::start(options));
    }

    fn end(self: Box<Self>) -> Watched {
        Watched {
            samples: self.sampler.map(Sampler::stop).unwrap_or_default(),
            account: self.account.close(),
            temporary_bytes: self.space.and_then(TemporarySpace::most),
        }
    }
}
