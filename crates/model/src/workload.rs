use crate::Oltp;
use serde::{Deserialize, Serialize};

/// What is run on a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Workload {
    /// One of the sysbench OLTP family.
    Oltp(Oltp),
}

impl Workload {
    /// The name that study files and reports use.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Oltp(oltp) => oltp.mix.name(),
        }
    }
}
