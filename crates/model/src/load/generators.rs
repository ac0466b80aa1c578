use crate::PackedLatencies;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What one of several load generators did: processes that began together and made one load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeneratorShare {
    /// What the study calls the machine that it ran on; absent for the one that weighin runs on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Connections that it had.
    pub clients: u32,
    /// Transactions that succeeded in the measured phase.
    pub transactions: u64,
    /// Statements acknowledged in it, those of failed transactions included.
    pub queries: u64,
    /// Transactions that failed in it.
    pub errors: u64,
    /// Latencies of the transactions that count for the result's own.
    pub latencies: PackedLatencies,
    /// Processor time of its process in the measured phase, user and system, in seconds.
    pub cpu_seconds: f64,
    /// Highest resident set of its process, in bytes.
    pub peak_rss_bytes: u64,
    /// How long after the common start the last of its threads began, by the clock there: on another
    /// machine as far as it is known by how much that is ahead.
    pub begun_late: Duration,
}
