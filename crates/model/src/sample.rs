use crate::{DiskRates, HostAccount, HostFacts, ServerCounters};
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
    /// The same of the machine that the target is on, where that is known to be another than the one
    /// which makes the load. The disks of `volume`, and the server's part of `account`, are of it.
    pub target_host: Option<HostSampling>,
    /// The same of the machines that made the load, where that was not the one that weighin runs on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub load_hosts: Vec<HostSampling>,
}

impl Sampling {
    /// The samples of the machine that the target is on, where it is known to be another; else those
    /// of the one that makes the load.
    pub fn target_samples(&self) -> &[Sample] {
        self.target_host.as_ref().map_or(&self.samples, |host| &host.samples)
    }
}

/// What was sampled on another machine than the one that weighin runs on: that of a target, or one that
/// makes the load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostSampling {
    /// What the study calls that machine.
    pub host: String,
    /// What it is; of a machine that makes the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<HostFacts>,
    /// As [`Sampling::samples`], on the same time line. `client` is weighin's agent there, with the
    /// load generators that it started; they have no counters of the server.
    pub samples: Vec<Sample>,
    /// As [`HostAccount::thermal_events`].
    pub thermal_events: Option<u64>,
    /// Its clock just before the load.
    pub clock_before: ClockReading,
    /// Its clock just after the load.
    pub clock_after: ClockReading,
}

/// A clock of another machine, read over a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClockReading {
    /// By how many seconds its time of day is ahead of that of the machine which makes the load;
    /// negative where it is behind.
    pub ahead_seconds: f64,
    /// By how much that may be wrong at most, in seconds: half of the shortest round trip.
    pub uncertainty_seconds: f64,
}

/// One reading of host and server: rates and shares since the previous reading.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// When it was taken, counted from the start of the load (negative: before it), in seconds.
    pub at_seconds: f64,
    /// How much time its rates cover.
    pub length: Duration,
    /// The processors of the host.
    pub cpu: CpuShares,
    /// Its disks that did anything since boot.
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
