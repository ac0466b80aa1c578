use crate::{Failure, FailureKind, KeyValue, Oltp, Storage, System};
use serde::{Deserialize, Serialize};

/// What is run on a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Workload {
    /// One of the sysbench OLTP family.
    Oltp(Oltp),
    /// Reads and writes of single keys.
    KeyValue(KeyValue),
    /// Reads and writes of blocks.
    Storage(Storage),
    /// Something that was measured elsewhere and imported, by the name that it has there.
    Imported(String),
}

impl Workload {
    /// The name of the workload of single keys.
    pub const KEY_VALUE: &'static str = "key_value";

    /// Whether servers of that kind can run it. What was measured elsewhere ran on whatever it did.
    pub fn suits(&self, system: System) -> bool {
        match self {
            Self::Oltp(_) => matches!(system, System::MariaDb | System::Unknown),
            Self::KeyValue(_) => system == System::Redis,
            Self::Storage(_) => system == System::Storage,
            Self::Imported(_) => true,
        }
    }

    /// What is to be run, where it is of the OLTP family.
    ///
    /// # Errors
    /// `NotPermitted` for another kind, and for what was measured elsewhere: it can be reported
    /// and not run.
    pub fn oltp(&self) -> Result<&Oltp, Failure> {
        match self {
            Self::Oltp(oltp) => Ok(oltp),
            Self::KeyValue(_) | Self::Storage(_) => Err(Failure::new(
                FailureKind::NotPermitted,
                format!("{} is no workload of SQL", self.name()),
                "choose one of the workloads that begin with oltp_",
            )),
            Self::Imported(name) => Err(Failure::new(
                FailureKind::NotPermitted,
                format!("the results of {name} were imported, so there is nothing to run"),
                "write a study file with a test and targets of its own",
            )),
        }
    }

    /// What is to be run, where it is on storage.
    pub fn storage(&self) -> Option<&Storage> {
        match self {
            Self::Storage(storage) => Some(storage),
            Self::Oltp(_) | Self::KeyValue(_) | Self::Imported(_) => None,
        }
    }

    /// The name that study files and reports use.
    pub fn name(&self) -> &str {
        match self {
            Self::Oltp(oltp) => oltp.mix.name(),
            Self::KeyValue(_) => Self::KEY_VALUE,
            Self::Storage(_) => Storage::NAME,
            Self::Imported(name) => name,
        }
    }
}
