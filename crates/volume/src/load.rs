use crate::processors;
use engine::storage::StorageLoad;
use engine::{Account, FleetSize, LoadError, Part, PartRun, RunLoad, Timing};
use host::Host;
use model::{ErrorCount, Failure, System};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;
use system::load::SystemLoad;
use system::local_load_failure;

/// A load on volumes.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct VolumeLoad(pub(crate) Box<StorageLoad>);

impl RunLoad for VolumeLoad {
    fn timing(&self) -> Timing<'_> {
        self.0.timing()
    }

    fn fleet(&self) -> Option<FleetSize> {
        self.0.fleet()
    }

    fn run_part(&self, run: &mut PartRun<'_>) -> Result<Account, LoadError> {
        self.0.run_part(run)
    }

    fn lost(&self, since: Duration, errors: &[ErrorCount]) -> LoadError {
        self.0.lost(since, errors)
    }
}

impl SystemLoad for VolumeLoad {
    fn system(&self) -> System {
        System::Storage
    }

    fn document(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }

    fn is_of_volumes(&self) -> bool {
        true
    }

    fn settle(&mut self, host: &dyn Host, part: Part) -> Result<(), Failure> {
        let vms = part.share(self.0.storage.vms.into()) as u32;
        self.0.processors = processors::hold(host, &self.0.storage, vms)?;
        Ok(())
    }

    fn needs_of_machine(&self) -> Option<&'static str> {
        Some("writes to volumes")
    }

    fn failure(&self, error: &LoadError) -> Failure {
        local_load_failure(error)
    }

    fn runner(&self) -> &dyn RunLoad {
        self.0.as_ref()
    }
}
