//! One run of a study in one SQLite file.

mod error;

pub use error::StoreError;

use model::{Dataset, HostFacts, Plan, Study, TargetFacts, TrialKey, TrialRecord};
use std::path::Path;

/// The file that holds one run of a study.
#[derive(Debug)]
pub struct Store {
    study: Study,
    plan: Plan,
}

impl Store {
    /// Begins a run in a new file and holds it for writing.
    ///
    /// # Errors
    /// When the file exists or cannot be made.
    pub fn create(
        _path: &Path,
        _study: &Study,
        _plan: &Plan,
        _host: &HostFacts,
        _version: &str,
        _scale: f64,
    ) -> Result<Self, StoreError> {
        unimplemented!()
    }

    /// Opens a run for reading; works while another process writes to it, and changes nothing.
    ///
    /// # Errors
    /// When the file is missing, not a store, damaged, or of a newer weighin.
    pub fn open(_path: &Path) -> Result<Self, StoreError> {
        unimplemented!()
    }

    /// Opens a run for writing, to complete its plan.
    ///
    /// # Errors
    /// As [`Self::open`]; and when another process writes to it.
    pub fn resume(_path: &Path) -> Result<Self, StoreError> {
        unimplemented!()
    }

    /// Keeps a trial: when this returns, it survives a power loss.
    ///
    /// # Errors
    /// When the plan has no such trial, it has a record already, or the file cannot be written.
    pub fn append(&mut self, _record: &TrialRecord) -> Result<(), StoreError> {
        unimplemented!()
    }

    /// Keeps what a target's server said of itself; replaces what was known of that target.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn record_target(&mut self, _facts: &TargetFacts) -> Result<(), StoreError> {
        unimplemented!()
    }

    /// Trials that have a record, failed ones included, in the order of the plan.
    pub fn completed(&self) -> Vec<TrialKey> {
        unimplemented!()
    }

    /// Everything that is known of the run.
    ///
    /// # Errors
    /// When the file is damaged or cannot be read.
    pub fn dataset(&self) -> Result<Dataset, StoreError> {
        unimplemented!()
    }

    /// The study as it is run.
    pub fn study(&self) -> &Study {
        &self.study
    }

    /// The order in which its trials run.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
}
