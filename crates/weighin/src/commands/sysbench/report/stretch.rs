use crate::commands::sysbench::fairness::{ClientTally, Counts};
use model::{Interval, Latencies, LoadResult, RequestTally};
use std::time::Duration;

/// What was counted in a stretch of time: between two interim lines, between two checkpoints, or in
/// all of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in super::super) struct Stretch {
    /// From the start of measuring to the end of the stretch.
    pub(super) end: Duration,
    pub(super) length: Duration,
    pub(super) events: u64,
    pub(super) statements: RequestTally,
    pub(super) counts: Counts,
    pub(super) latencies: Latencies,
    /// By thread.
    pub(super) clients: Vec<ClientTally>,
}

impl Stretch {
    /// All of a run.
    pub(in super::super) fn whole(
        load: &LoadResult,
        statements: RequestTally,
        counts: Counts,
        clients: Vec<ClientTally>,
    ) -> Self {
        let whole = Self {
            end: load.measure.elapsed,
            length: load.measure.elapsed,
            events: load.measure.transactions,
            statements,
            latencies: load.latencies.clone(),
            clients,
            ..Self::default()
        };
        whole.counted(counts)
    }

    /// Adds an interval that ended so long after the start of measuring.
    pub(super) fn add(&mut self, interval: &Interval, statements: &RequestTally, end: Duration) {
        self.end = end;
        self.length += interval.length;
        self.events += interval.transactions;
        self.statements += *statements;
        self.latencies.merge(&interval.latencies.unpack());
    }

    /// The same, with what was counted beside the engine. Where rows are inserted in bulk each of them
    /// is an event, and all but the last of a statement take no time.
    pub(super) fn counted(mut self, counts: Counts) -> Self {
        if counts.bulk_rows > 0 {
            self.latencies.record_many(0, counts.bulk_rows.saturating_sub(self.events));
            self.events = counts.bulk_rows;
        }
        self.counts = counts;
        self
    }

    /// The latencies of its events.
    pub(in super::super) fn latencies(&self) -> &Latencies {
        &self.latencies
    }

    pub(super) fn seconds(&self) -> f64 {
        self.length.as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_inserted_in_bulk_are_events_most_of_which_take_no_time() {
        let mut stretch = Stretch { events: 2, ..Stretch::default() };
        stretch.latencies.record_many(8_000_000, 2);
        let counts = Counts { bulk_rows: 100, ..Counts::default() };
        let stretch = stretch.counted(counts);
        assert_eq!((stretch.events, stretch.latencies.count()), (100, 100));
        assert_eq!(stretch.latencies.min_ms(), Some(0.0));
        assert!((stretch.latencies.mean_ms().unwrap() - 0.16).abs() < 1e-3);
        let other = Stretch { events: 7, ..Stretch::default() };
        assert_eq!(other.counted(Counts::default()).events, 7);
    }
}
