//! Reports in mid-run, after each of which everything is counted anew.

use super::Stretch;
use crate::commands::sysbench::fairness::{ClientTally, Counts, Tallies};
use model::{Interval, LoadResult, Phase, RequestTally};
use std::collections::VecDeque;
use std::time::Duration;

/// Gathers what is counted up to the next checkpoint, and up to the end of the run.
#[derive(Debug)]
pub(in super::super) struct Checkpoints {
    /// Seconds of measuring after which a report is due, in ascending order.
    due: VecDeque<u32>,
    warmup: Duration,
    /// Of the whole measured phase.
    statements: RequestTally,
    stretch: Stretch,
    /// Up to the last checkpoint; `None` before the first.
    before: Option<(Counts, Vec<ClientTally>)>,
}

impl Checkpoints {
    /// Reports after so many seconds of measuring.
    pub(in super::super) fn new(seconds: &[u32], warmup: Duration) -> Self {
        Self {
            due: seconds.iter().copied().filter(|second| *second > 0).collect(),
            warmup,
            statements: RequestTally::default(),
            stretch: Stretch::default(),
            before: None,
        }
    }

    /// Adds an interval; returns the stretch that ends with it, if a report is due.
    pub(in super::super) fn add(
        &mut self,
        interval: &Interval,
        statements: &RequestTally,
        tallies: &Tallies,
    ) -> Option<Stretch> {
        if interval.phase != Phase::Measure {
            return None;
        }
        self.statements += *statements;
        if self.due.is_empty() && self.before.is_none() {
            return None;
        }
        let end = (interval.start + interval.length).saturating_sub(self.warmup);
        self.stretch.add(interval, statements, end);
        if end < Duration::from_secs((*self.due.front()?).into()) {
            return None;
        }
        // Checkpoints that are passed together are one.
        while self.due.front().is_some_and(|due| end >= Duration::from_secs((*due).into())) {
            self.due.pop_front();
        }
        Some(self.close(tallies))
    }

    /// What is left when the run is over: all of it where no checkpoint was passed.
    pub(in super::super) fn rest(mut self, load: &LoadResult, tallies: &Tallies) -> Stretch {
        if self.before.is_none() {
            return Stretch::whole(load, self.statements, tallies.counts(), tallies.clients());
        }
        let rest = self.close(tallies);
        Stretch { end: load.measure.elapsed, ..rest }
    }

    fn close(&mut self, tallies: &Tallies) -> Stretch {
        let (counts, clients) = (tallies.counts(), tallies.clients());
        let before = self.before.replace((counts, clients.clone()));
        let (counts_before, clients_before) = before.unwrap_or_default();
        let since = |(client, place): (ClientTally, usize)| {
            client - clients_before.get(place).copied().unwrap_or_default()
        };
        let mut stretch = std::mem::take(&mut self.stretch).counted(counts - counts_before);
        stretch.clients = clients.into_iter().zip(0..).map(since).collect();
        stretch
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Latencies, Moved};

    const SECOND: Duration = Duration::from_secs(1);

    fn interval(start: u64, length: Duration, transactions: u64) -> Interval {
        Interval {
            phase: Phase::Measure,
            start: SECOND * start as u32,
            length,
            transactions,
            queries: 0,
            errors: 0,
            moved: Moved::default(),
            longest_statement: None,
            latencies: (&Latencies::new()).into(),
        }
    }

    #[test]
    fn everything_is_counted_anew_after_a_checkpoint() {
        let (tallies, statements) = (Tallies::new(1), RequestTally::default());
        let mut checkpoints = Checkpoints::new(&[0, 2, 3, 9], SECOND);
        let mut ended = |start, transactions| {
            let interval = interval(start, SECOND, transactions);
            let stretch = checkpoints.add(&interval, &statements, &tallies)?;
            Some((stretch.end, stretch.length, stretch.events))
        };
        assert_eq!(ended(1, 10), None);
        assert_eq!(ended(2, 20), Some((2 * SECOND, 2 * SECOND, 30)));
        assert_eq!(ended(3, 40), Some((3 * SECOND, SECOND, 40)));
        assert_eq!(ended(4, 50), None, "the rest is for the end");
    }

    #[test]
    fn checkpoints_that_pass_together_make_one_report() {
        let (tallies, statements) = (Tallies::new(1), RequestTally::default());
        let mut checkpoints = Checkpoints::new(&[1, 2, 4], Duration::ZERO);
        let mut warmup = interval(0, SECOND, 7);
        warmup.phase = Phase::Warmup;
        assert_eq!(checkpoints.add(&warmup, &statements, &tallies), None);
        let first = checkpoints.add(&interval(0, 2 * SECOND, 5), &statements, &tallies);
        assert_eq!(first.map(|stretch| stretch.events), Some(5));
        assert_eq!(checkpoints.add(&interval(2, SECOND, 1), &statements, &tallies), None);
        assert!(checkpoints.add(&interval(3, SECOND, 1), &statements, &tallies).is_some());
    }
}
