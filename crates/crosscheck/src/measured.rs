use host::Finished;
use model::CrossCheckFigures;
use std::time::Duration;

/// How hard sysbench or pgbench is to work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SqlLoad {
    /// Connections.
    pub clients: u32,
    /// Transactions offered per second, for an open loop.
    pub rate: Option<u32>,
    /// How long; rounded up to whole seconds.
    pub duration: Duration,
    /// It draws the same numbers again with the same one; from the clock when absent.
    pub seed: Option<u32>,
}

/// A load that another tool ran to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// What it printed, and what its process used from start to end.
    pub figures: CrossCheckFigures,
    /// Of loads on storage: 99th percentile of all latencies in milliseconds.
    pub p99_ms: Option<f64>,
    /// From before its start until after its end: connecting included.
    pub elapsed: Duration,
    /// The part of its process's processor time that the kernel took.
    pub system: Duration,
}

impl Measured {
    /// Of a tool that has finished, with what it printed.
    pub(crate) fn from_finished(figures: CrossCheckFigures, finished: &Finished) -> Self {
        let (elapsed, system) = (finished.elapsed, finished.usage.system);
        Self { figures, p99_ms: None, elapsed, system }
    }
}
