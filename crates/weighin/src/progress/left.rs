//! What is left of a run.

use std::time::{Duration, Instant};

/// The trials of a run, and how many of them have a record already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrialCount {
    pub(crate) total: usize,
    pub(crate) done: usize,
}

/// How long the run will still take, as far as was known at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeLeft {
    pub(super) known_at: Instant,
    pub(super) then: Duration,
    /// What the trials after this one will take at the least.
    pub(super) at_least: Duration,
}

impl TimeLeft {
    pub(crate) fn new(then: Duration, known_at: Instant) -> Self {
        Self { known_at, then, at_least: Duration::ZERO }
    }

    pub(crate) fn at(self, now: Instant) -> Duration {
        let since = now.saturating_duration_since(self.known_at);
        self.then.saturating_sub(since).max(self.at_least)
    }
}
