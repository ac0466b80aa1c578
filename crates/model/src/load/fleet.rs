use crate::{FleetProcessors, Latencies};
use serde::{Deserialize, Serialize};
use std::ops::{Add, AddAssign, Sub};

/// Bytes that were read from storage and written to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// Read.
    pub read: u64,
    /// Written.
    pub written: u64,
}

impl Moved {
    /// Both directions together.
    pub fn total(&self) -> u64 {
        self.read + self.written
    }
}

impl Add for Moved {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { read: self.read + other.read, written: self.written + other.written }
    }
}

impl AddAssign for Moved {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Moved {
    type Output = Self;

    /// What was added since `earlier`, which holds no more of anything.
    fn sub(self, earlier: Self) -> Self {
        Self { read: self.read - earlier.read, written: self.written - earlier.written }
    }
}

/// A load on storage by virtual machine and by volume, in the measured phase. All latencies here
/// are service times: from handing over a read or write to noticing that it is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fleet {
    /// Reads and writes that each virtual machine could have under way. Less than was asked for
    /// where there is no io_uring and not enough threads to stand for it.
    pub queue_depth: u32,
    /// Closed loop: time that reads and writes could not begin because of a limit of their virtual
    /// machine or because it waited for a sync, in seconds, summed over all that could have been
    /// under way. Little's law: those under way = throughput × (latency + client delay) + this ÷
    /// length of the phase.
    pub blocked_seconds: f64,
    /// Each virtual machine, in order of their numbers.
    pub vms: Vec<VmAccount>,
    /// Each volume, in order of their numbers.
    pub volumes: Vec<VolumeAccount>,
    /// What was verified, over all phases; absent where nothing was to be.
    pub verified: Option<Verified>,
    /// The processors that all virtual machines shared; absent where they were limited to none.
    pub processors: Option<FleetProcessors>,
}

/// What one virtual machine did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct VmAccount {
    /// The number of its volume.
    pub volume: u32,
    /// Its reads.
    pub reads: IoFigures,
    /// Its writes, without the syncs that follow them.
    pub writes: IoFigures,
}

/// Reads or writes of one virtual machine. Figures and not a distribution: fleets are large.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IoFigures {
    /// How many succeeded.
    pub count: u64,
    /// Bytes in them.
    pub bytes: u64,
    /// Mean latency in milliseconds; absent where there were none.
    pub mean_ms: Option<f64>,
    /// 99th percentile in milliseconds.
    pub p99_ms: Option<f64>,
    /// Longest in milliseconds.
    pub max_ms: Option<f64>,
}

/// What happened on one volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VolumeAccount {
    /// Virtual machines on it.
    pub vms: u32,
    /// Its reads.
    pub reads: IoAccount,
    /// Its writes, without the syncs that follow them.
    pub writes: IoAccount,
}

/// Reads or writes that succeeded, with their whole distribution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IoAccount {
    /// Bytes in them.
    pub bytes: u64,
    /// How long each took.
    pub latencies: Latencies,
}

/// Blocks that were compared with what must be in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// Units (the smallest parts that carry a checksum) that were found as they must be.
    pub units: u64,
    /// Units that were read and could not be compared: they were being written at the same time,
    /// or nothing is known of what they held before.
    pub unknown: u64,
}

impl AddAssign for Verified {
    fn add_assign(&mut self, other: Self) {
        self.units += other.units;
        self.unknown += other.unknown;
    }
}

impl Fleet {
    /// Bytes moved by all virtual machines.
    pub fn moved(&self) -> Moved {
        Moved {
            read: self.vms.iter().map(|vm| vm.reads.bytes).sum(),
            written: self.vms.iter().map(|vm| vm.writes.bytes).sum(),
        }
    }
}

impl IoAccount {
    /// The figures of these reads or writes.
    pub fn figures(&self) -> IoFigures {
        IoFigures {
            count: self.latencies.count(),
            bytes: self.bytes,
            mean_ms: self.latencies.mean_ms(),
            p99_ms: self.latencies.percentile_ms(99.0),
            max_ms: self.latencies.max_ms(),
        }
    }
}

impl AddAssign<&Self> for IoAccount {
    fn add_assign(&mut self, other: &Self) {
        self.bytes += other.bytes;
        self.latencies.merge(&other.latencies);
    }
}
