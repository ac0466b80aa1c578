//! What a test does with a target: the task, as plain data.

use crate::{
    ArrivalProcess, Bound, CatchUp, ErrorPolicy, Failover, Intervention, Level, LevelPlacement,
    LoadHosts, Place, RemoteHost, Slo, Statement, Storage, Target, Workload,
};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;
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

/// A steady load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// What is run.
    pub workload: Workload,
    /// How hard, in ascending order, no level twice.
    pub levels: Vec<Level>,
    /// How further levels are placed once these were measured, where the test does so itself.
    pub placement: Option<LevelPlacement>,
    /// How long the load runs before measuring starts; in each step of a search.
    pub warmup: Duration,
    /// How long is measured; in each step of a search. With `operations` the longest time that they
    /// may take.
    pub duration: Duration,
    /// Measure until so many operations were done, and not for a time.
    pub operations: Option<u64>,
    /// How operations arrive at the levels that have a rate.
    pub arrivals: Arrivals,
    /// After how many operations a client gives its connection up for a new one, at the expense of the
    /// operation that comes next. Never when absent; storage has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconnect_after: Option<NonZeroU32>,
    /// Which errors a trial survives, and how.
    pub policy: ErrorPolicy,
    /// Processes that make the load together, on each machine that does, all of them at most as many
    /// as the fewest clients; a search over clients uses fewer where it tries fewer clients.
    pub load_generators: u32,
    /// Machines that make the load, each by so many load generators.
    #[serde(default, skip_serializing_if = "LoadHosts::are_none")]
    pub load_hosts: LoadHosts,
    /// What is done to targets while they are measured, names unique. A search has none.
    pub interventions: Vec<Intervention>,
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

impl Load {
    /// Load generators that a machine can have at most for a load.
    pub const MAX_LOAD_GENERATORS: u32 = 64;
    /// Machines that can make a load at most.
    pub const MAX_LOAD_HOSTS: usize = 256;

    /// The machines that make it on a target; none where that is the one that weighin runs on. On
    /// volumes these are the machines that have them.
    pub fn makers<'a>(&'a self, target: &'a Target) -> &'a [RemoteHost] {
        if let Place::Storage(place) = &target.place {
            return &place.hosts;
        }
        match &self.load_hosts {
            LoadHosts::Same(hosts) => hosts,
            LoadHosts::OfTarget(most) => {
                let own = target.load_hosts.as_deref().unwrap_or_default();
                let count = most.map_or(own.len(), |most| own.len().min(most as usize));
                own.get(..count).unwrap_or_default()
            }
        }
    }

    /// The load generators of all machines together that make it on a target.
    pub fn generators(&self, target: &Target) -> u32 {
        self.load_generators * self.makers(target).len().max(1) as u32
    }

    /// A load of one process, with everything else as in a study file that says nothing of it.
    pub fn new(
        workload: Workload,
        levels: Vec<Level>,
        warmup: Duration,
        duration: Duration,
    ) -> Self {
        Self {
            workload,
            levels,
            placement: None,
            warmup,
            duration,
            operations: None,
            arrivals: Arrivals::default(),
            reconnect_after: None,
            policy: ErrorPolicy::default(),
            load_generators: 1,
            load_hosts: LoadHosts::default(),
            interventions: Vec::new(),
        }
    }
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

/// How the operations of an open loop arrive.
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
