use crate::{DiskRates, HostAccount, ServerCounters};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// All that was sampled while a trial ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// One every [`crate::Study::sample_every`], in order of time. Empty when nothing could be
    /// sampled.
    pub samples: Vec<Sample>,
    /// The server's counters just before the first connection of the load.
    pub before: Option<CounterReading>,
    /// The server's counters just after the last reply of the load.
    pub after: Option<CounterReading>,
    /// What the kernel counted between those two moments.
    pub account: HostAccount,
    /// Kernel names of the disks that the server's data directory stands on, as in
    /// [`DiskRates::device`]: of an array its members. Empty where that is not known, and of a
    /// server that is not weighin's own.
    pub volume: Vec<String>,
}

/// One reading of host and server: rates and shares since the previous reading.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// When it was taken, counted from the start of the load (negative: before it), in seconds.
    pub at_seconds: f64,
    /// How much time its rates cover.
    pub length: Duration,
    /// The host that weighin runs on.
    pub cpu: CpuShares,
    /// Disks of that host that did anything since boot.
    pub disks: Vec<DiskRates>,
    /// The server process, where it runs on this host.
    pub server: Option<ProcessUsage>,
    /// The processes of its replicas together, where they run on this host.
    pub replicas: Option<ProcessUsage>,
    /// Weighin itself.
    pub client: ProcessUsage,
    /// The server's counters, where it answered.
    pub counters: Option<ServerCounters>,
}

/// Where the processors' time went, as shares of all processors together; they add up to 1. All
/// are 0 where an imported log says nothing of processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuShares {
    /// User, with nice.
    pub user: f64,
    /// Kernel, with interrupts.
    pub system: f64,
    /// Idle with IO outstanding.
    pub iowait: f64,
    /// Taken by the hypervisor.
    pub steal: f64,
    /// Idle.
    pub idle: f64,
}

impl CpuShares {
    /// Whether anything is known of them.
    pub fn is_known(&self) -> bool {
        *self != Self::default()
    }

    /// Share of time in which the processors worked for this host.
    pub fn busy(&self) -> f64 {
        self.user + self.system
    }
}

/// What a process used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessUsage {
    /// Processors used: 1.5 is one and a half.
    pub cpus: f64,
    /// Resident memory in bytes.
    pub rss_bytes: u64,
}

/// Server counters at a moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CounterReading {
    /// Counted from the start of the load (negative: before it), in seconds.
    pub at_seconds: f64,
    /// The counters.
    pub counters: ServerCounters,
}
