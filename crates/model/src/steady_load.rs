//! A steady load, as a test has a target take it.

use crate::{
    ArrivalProcess, ErrorPolicy, Intervention, Level, LevelPlacement, LoadHosts, LoadProfile,
    Place, RateStretch, RemoteHost, Target, Workload,
};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;
use std::time::Duration;

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
    /// The longest time that the load may run before that, until its target has no debts that grow or
    /// fall. Not at all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady_within: Option<Duration>,
    /// How long is measured; in each step of a search. With `operations` the longest time that they
    /// may take.
    pub duration: Duration,
    /// Measure until so many operations were done, and not for a time.
    pub operations: Option<u64>,
    /// How operations arrive at the levels that have a rate.
    pub arrivals: Arrivals,
    /// How the rate changes in the measured phase; its level has the mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<LoadProfile>,
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

impl Load {
    /// Load generators that a machine can have at most for a load.
    pub const MAX_LOAD_GENERATORS: u32 = 64;
    /// Machines that can make a load at most.
    pub const MAX_LOAD_HOSTS: usize = 256;

    /// The machines that make it on a target; none where that is the one that weighin runs on. On
    /// volumes these are the machines that have them.
    pub fn load_hosts<'a>(&'a self, target: &'a Target) -> &'a [RemoteHost] {
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
        self.load_generators * self.load_hosts(target).len().max(1) as u32
    }

    /// What it offers over time, where that changes.
    pub fn course(&self) -> Vec<RateStretch> {
        self.profile.as_ref().map_or_else(Vec::new, |profile| profile.stretches(self.warmup))
    }

    /// For how long what a target puts off must be level before a load is measured that long.
    pub fn settling_window(measured: Duration) -> Duration {
        (measured / 2).clamp(Duration::from_secs(10), Duration::from_secs(120))
    }

    /// The shortest and the longest time that the load runs before its warm-up, where it settles.
    pub fn settling(&self) -> Option<(Duration, Duration)> {
        let longest = self.steady_within?;
        Some((Self::settling_window(self.duration).min(longest), longest))
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
            steady_within: None,
            duration,
            operations: None,
            arrivals: Arrivals::default(),
            profile: None,
            reconnect_after: None,
            policy: ErrorPolicy::default(),
            load_generators: 1,
            load_hosts: LoadHosts::default(),
            interventions: Vec::new(),
        }
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
