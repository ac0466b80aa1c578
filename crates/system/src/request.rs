use engine::{ErrorPolicy, OpenLoop, Schedule, Stop};
use host::Host;
use model::{IoMethod, Workload};
use std::num::NonZeroU32;
use std::sync::Arc;

/// The load that a target is asked for.
#[derive(Clone, Debug)]
pub struct LoadRequest<'a> {
    /// What to run.
    pub workload: &'a Workload,
    /// Connections; of storage reads and writes that each virtual machine keeps in flight.
    pub clients: u32,
    /// Processes that make the load together, on all machines; at most as many as clients.
    pub generators: u32,
    /// Threads of each of them that drive the connections; a good number for so many clients when
    /// absent.
    pub workers: Option<u32>,
    /// How to move bytes; the best that is permitted when absent.
    pub io: Option<IoMethod>,
    /// Warm-up, measuring and end.
    pub schedule: Schedule,
    /// Arrivals at a rate; a closed loop when absent.
    pub open: Option<OpenLoop>,
    /// After how many operations a client makes a new connection; never when absent.
    pub reconnect_after: Option<NonZeroU32>,
    /// Which errors are survived, and how.
    pub policy: ErrorPolicy,
    /// Whether to keep the latencies of each kind of statement apart.
    pub by_statement: bool,
    /// Seeds all random streams.
    pub seed: u64,
    /// The machine that leads, and makes the load where no other does.
    pub host: &'a dyn Host,
    /// Other machines that make the load; none where `host` does.
    pub load_hosts: Vec<Arc<dyn Host>>,
    /// Requested when enough was measured, for a load that ends with its last reply.
    pub enough: Stop,
}
