use crate::{Level, Workload};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long the replicas of a group take to apply what their primary wrote while their appliers were
/// stopped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CatchUp {
    /// What writes the backlog on the primary.
    pub workload: Workload,
    /// How hard.
    pub level: Level,
    pub backlog: Backlog,
    /// The longest time that writing the backlog may take, and again that applying it may.
    pub timeout: Duration,
}

/// How much is written before appliers are started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backlog {
    /// So many transactions, which are the same on all targets.
    Transactions(u64),
    /// So many bytes of binary log, or a little more.
    Bytes(u64),
    /// Whatever is written in that time.
    Time(Duration),
}

impl CatchUp {
    /// The name of the task in study files.
    pub const NAME: &'static str = "catch_up";
    /// Transactions of a backlog where a study does not say.
    pub const TRANSACTIONS: u64 = 100_000;
    /// How fast plans take a backlog to be written, in transactions and bytes per second: nobody
    /// knows.
    const ASSUMED_RATES: (u64, u64) = (2_000, 2 << 20);

    /// How long a trial is assumed to take: as long again as to write the backlog.
    pub(crate) fn work_time(&self) -> Duration {
        let (transactions, bytes) = Self::ASSUMED_RATES;
        let writing = match self.backlog {
            Backlog::Transactions(count) => Duration::from_secs(count / transactions + 1),
            Backlog::Bytes(count) => Duration::from_secs(count / bytes + 1),
            Backlog::Time(length) => length,
        };
        writing.min(self.timeout) * 2
    }
}
