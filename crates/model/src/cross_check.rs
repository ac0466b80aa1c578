use crate::Failure;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What another tool made of a trial: the same workload at the same level on the same data for
/// the same time (check 7).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrossCheckRecord {
    /// The tool with its version, such as `sysbench 1.0.20`.
    pub tool: String,
    /// Whether it ran before weighin's own load or after it.
    pub order: CrossCheckOrder,
    /// What came of it.
    pub end: CrossCheckEnd,
}

/// Which of two loads of a trial comes first. The order alternates by repeat, so that neither tool
/// always finds what the other has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CrossCheckOrder {
    /// The other tool ran first.
    Before,
    /// Weighin ran first.
    After,
}

impl CrossCheckOrder {
    /// The order in this repeat, counted from 1.
    pub fn of_repeat(repeat: u32) -> Self {
        if repeat.is_multiple_of(2) { Self::Before } else { Self::After }
    }
}

/// What came of a cross-check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CrossCheckEnd {
    /// The tool ran to its end.
    Measured(CrossCheckFigures),
    /// It did not. That takes nothing from the trial itself.
    Failed(Failure),
}

/// What another tool measured, as it prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrossCheckFigures {
    /// Transactions that succeeded; of single keys operations, each of as many commands as are
    /// sent together.
    pub transactions: u64,
    /// Statements, or commands.
    pub queries: u64,
    /// Errors that it went on after.
    pub errors: u64,
    /// How long it measured.
    pub elapsed: Duration,
    /// Transactions per second.
    pub transactions_per_second: f64,
    /// Reads and writes apart, where it is a load on storage that has them.
    pub parts: Vec<CrossCheckPart>,
    /// Mean latency of a transaction in milliseconds.
    pub latency_mean_ms: f64,
    /// 95th percentile of it in milliseconds, where the tool tells it.
    pub latency_p95_ms: Option<f64>,
    /// User and system time of its whole process, in seconds.
    pub cpu_seconds: f64,
    /// Its highest resident set in bytes, where that could be told apart from weighin's own.
    pub peak_rss_bytes: Option<u64>,
    /// How far its rate may be off for how it counts and takes the time, as a share of it.
    pub rate_rounding: f64,
    /// How far its percentiles may be off for the classes in which it counts latencies, as a
    /// share of them.
    pub percentile_rounding: f64,
}

/// The reads or the writes of a load on storage, as another tool measured them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrossCheckPart {
    /// Which of them.
    pub direction: Direction,
    /// How many there were each second.
    pub per_second: f64,
    /// Mean latency in milliseconds.
    pub latency_mean_ms: f64,
    /// 99th percentile of it in milliseconds, where the tool tells it.
    pub latency_p99_ms: Option<f64>,
}

/// Where the data of an input or output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From storage.
    Read,
    /// To storage.
    Write,
}

impl Direction {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Read, Self::Write];
}

impl CrossCheckRecord {
    /// What the tool measured, if it ran to its end.
    pub fn figures(&self) -> Option<&CrossCheckFigures> {
        match &self.end {
            CrossCheckEnd::Measured(figures) => Some(figures),
            CrossCheckEnd::Failed(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_alternate() {
        let orders = [1, 2, 3].map(CrossCheckOrder::of_repeat);
        assert_eq!(
            orders,
            [CrossCheckOrder::After, CrossCheckOrder::Before, CrossCheckOrder::After]
        );
    }
}
