//! What a test does with a target: the task, as plain data.

use crate::{Bound, CatchUp, Failover, Level, Load, Slo, Statement, Storage};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a test does with a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// A steady load, at one level after another.
    Load(Load),
    /// The highest load under a bound.
    Search(LoadSearch),
    /// Statements whose time is taken.
    Statement(Statement),
    /// The loss or the handing over of a primary, and how writes survive it.
    Failover(Failover),
    /// How long replicas take to apply a backlog.
    CatchUp(CatchUp),
    /// Something that was measured elsewhere, which can be reported and not run.
    Imported(ImportedTask),
}

/// A search for the highest load under a bound. At least one of the bounds is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadSearch {
    /// The load of each step. It has one level, which is searched.
    pub load: Load,
    /// The bound on latency.
    pub slo: Option<Slo>,
    /// How busy the processors of this host may be, in percent of all of them; with or without a
    /// bound on latency.
    pub cpu_limit: Option<u8>,
    /// How far replicas may be behind.
    pub lag_limit: Option<Duration>,
}

/// Results that somebody else measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImportedTask {
    /// What was run, by the name that it has there.
    pub name: String,
    /// The levels that the results state, in ascending order.
    pub levels: Vec<Level>,
    /// Whether the source says that targets were measured in turns, so that the repeats of one number
    /// are of one time and make pairs.
    pub in_turns: bool,
}

impl LoadSearch {
    /// What the highest load must keep.
    pub fn bound(&self) -> Bound {
        let share = self.load.workload.storage().and_then(Storage::processors).is_some();
        let cpu_of_vms = share && self.cpu_limit.is_some();
        let replica_lag_ms = self.lag_limit.map(|most| most.as_millis() as u64);
        Bound { slo: self.slo, cpu_percent: self.cpu_limit, cpu_of_vms, replica_lag_ms }
    }
}
