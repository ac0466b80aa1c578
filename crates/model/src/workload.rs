use crate::{Failure, FailureKind, Oltp};
use serde::{Deserialize, Serialize};

/// What is run on a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Workload {
    /// One of the sysbench OLTP family.
    Oltp(Oltp),
    /// Something that was measured elsewhere and imported, by the name that it has there.
    Imported(String),
}

impl Workload {
    /// What is to be run, where it is of the OLTP family.
    ///
    /// # Errors
    /// `NotPermitted` for what was measured elsewhere: it can be reported and not run.
    pub fn oltp(&self) -> Result<&Oltp, Failure> {
        match self {
            Self::Oltp(oltp) => Ok(oltp),
            Self::Imported(name) => Err(Failure::new(
                FailureKind::NotPermitted,
                format!("the results of {name} were imported, so there is nothing to run"),
                "write a study file with a test and targets of its own",
            )),
        }
    }

    /// The name that study files and reports use.
    pub fn name(&self) -> &str {
        match self {
            Self::Oltp(oltp) => oltp.mix.name(),
            Self::Imported(name) => name,
        }
    }
}
