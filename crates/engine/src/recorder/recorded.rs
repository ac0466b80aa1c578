use super::outage::Losses;
use super::ticks::Ticks;
use super::{Ended, NamedRecord, OpenRecord, Silence};
use crate::Nanos;
use model::{ErrorCount, Latencies, Ledger, Outage, Phase, PhaseTotals, RequestTally};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The finished account of one worker, or of several added up, in this process or in another. All
/// moments count from the start of the load.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Recorded {
    /// From when on throughput shows how fast it was before an outage; absent of a load that pauses.
    pub(super) steady_from: Option<Duration>,
    /// Intervals not handed out before.
    #[serde(skip)]
    pub(crate) intervals: Vec<Ended>,
    /// Indexed by [`Phase`].
    pub(crate) totals: [PhaseTotals; 3],
    /// Of the measured phase, `waits` included.
    pub(crate) latencies: Latencies,
    /// How long operations waited that succeeded at no time of the measured phase: all that were
    /// never answered; of those that failed, or that the end of the phase cut off, the ones that
    /// waited longer than any that succeeded.
    pub(crate) waits: Latencies,
    pub(crate) silence: Silence,
    /// Connections that were lost while they had nothing to do.
    pub(crate) idle_losses: u64,
    /// From replies to the next requests, summed over the measured phase.
    pub(crate) client_delay: Duration,
    /// For which clients paused by their own will, summed over all of them and the measured phase.
    pub(crate) paused: Duration,
    pub(crate) ledger: Ledger,
    pub(crate) tally: RequestTally,
    /// Latencies by kind of request in the measured phase, with how long those of them waited that had no
    /// answer in it, as in `waits`; empty where they are not kept apart.
    pub(crate) by_request: Box<[NamedRecord]>,
    pub(crate) errors: Vec<ErrorCount>,
    pub(crate) open: Option<OpenRecord>,
    pub(super) losses: Losses,
    pub(super) ticks: Ticks,
}

impl Recorded {
    /// Adds the account of another worker that ran beside this one.
    pub(crate) fn add(&mut self, other: Self) {
        for (mine, theirs) in self.totals.iter_mut().zip(other.totals) {
            mine.elapsed = mine.elapsed.max(theirs.elapsed);
            mine.transactions += theirs.transactions;
            mine.queries += theirs.queries;
            mine.errors += theirs.errors;
            mine.moved += theirs.moved;
            mine.received_bytes += theirs.received_bytes;
            mine.sent_bytes += theirs.sent_bytes;
        }
        self.latencies.merge(&other.latencies);
        self.waits.merge(&other.waits);
        self.silence.merge(other.silence);
        self.idle_losses = self.idle_losses.saturating_add(other.idle_losses);
        self.client_delay = self.client_delay.saturating_add(other.client_delay);
        self.paused = self.paused.saturating_add(other.paused);
        self.ledger.scheduled += other.ledger.scheduled;
        self.ledger.ok += other.ledger.ok;
        self.ledger.failed += other.ledger.failed;
        self.ledger.timed_out += other.ledger.timed_out;
        self.ledger.dropped += other.ledger.dropped;
        self.tally += other.tally;
        for (mine, theirs) in self.by_request.iter_mut().zip(&other.by_request) {
            mine.merge(theirs);
        }
        for error in other.errors {
            let key =
                |error: &ErrorCount| (error.class, error.code.clone(), error.sql_state.clone());
            let same = |mine: &&mut ErrorCount| key(mine) == key(&error);
            match self.errors.iter_mut().find(same) {
                Some(mine) => mine.count += error.count,
                None => self.errors.push(error),
            }
        }
        if let (Some(mine), Some(theirs)) = (&mut self.open, other.open) {
            mine.scheduled += theirs.scheduled;
            mine.service_times.merge(&theirs.service_times);
            mine.schedule_lags.merge(&theirs.schedule_lags);
            mine.most_waiting += theirs.most_waiting;
        }
        self.losses.merge(other.losses);
        self.ticks.add(&other.ticks);
    }

    /// Length of a phase.
    pub(crate) fn elapsed(&self, phase: Phase) -> Duration {
        self.totals[phase as usize].elapsed
    }

    /// The times in which connections were lost.
    pub(crate) fn outages(&self) -> Vec<Outage> {
        let since_start = |at: Nanos| at.since(Nanos(0));
        self.losses.outages(|lost, success| {
            let (lost, success) = (since_start(lost), since_start(success));
            self.ticks.recovered(self.steady_from?, lost, success)
        })
    }
}
