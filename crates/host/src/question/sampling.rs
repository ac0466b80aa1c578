//! What is sampled of a machine while a load runs.

use crate::local::processors::Holding;
use model::{ClockReading, Failure, HostAccount, Sample, ServerCounters, Stop};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Reads the server's counters; `None` when the server doesn't answer.
pub type CounterSource = Box<dyn FnMut() -> Option<ServerCounters> + Send>;

/// Is shown every sample as soon as it is taken.
pub type SampleSink = Box<dyn FnMut(&Sample) + Send>;

/// What to sample, and how often.
pub struct SamplerOptions {
    /// Time between samples; at least 10 ms, below which the kernel's counters don't move.
    pub every: Duration,
    /// The start of the load: time zero of the samples. May lie ahead.
    pub origin: Instant,
    /// When the load measures, in order of time. A sample ends where one of these begins or ends.
    pub measured: Vec<MeasuredPhase>,
    /// The server process, where it runs on this host.
    pub server_pid: Option<u32>,
    /// The processes of its replicas, where they run on this host; they count together.
    pub replica_pids: Vec<u32>,
    /// The pooler or proxy on the way of the load, where that runs on this host.
    pub proxy_pid: Option<u32>,
    /// Other processes of weighin that make the load; they count as weighin itself.
    pub companions: Vec<u32>,
    /// The processors that server and load have to themselves, of which alone the figures of processors
    /// are; `None` where they have all.
    pub processors: Option<Arc<Holding>>,
    /// The server's counters. Called in a thread of its own.
    pub counters: Option<CounterSource>,
    /// Called in the sampling thread, so it must be quick: a slow one makes later samples late,
    /// never wrong.
    pub on_sample: Option<SampleSink>,
}

/// A time in which a load measures, from the start of the load. One that takes turns with others has
/// several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeasuredPhase {
    pub from: Duration,
    /// `None` where that is not known beforehand.
    pub until: Option<Duration>,
}

impl MeasuredPhase {
    /// All of a load.
    pub const WHOLE: Self = Self { from: Duration::ZERO, until: None };
}

impl SamplerOptions {
    /// Of a machine alone: no process, and no counters.
    pub fn of_host(every: Duration, origin: Instant, measured: Vec<MeasuredPhase>) -> Self {
        Self {
            every,
            origin,
            measured,
            server_pid: None,
            replica_pids: Vec::new(),
            proxy_pid: None,
            companions: Vec::new(),
            processors: None,
            counters: None,
            on_sample: None,
        }
    }
}

/// Counters of one block device since boot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskCounters {
    /// Reads completed.
    pub reads: u64,
    /// Reads merged into another before they were issued.
    pub reads_merged: u64,
    /// Sectors read, of 512 bytes.
    pub sectors_read: u64,
    /// Time that reads took, summed over them, in milliseconds.
    pub read_ms: u64,
    /// Writes completed.
    pub writes: u64,
    /// Writes merged into another before they were issued.
    pub writes_merged: u64,
    /// Sectors written, of 512 bytes.
    pub sectors_written: u64,
    /// Time that writes took, summed over them, in milliseconds.
    pub write_ms: u64,
    /// Time in which the device had work, in milliseconds.
    pub busy_ms: u64,
    /// `busy_ms` weighted by the number of requests outstanding.
    pub weighted_ms: u64,
    /// Discards completed; zero before Linux 4.18, like all on discards.
    pub discards: u64,
    /// Discards merged into another before they were issued.
    pub discards_merged: u64,
    /// Sectors discarded, of 512 bytes.
    pub sectors_discarded: u64,
    /// Time that discards took, summed over them, in milliseconds.
    pub discard_ms: u64,
    /// Flushes completed; zero before Linux 5.5, like their time.
    pub flushes: u64,
    /// Time that flushes took, summed over them, in milliseconds.
    pub flush_ms: u64,
}

/// What is watched while a load runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// The server's process, where it runs there.
    pub server_pid: Option<u32>,
    /// Whether to look how much space its temporary files take, fifty times a second.
    pub temporary_space: bool,
    /// Its data directory there, to look as often how much space the files in it take.
    pub data: Option<PathBuf>,
}

/// Watches a load, from before it begins.
pub trait Watch: Send {
    /// Begins to take samples, now that it is known when the load starts.
    fn sample(&mut self, options: SamplerOptions);

    /// Requests that stop as soon as the machine is lost, so that no load goes on unseen.
    fn stop_when_lost(&mut self, _stop: &Stop) {}

    /// The load is over.
    ///
    /// # Errors
    /// `HostLost` where the machine was lost meanwhile.
    fn end(self: Box<Self>) -> Result<Watched, Failure>;
}

/// What was seen of a load.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watched {
    /// In order of time; none where sampling did not begin.
    pub samples: Vec<Sample>,
    pub account: HostAccount,
    pub space: SpaceUsed,
    /// The clock of a machine elsewhere, when watching began and when it ended.
    pub clocks: Option<(ClockReading, ClockReading)>,
}

/// The most space that a server took beyond that at the beginning, in bytes on disk; `None` where it
/// was not asked for, or may not be seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpaceUsed {
    /// In temporary files, and in copies of tables that are being made.
    pub temporary: Option<u64>,
    /// In its data directory, temporary files there included.
    pub data: Option<u64>,
}
