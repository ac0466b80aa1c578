use crate::{ArrivalProcess, Bound, ErrorPolicy, Level, Slo, Storage, Trigger, Workload};
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
    /// How long the load runs before measuring starts; in each step of a search.
    pub warmup: Duration,
    /// How long is measured; in each step of a search.
    pub duration: Duration,
    /// The state of the caches when a trial starts.
    pub cache: CacheState,
    /// Whether another tool repeats every trial, to see whether the two agree (check 7).
    #[serde(default)]
    pub second_opinion: bool,
    /// How transactions arrive at the levels that have a rate.
    #[serde(default)]
    pub arrivals: Arrivals,
    /// Which errors a trial survives, and how.
    #[serde(default)]
    pub policy: ErrorPolicy,
    /// The bound on latency under which the highest load is searched for. There is one level then,
    /// which is searched.
    #[serde(default)]
    pub slo: Option<Slo>,
    /// How busy the processors of this host may be under the highest load, in percent of all of
    /// them; with or without a bound on latency.
    #[serde(default)]
    pub cpu_limit: Option<u8>,
    /// Processes that make the load together, at most as many as the fewest clients; a search over
    /// clients uses fewer where it tries fewer clients.
    #[serde(default = "one")]
    pub load_generators: u32,
    /// What servers are told to do while they are measured. All targets are told at the same time
    /// of their trials.
    #[serde(default)]
    pub trigger: Option<Trigger>,
}

/// Load generators of studies that were stored before there could be several.
fn one() -> u32 {
    1
}

impl Test {
    /// Load generators that a test can have at most.
    pub const MOST_LOAD_GENERATORS: u32 = 64;

    /// Whether transactions are offered at rates. A test has either rates or closed loops.
    pub fn is_open(&self) -> bool {
        self.levels.iter().any(Level::is_open)
    }

    /// What the highest load must keep, where that is searched for.
    pub fn bound(&self) -> Option<Bound> {
        let share = self.workload.storage().and_then(Storage::processors).is_some();
        let cpu_of_vms = share && self.cpu_limit.is_some();
        let bound = Bound { slo: self.slo, cpu_percent: self.cpu_limit, cpu_of_vms };
        (bound != Bound::default()).then_some(bound)
    }
}

/// How the transactions of an open loop arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrivals {
    /// How they are spread in time.
    pub process: ArrivalProcess,
    /// How many may wait for a free connection; later ones are dropped.
    pub max_waiting: u32,
}

impl Default for Arrivals {
    fn default() -> Self {
        Self { process: ArrivalProcess::default(), max_waiting: 10_000 }
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
