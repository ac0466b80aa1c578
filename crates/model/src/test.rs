use crate::Workload;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One test: a workload, at several levels, on every target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Test {
    /// Unique within the study.
    pub name: String,
    /// What is run.
    pub workload: Workload,
    /// How hard, in ascending order, no level twice.
    pub levels: Vec<Level>,
    /// How long the load runs before measuring starts.
    pub warmup: Duration,
    /// How long is measured.
    pub duration: Duration,
    /// The state of the caches when a trial starts.
    pub cache: CacheState,
}

/// How hard a workload is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Level {
    /// Connections that each run one transaction after another (closed loop).
    pub clients: u32,
}

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.clients {
            1 => f.write_str("1 client"),
            n => write!(f, "{n} clients"),
        }
    }
}

/// The state of the caches when a trial starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheState {
    /// As the previous trial and the warm-up left them.
    Warm,
    /// Server stopped, file systems synced, the operating system's caches dropped, server started.
    Cold,
}
