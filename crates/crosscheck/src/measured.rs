use model::CrossCheckFigures;
use std::time::Duration;

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
