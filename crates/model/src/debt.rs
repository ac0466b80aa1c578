//! Work that a load causes and that its target puts off: debts.

use crate::{ServerCounters, signal};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// No target has so many bytes or rows: what tells of more is no reading.
const MOST: u64 = 1 << 53;

fn amount(told: &ServerCounters, signal: &str) -> Option<u64> {
    u64::try_from(*told.get(signal)?).ok().filter(|amount| *amount <= MOST)
}

/// Work that a target puts off while a load runs. As long as it grows, the load is done at the expense
/// of the future; while it is paid, the load pays for what came before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Debt {
    /// Log since the last checkpoint: what a full log must wait for.
    CheckpointAge,
    /// Data that was changed in memory and has yet to be written.
    ChangedData,
    /// Old versions of rows that have yet to be removed.
    OldVersions,
    /// Rows that nobody sees any more and that have yet to be removed.
    DeadRows,
    /// A snapshot is being written.
    Snapshot,
    /// The log is being rewritten.
    LogRewrite,
    /// A checkpoint is being written.
    Checkpoint,
    /// Tables are being cleaned of dead rows.
    Cleanup,
}

impl Debt {
    pub const ALL: [Self; 8] = [
        Self::CheckpointAge,
        Self::ChangedData,
        Self::OldVersions,
        Self::DeadRows,
        Self::Snapshot,
        Self::LogRewrite,
        Self::Checkpoint,
        Self::Cleanup,
    ];

    /// The signal by which a target tells of it; one that does not has none.
    pub fn signal(self) -> &'static str {
        match self {
            Self::CheckpointAge => signal::CHECKPOINT_AGE,
            Self::ChangedData => signal::DIRTY_BYTES,
            Self::OldVersions => signal::OLD_VERSIONS,
            Self::DeadRows => signal::DEAD_ROWS,
            Self::Snapshot => signal::SNAPSHOT_RUNNING,
            Self::LogRewrite => signal::LOG_REWRITE_RUNNING,
            Self::Checkpoint => signal::CHECKPOINTS_RUNNING,
            Self::Cleanup => signal::CLEANUPS_RUNNING,
        }
    }

    /// The signal that tells how much of it the target takes before it has to pay.
    pub fn limit_signal(self) -> Option<&'static str> {
        match self {
            Self::CheckpointAge => Some(signal::CHECKPOINT_AGE_LIMIT),
            Self::ChangedData => Some(signal::CACHE_BYTES),
            Self::DeadRows => Some(signal::DEAD_ROWS_LIMIT),
            _ => None,
        }
    }

    /// How much of it a target told of; absent where it told nothing that can be.
    pub fn amount(self, told: &ServerCounters) -> Option<u64> {
        amount(told, self.signal())
    }

    /// How much of it the target takes before it has to pay; absent where it has no limit.
    pub fn limit(self, told: &ServerCounters) -> Option<u64> {
        amount(told, self.limit_signal()?).filter(|&limit| limit > 0)
    }

    /// Whether it is work that is either under way or not, and no amount.
    pub fn is_work(self) -> bool {
        matches!(self, Self::Snapshot | Self::LogRewrite | Self::Checkpoint | Self::Cleanup)
    }

    /// Whether it is no debt while a load runs: checkpoints that are spread over time, and cleaning that
    /// comes and goes, are what a load has in a steady state.
    pub fn is_of_rest(self) -> bool {
        matches!(self, Self::Checkpoint | Self::Cleanup)
    }

    /// Whether clients have to wait where it reaches its limit.
    pub fn holds_clients_up(self) -> bool {
        matches!(self, Self::CheckpointAge | Self::ChangedData)
    }
}

/// How much of a debt there was at two moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebtChange {
    pub debt: Debt,
    /// In the unit of its signal.
    pub from: u64,
    pub to: u64,
    /// How much of it the target takes, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Whether it was level at the second moment.
    pub is_level: bool,
}

/// A load that ran before its trial measured, until debts were level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settled {
    /// How long it ran.
    pub took: Duration,
    /// The longest time that it might.
    pub at_most: Duration,
    /// What the target told of, from the beginning of that load to its end; none where it told of nothing.
    pub debts: Vec<DebtChange>,
}

impl Settled {
    /// Whether all debts were level when the trial began; `None` where the target told of none.
    pub fn is_level(&self) -> Option<bool> {
        (!self.debts.is_empty()).then(|| self.debts.iter().all(|debt| debt.is_level))
    }
}

/// What making the data of a load left to be done, and what became of it before the first trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadingDebt {
    /// How long was waited for it.
    pub waited: Duration,
    pub debts: Vec<DebtChange>,
}
