use super::figures::split;
use crate::commands::sysbench::fairness::Troubles;
use model::{Interval, Latencies, Phase, RequestTally};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// Figures of a stretch of time between two interim lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in super::super) struct Line {
    /// From the start of measuring to the end of the stretch.
    pub(super) at: Duration,
    pub(super) seconds: f64,
    pub(super) events: u64,
    pub(super) statements: RequestTally,
    /// Statements that write and changed no row.
    pub(super) writes_without_effect: u64,
    pub(super) errors: u64,
    pub(super) reconnects: u64,
    pub(super) latencies: Latencies,
}

impl Line {
    /// Statements per second that read, that write, and others.
    pub(super) fn rates(&self) -> [f64; 3] {
        split(&self.statements).map(|count| count as f64 / self.seconds)
    }

    /// The same, with writes that changed no row among the others, as 1.0 counts them.
    pub(super) fn rates_by_effect(&self) -> [f64; 3] {
        let [reads, writes, others] = split(&self.statements);
        // They are counted as they come, and so may run ahead of the interval's end.
        let idle = self.writes_without_effect.min(writes);
        [reads, writes - idle, others + idle].map(|count| count as f64 / self.seconds)
    }
}

/// Gathers whole seconds into stretches.
#[derive(Debug)]
pub(in super::super) struct Lines {
    every: u32,
    warmup: Duration,
    gathered: u32,
    line: Line,
    /// Up to the last line.
    troubles: Troubles,
}

impl Lines {
    /// A line every so many seconds of measuring; never for 0.
    pub(in super::super) fn new(every: u32, warmup: Duration) -> Self {
        Self { every, warmup, gathered: 0, line: Line::default(), troubles: Troubles::default() }
    }

    /// Adds a second, with its statements and the troubles since the run began; returns the stretch
    /// that ends with it, if one does. What is left when the run ends gives no line, as with
    /// sysbench.
    pub(in super::super) fn add(
        &mut self,
        interval: &Interval,
        statements: &RequestTally,
        troubles: Troubles,
    ) -> Option<Line> {
        if self.every == 0 || interval.phase != Phase::Measure || interval.length < SECOND {
            return None;
        }
        let line = &mut self.line;
        line.at = (interval.start + interval.length).saturating_sub(self.warmup);
        line.seconds += interval.length.as_secs_f64();
        line.events += interval.transactions;
        line.statements += *statements;
        line.latencies.merge(&interval.latencies.unpack());
        self.gathered += 1;
        if self.gathered < self.every {
            return None;
        }
        self.gathered = 0;
        let before = std::mem::replace(&mut self.troubles, troubles);
        line.errors = troubles.errors - before.errors;
        line.reconnects = troubles.reconnects - before.reconnects;
        line.writes_without_effect = troubles.writes_without_effect - before.writes_without_effect;
        Some(std::mem::take(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Moved;
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
        let troubles = |errors| Troubles { errors, reconnects: 1, writes_without_effect: errors };
        let counts = |select| {
            let mut tally = RequestTally::default();
            tally.kinds[StatementKind::Select as usize] = select;
            tally.kinds[StatementKind::Update as usize] = 4;
            tally.kinds[StatementKind::Begin as usize] = 1;
            tally
        };
        assert_eq!(lines.add(&second(0, 10), &counts(14), troubles(2)), None);
        let line = lines.add(&second(1, 30), &counts(46), troubles(5)).unwrap();
        assert_eq!((line.errors, line.reconnects), (5, 1));
        assert_eq!((line.at, line.events), (Duration::from_secs(2), 40));
        assert_eq!(line.rates(), [30.0, 4.0, 1.0]);
        assert_eq!(line.rates_by_effect(), [30.0, 1.5, 3.5]);
        assert_eq!(line.seconds, 2.0);
        assert_eq!(lines.add(&second(2, 5), &counts(1), troubles(5)), None);
        let mut rest = second(3, 1);
        rest.length = Duration::from_millis(3);
        assert_eq!(lines.add(&rest, &counts(1), troubles(5)), None);
    }

    #[test]
    fn there_are_no_lines_unless_asked_for_nor_while_warming_up() {
        let (none, counts) = (Troubles::default(), RequestTally::default());
        assert_eq!(Lines::new(0, Duration::ZERO).add(&second(0, 1), &counts, none), None);
        let mut warmup = second(0, 1);
        warmup.phase = Phase::Warmup;
        let mut lines = Lines::new(1, SECOND);
        assert_eq!(lines.add(&warmup, &counts, none), None);
        assert_eq!(lines.add(&second(1, 1), &counts, none).unwrap().at, SECOND);
    }
}
