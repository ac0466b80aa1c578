use model::Latencies;
use std::time::Duration;

/// How long requests of one kind waited, as [`super::Recorder`] keeps it of operations.
#[derive(Debug)]
pub(super) struct KindTimes {
    /// Answered without error in the measured phase.
    measured: Latencies,
    /// Of the measured phase, and without an answer in it: refused, lost with their connection, or cut off
    /// by its end.
    waits: Latencies,
    /// Never answered.
    unanswered: Latencies,
}

impl KindTimes {
    pub(super) fn new() -> Self {
        Self { measured: Latencies::new(), waits: Latencies::new(), unanswered: Latencies::new() }
    }

    #[inline]
    pub(super) fn measured(&mut self, took: Duration) {
        self.measured.record(took);
    }

    pub(super) fn waited(&mut self, took: Duration) {
        self.waits.record(took);
    }

    pub(super) fn never_answered(&mut self, waited: Duration) {
        self.unanswered.record(waited);
    }

    /// All that was never answered, and what waited longer than anything that was answered.
    pub(super) fn close(mut self) -> Latencies {
        let waits = self.waits.longer_than(&self.measured);
        self.measured.merge(&waits);
        self.measured.merge(&self.unanswered);
        self.measured
    }
}
