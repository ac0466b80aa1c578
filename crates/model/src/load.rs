mod client;
mod errors;
mod fleet;
mod generators;
mod open_loop;
mod profile;
mod requests;

pub use client::{ClientCost, IoMethod, Packets, ReceiveDelay, WorkersTried};
pub use errors::{ErrorClass, ErrorCount, Outage};
pub use fleet::{Fleet, IoAccount, IoFigures, Moved, Verified, VmAccount, VolumeAccount};
pub use generators::GeneratorShare;
pub use open_loop::{ArrivalProcess, OpenLoopResult};
pub use profile::{LoadProfile, ProfileStage, RateStretch, StretchResult};
pub use requests::{
    AnswerCounts, Effect, MAX_REQUEST_KINDS, NamedError, NamedResult, RequestCount, RequestCounts,
    RequestKind, RequestTally,
};

use crate::{DelayMeasured, Latencies, PackedLatencies, Settled, UnixMillis};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::time::Duration;

/// What the load engine saw in one trial.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadResult {
    /// Connections that were opened.
    pub clients: u32,
    /// When it began, by the clock of the machine that leads: what the times of its intervals, marks
    /// and samples are counted from. `None` where nobody looked.
    #[serde(default)]
    pub began_at: Option<UnixMillis>,
    /// From the first connection attempt until every session was ready to work.
    pub connect_time: Duration,
    /// What became of every operation, over all phases.
    pub ledger: Ledger,
    /// Load that ran before measuring.
    pub warmup: PhaseTotals,
    /// The measured phase: all rates and latencies of a report come from here.
    pub measure: PhaseTotals,
    /// Operations that were under way when the measured phase ended.
    pub drain: PhaseTotals,
    /// The load that ran before this one until the target had no debts that grow or fall, where that was
    /// asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
    /// Of a load that took turns with those of other targets, when it was measured: its measured phase
    /// is all of these together. None of a load that was measured without a break.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<Slice>,
    /// Latencies of the operations that succeeded in the measured phase, and `waits`. Closed loop:
    /// service times, from the first byte sent to the last byte received.
    pub latencies: Latencies,
    /// What `latencies` holds of operations that did not succeed in the measured phase but waited in
    /// it: of all that were never answered, how long they were seen to wait; of those that failed,
    /// and in a closed loop of those that succeeded after the phase had ended, how long they took,
    /// where that is longer than any that succeeded in it (for the worker that drove them).
    /// Without these the slowest would be missing wherever a load stalls.
    pub waits: Latencies,
    /// Connections that were lost while they had nothing to do, over all phases, and made anew.
    pub idle_losses: u64,
    /// One row per second (the last may be shorter), warm-up included.
    pub intervals: Vec<Interval>,
    /// Errors of all phases by class and code, most frequent first.
    pub errors: Vec<ErrorCount>,
    /// Requests acknowledged over all phases: what the target's own counters must agree with.
    pub requests: RequestCounts,
    /// What became of each kind of statement that the load had, where that was asked for.
    pub by_statement: Vec<NamedResult>,
    /// What became of each of its transactions, where they were asked for and have names.
    pub by_transaction: Vec<NamedResult>,
    /// What the load generator itself used in the measured phase.
    pub client: ClientCost,
    /// Open loop only: how the offered load was kept up with.
    pub open: Option<Box<OpenLoopResult>>,
    /// Times in which connections were lost, in order.
    pub outages: Vec<Outage>,
    /// What each of several load generators did of all this; empty where one process made the
    /// load.
    pub generators: Vec<GeneratorShare>,
    /// Loads on storage only: by virtual machine and by volume.
    pub fleet: Option<Box<Fleet>>,
    /// What was measured of the delay on its way, where the study wants one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<DelayMeasured>,
}

/// A part of a measured phase that was cut into several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slice {
    /// When it began, counted from the start of the load.
    pub from: Duration,
    /// When it ended.
    pub until: Duration,
}

/// No load and no part of one takes longer: ten years. What others tell of longer times is wrong.
pub const LONGEST_TIME: Duration = Duration::from_secs(10 * 366 * 86_400);

/// What became of every operation; `scheduled = ok + failed + timed_out + dropped` always holds
/// once a trial has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// Operations that were begun or should have begun.
    pub scheduled: u64,
    /// Answered without error.
    pub ok: u64,
    /// Answered with an error, or their connection was lost.
    pub failed: u64,
    /// Begun, and unanswered when the time allowed ran out.
    pub timed_out: u64,
    /// Never begun.
    pub dropped: u64,
}

impl LoadResult {
    /// Latencies of the operations that succeeded in the measured phase, and of no others.
    pub fn succeeded(&self) -> Cow<'_, Latencies> {
        if self.waits.is_empty() {
            return Cow::Borrowed(&self.latencies);
        }
        Cow::Owned(self.latencies.without(&self.waits))
    }

    /// Operations of the measured phase that came to an end, with or without success.
    pub fn ended(&self) -> u64 {
        self.measure.ended().saturating_sub(self.ledger.timed_out)
    }
}

impl Ledger {
    /// Whether every scheduled operation is accounted for exactly once.
    pub fn balances(&self) -> bool {
        self.scheduled == self.ok + self.failed + self.timed_out + self.dropped
    }
}

/// Phases of a trial under load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Load before measuring.
    Warmup,
    /// What counts.
    Measure,
    /// Waiting for what was under way when measuring ended.
    Drain,
}

/// Totals of one phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PhaseTotals {
    /// How long the phase lasted.
    pub elapsed: Duration,
    /// Transactions that succeeded in it.
    pub transactions: u64,
    /// Statements acknowledged in it, those of failed transactions included.
    pub queries: u64,
    /// Transactions that failed in it; in the measured phase also all that were never answered.
    pub errors: u64,
    /// Bytes read from storage and written to it; none where the load is on a server.
    pub moved: Moved,
    /// Bytes that connections to a server received in it, and sent: those of the protocol, without
    /// what encryption and the heads of packets add. None where the load is on storage.
    pub received_bytes: u64,
    pub sent_bytes: u64,
}

impl PhaseTotals {
    /// Transactions that ended in it, with or without success.
    pub fn ended(&self) -> u64 {
        self.transactions + self.errors
    }

    /// Transactions per second; 0 for an empty phase.
    pub fn transactions_per_second(&self) -> f64 {
        per_second(self.transactions, self.elapsed)
    }

    /// Bytes per second, read and written together; 0 for an empty phase.
    pub fn bytes_per_second(&self) -> f64 {
        per_second(self.moved.total(), self.elapsed)
    }

    /// Statements per second; 0 for an empty phase.
    pub fn queries_per_second(&self) -> f64 {
        per_second(self.queries, self.elapsed)
    }
}

fn per_second(count: u64, elapsed: Duration) -> f64 {
    if elapsed.is_zero() { 0.0 } else { count as f64 / elapsed.as_secs_f64() }
}

/// What happened in one second of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Warm-up or measure. An interval never spans both.
    pub phase: Phase,
    /// When it began, counted from the start of the load.
    pub start: Duration,
    /// How long it lasted.
    pub length: Duration,
    /// Transactions that succeeded in it.
    pub transactions: u64,
    /// Statements acknowledged in it.
    pub queries: u64,
    /// Transactions that failed in it.
    pub errors: u64,
    /// Bytes read from storage and written to it; none where the load is on a server.
    pub moved: Moved,
    /// The longest time that a statement took which was answered in it, also with an error; absent
    /// where statements are not timed one by one, and where none was answered.
    pub longest_statement: Option<Duration>,
    /// Latencies of the transactions that succeeded in it.
    pub latencies: PackedLatencies,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ledger_balances_only_when_every_operation_is_accounted_for() {
        let mut ledger = Ledger { scheduled: 4, ok: 1, failed: 1, timed_out: 1, dropped: 1 };
        assert!(ledger.balances());
        ledger.ok = 2;
        assert!(!ledger.balances());
    }

    #[test]
    fn an_empty_phase_has_rate_zero() {
        assert_eq!(PhaseTotals::default().transactions_per_second(), 0.0);
    }
}
