//! What a part of a load did.

use crate::delay::DelayRecord;
use crate::recorder::Recorded;
use crate::storage::FleetPart;
use model::{ClientCost, GeneratorShare, Latencies, Packets, Phase, RequestKind};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a part of a load did: everything but its intervals, which are told as they end.
#[derive(Debug, Serialize, Deserialize)]
pub struct Account {
    /// How many clients it had.
    pub(crate) clients: u32,
    pub(crate) named: Named,
    /// From the first connection attempt until all clients were ready to work.
    pub(crate) connect_time: Duration,
    pub(crate) recorded: Recorded,
    /// Without `receive_delay`, `client_delay_seconds` and `paused_seconds`, which follow from the rest.
    pub(crate) client: ClientCost,
    /// How late replies were noticed.
    pub(crate) delays: Latencies,
    /// How long after the start the last of its workers began.
    pub(crate) begun_late: Duration,
    /// Loads on storage only: what its virtual machines did.
    pub(crate) fleet: Option<FleetPart>,
    /// What was measured of the delay on its way, where there is one.
    #[serde(default)]
    pub(crate) delay: Option<DelayRecord>,
}

/// What the sessions of a load call what they count.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Named {
    /// Of the tally.
    pub(crate) kinds: Vec<RequestKind>,
    /// Whose latencies are kept apart.
    pub(crate) statements: Vec<String>,
    /// The same of operations, whose records come after those of statements.
    pub(crate) transactions: Vec<String>,
}

impl Named {
    pub(crate) fn new(
        kinds: &[RequestKind],
        statements: Vec<String>,
        transactions: Vec<String>,
    ) -> Self {
        Self { kinds: kinds.to_vec(), statements, transactions }
    }
}

impl Account {
    pub(crate) fn share(&self, host: Option<String>) -> GeneratorShare {
        let measured = &self.recorded.totals[Phase::Measure as usize];
        GeneratorShare {
            host,
            clients: self.clients,
            transactions: measured.transactions,
            queries: measured.queries,
            errors: measured.errors,
            latencies: (&self.recorded.latencies).into(),
            cpu_seconds: self.client.cpu_seconds,
            peak_rss_bytes: self.client.peak_rss_bytes,
            begun_late: self.begun_late,
        }
    }

    /// Notes what was measured of the delay on its way, whose processor time is not the load
    /// generator's.
    pub(crate) fn delayed(mut self, delay: DelayRecord) -> Self {
        let own = self.client.cpu_seconds - delay.measured().cpu_seconds;
        self.client.cpu_seconds = own.max(0.0);
        Self { delay: Some(delay), ..self }
    }

    /// Adds the account of a part that ran beside this one.
    pub(crate) fn add(&mut self, other: Self) {
        self.clients += other.clients;
        self.connect_time = self.connect_time.max(other.connect_time);
        match (&mut self.fleet, other.fleet) {
            (Some(mine), Some(theirs)) => mine.add(theirs),
            (mine, theirs) => *mine = mine.take().or(theirs),
        }
        match (&mut self.delay, other.delay) {
            (Some(mine), Some(theirs)) => mine.add(&theirs),
            (mine, theirs) => *mine = mine.take().or(theirs),
        }
        self.recorded.add(other.recorded);
        self.delays.merge(&other.delays);
        let (mine, theirs) = (&mut self.client, other.client);
        mine.workers += theirs.workers;
        mine.packets = Packets::together(mine.packets, theirs.packets);
        mine.cpus_allowed = mine.cpus_allowed.max(theirs.cpus_allowed);
        mine.cpu_seconds += theirs.cpu_seconds;
        mine.busiest_worker = mine.busiest_worker.max(theirs.busiest_worker);
        mine.peak_rss_bytes += theirs.peak_rss_bytes;
        mine.max_loop_lag = mine.max_loop_lag.max(theirs.max_loop_lag);
    }
}
