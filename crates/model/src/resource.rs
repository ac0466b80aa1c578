/// What the kernel counts processor time in, in seconds: a trial's may be off by one at each end.
const TICK: f64 = 0.01;
/// What it counts that of a thread in.
const MICROSECOND: f64 = 1e-6;

/// What a load takes of the machine that its target is on: an operation of it, where nothing else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Processor time of the server's process, user and kernel.
    ServerCpu,
    /// What of that was spent in the kernel.
    ServerSystemCpu,
    /// Processor time of the replicas' processes there.
    ReplicaCpu,
    /// Processor time of the whole machine, without weighin's own.
    HostCpu,
    /// How often the machine's processors turned to another thread.
    ContextSwitches,
    /// Reads of the disks under the target's data.
    DiskReads,
    DiskWrites,
    DiskReadBytes,
    DiskWrittenBytes,
    /// What the target wrote to its log, by its own counter.
    LogBytes,
    /// Reads that waited for data that was not in the target's own cache, by its own counter.
    CacheMisses,
    /// Bytes that the load's connections sent to the target, and received from it: known of targets
    /// elsewhere as well.
    NetworkReceived,
    NetworkSent,
    /// How often a client asked after it had an answer, counted on the way where that has a delay.
    RoundTrips,
    /// Processor time of what is on the way.
    PathCpu,
    /// Packets of TCP, those without data among them, that the load's connections sent to the target, and
    /// received from it: known of targets elsewhere as well.
    PacketsReceived,
    PacketsSent,
    /// Resident memory of the server's processes when measuring ended: the whole of it.
    Memory,
    /// Bytes of the tables before the load for each of their rows, indexes included.
    SpacePerRow,
    /// Bytes by which the tables grew for a million rows that were written.
    Growth,
    /// Bytes that the disks wrote for a byte of the rows that were written.
    WriteAmplification,
}

impl Resource {
    /// Whether it is what an operation takes.
    pub fn is_of_operation(self) -> bool {
        !matches!(self, Self::Memory | Self::SpacePerRow | Self::Growth | Self::WriteAmplification)
    }

    /// By how much so much of it may be off.
    pub(crate) fn resolution(self) -> f64 {
        match self {
            Self::ServerCpu | Self::ServerSystemCpu | Self::ReplicaCpu | Self::HostCpu => {
                2.0 * TICK
            }
            Self::PathCpu => MICROSECOND,
            _ => 1.0,
        }
    }

    /// In its unit, from seconds or a count.
    pub(crate) fn scale(self) -> f64 {
        match self {
            Self::ServerCpu
            | Self::ServerSystemCpu
            | Self::ReplicaCpu
            | Self::HostCpu
            | Self::PathCpu => 1e6,
            _ => 1.0,
        }
    }
}
