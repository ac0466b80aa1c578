use super::Stretch;
use super::figures::split;
use crate::commands::sysbench::fairness::Counts;
use model::{Interval, Phase, RequestTally};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

impl Stretch {
    /// Statements per second that read, that write, and others.
    pub(super) fn rates(&self) -> [f64; 3] {
        split(&self.statements).map(|count| self.rate(count))
    }

    /// The same, with writes that changed no row among the others, as 1.0 counts them.
    pub(super) fn rates_by_effect(&self) -> [f64; 3] {
        let [reads, writes, others] = split(&self.statements);
        // They are counted as they come, and so may run ahead of the interval's end.
        let idle = self.counts.writes_without_effect.min(writes);
        [reads, writes - idle, others + idle].map(|count| self.rate(count))
    }

    /// A count per second.
    pub(super) fn rate(&self, count: u64) -> f64 {
        count as f64 / self.seconds()
    }
}

/// Gathers whole seconds into stretches.
#[derive(Debug)]
pub(in super::super) struct Lines {
    every: u32,
    warmup: Duration,
    gathered: u32,
    stretch: Stretch,
    /// Up to the last line.
    counts: Counts,
}

impl Lines {
    /// A line every so many seconds of measuring; never for 0.
    pub(in super::super) fn new(every: u32, warmup: Duration) -> Self {
        let (stretch, counts) = Default::default();
        Self { every, warmup, gathered: 0, stretch, counts }
    }

    /// Adds a second, with its statements and what was counted since the run began; returns the
    /// stretch that ends with it, if one does. What is left when the run ends gives no line, as with
    /// sysbench.
    pub(in super::super) fn add(
        &mut self,
        interval: &Interval,
        statements: &RequestTally,
        counts: Counts,
    ) -> Option<Stretch> {
        if self.every == 0 || interval.phase != Phase::Measure || interval.length < SECOND {
            return None;
        }
        let end = (interval.start + interval.length).saturating_sub(self.warmup);
        self.stretch.add(interval, statements, end);
        self.gathered += 1;
        if self.gathered < self.every {
            return None;
        }
        self.gathered = 0;
        let before = std::mem::replace(&mut self.counts, counts);
        Some(std::mem::take(&mut self.stretch).counted(counts - before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Latencies, Moved};
    use workload::oltp::StatementKind;

    fn second(index: u64, transactions: u64) -> Interval {
        Interval {
            phase: Phase::Measure,
            start: Duration::from_secs(index),
            length: SECOND,
            transactions,
            queries: 20 * transactions,
            errors: 0,
            moved: Moved::default(),
            longest_statement: None,
            latencies: (&Latencies::new()).into(),
        }
    }

    #[test]
    fn seconds_are_gathered_and_the_rest_is_dropped() {
        let mut lines = Lines::new(2, Duration::ZERO);
        let troubles =
            |errors| Counts { errors, reconnects: 1, writes_without_effect: errors, bulk_rows: 0 };
        let counts = |select| {
            let mut tally = RequestTally::default();
            tally.kinds[StatementKind::Select as usize] = select;
            tally.kinds[StatementKind::Update as usize] = 4;
            tally.kinds[StatementKind::Begin as usize] = 1;
            tally
        };
        assert_eq!(lines.add(&second(0, 10), &counts(14), troubles(2)), None);
        let line = lines.add(&second(1, 30), &counts(46), troubles(5)).unwrap();
        assert_eq!((line.counts.errors, line.counts.reconnects), (5, 1));
        assert_eq!((line.end, line.events), (Duration::from_secs(2), 40));
        assert_eq!(line.rates(), [30.0, 4.0, 1.0]);
        assert_eq!(line.rates_by_effect(), [30.0, 1.5, 3.5]);
        assert_eq!(line.seconds(), 2.0);
        assert_eq!(lines.add(&second(2, 5), &counts(1), troubles(5)), None);
        let mut rest = second(3, 1);
        rest.length = Duration::from_millis(3);
        assert_eq!(lines.add(&rest, &counts(1), troubles(5)), None);
    }

    #[test]
    fn there_are_no_lines_unless_asked_for_nor_while_warming_up() {
        let (none, counts) = (Counts::default(), RequestTally::default());
        assert_eq!(Lines::new(0, Duration::ZERO).add(&second(0, 1), &counts, none), None);
        let mut warmup = second(0, 1);
        warmup.phase = Phase::Warmup;
        let mut lines = Lines::new(1, SECOND);
        assert_eq!(lines.add(&warmup, &counts, none), None);
        assert_eq!(lines.add(&second(1, 1), &counts, none).unwrap().end, SECOND);
    }
}
