use crate::{Nanos, OperationError, Schedule};
use model::{ErrorCount, Interval, Latencies, Ledger, Phase, PhaseTotals, StatementCounts};
use std::collections::BTreeMap;
use std::time::Duration;

/// The account that one worker keeps of its operations.
///
/// Intervals are closed on the schedule's edges by whichever reply comes first after them, and
/// handed out; totals of a phase are the sums of its intervals.
#[derive(Debug)]
pub(crate) struct Books {
    schedule: Schedule,
    start: Nanos,
    from: Nanos,
    until: Nanos,
    transactions: u64,
    errors: u64,
    statements_before: u64,
    /// Of the open interval.
    latencies: Latencies,
    /// Of the closed intervals of the measured phase.
    measured: Latencies,
    closed: Vec<Interval>,
    last_reply: Nanos,
    by_error: BTreeMap<(u16, String), ErrorCount>,
    pub(crate) ledger: Ledger,
    pub(crate) statements: StatementCounts,
    totals: [PhaseTotals; 3],
}

impl Books {
    pub(crate) fn open(schedule: Schedule, start: Nanos) -> Self {
        Self {
            schedule,
            start,
            from: start,
            until: schedule.interval_end(start, start),
            transactions: 0,
            errors: 0,
            statements_before: 0,
            latencies: Latencies::new(),
            measured: Latencies::new(),
            closed: Vec::new(),
            last_reply: start,
            by_error: BTreeMap::new(),
            ledger: Ledger::default(),
            statements: StatementCounts::default(),
            totals: [PhaseTotals::default(); 3],
        }
    }

    /// Closes every interval that ended by `now`. Times must not run backwards.
    #[inline]
    pub(crate) fn advance(&mut self, now: Nanos) {
        while now >= self.until {
            let until = self.until;
            self.close_interval(until);
        }
    }

    /// An operation was answered. [`Self::advance`] has been called for that moment.
    #[inline]
    pub(crate) fn succeeded(&mut self, began: Nanos, at: Nanos) {
        self.transactions += 1;
        self.ledger.ok += 1;
        self.last_reply = at;
        self.latencies.record_nanos(at.0.saturating_sub(began.0));
    }

    /// An operation was answered with an error.
    pub(crate) fn failed(&mut self, at: Nanos, error: OperationError) {
        self.errors += 1;
        self.ledger.failed += 1;
        self.last_reply = at;
        self.by_error
            .entry((error.code, error.sql_state.clone()))
            .or_insert_with(|| ErrorCount {
                class: error.class,
                code: error.code,
                sql_state: error.sql_state,
                message: error.message,
                count: 0,
            })
            .count += 1;
    }

    /// Intervals closed since the last call.
    pub(crate) fn take_closed(&mut self) -> Vec<Interval> {
        std::mem::take(&mut self.closed)
    }

    /// Closes what is open: the last interval ends with the last reply, or now where operations
    /// were given up.
    pub(crate) fn close(mut self, now: Nanos) -> Closed {
        let end = if self.ledger.timed_out > 0 { now } else { self.last_reply.max(self.from) };
        self.advance(end);
        if end > self.from || self.statements.total() > self.statements_before {
            self.close_interval(end);
        }
        Closed {
            intervals: self.closed,
            totals: self.totals,
            latencies: self.measured,
            ledger: self.ledger,
            statements: self.statements,
            errors: self.by_error.into_values().collect(),
        }
    }

    fn close_interval(&mut self, until: Nanos) {
        let phase = self.schedule.phase(self.start, self.from);
        let statements = self.statements.total();
        let length = until.since(self.from);
        let queries = statements - self.statements_before;
        let totals = &mut self.totals[phase as usize];
        totals.elapsed += length;
        totals.transactions += self.transactions;
        totals.queries += queries;
        totals.errors += self.errors;
        if phase == Phase::Measure {
            self.measured.merge(&self.latencies);
        }
        if phase != Phase::Drain {
            self.closed.push(Interval {
                phase,
                start: self.from.since(self.start),
                length,
                transactions: self.transactions,
                queries,
                errors: self.errors,
                latencies: (&self.latencies).into(),
            });
        }
        self.latencies.clear();
        self.transactions = 0;
        self.errors = 0;
        self.statements_before = statements;
        self.from = until;
        self.until = self.schedule.interval_end(self.start, until);
    }
}

/// The finished account of one worker.
#[derive(Debug)]
pub(crate) struct Closed {
    /// Intervals not handed out before.
    pub(crate) intervals: Vec<Interval>,
    /// Indexed by [`Phase`].
    pub(crate) totals: [PhaseTotals; 3],
    /// Of the measured phase.
    pub(crate) latencies: Latencies,
    pub(crate) ledger: Ledger,
    pub(crate) statements: StatementCounts,
    pub(crate) errors: Vec<ErrorCount>,
}

impl Closed {
    /// Adds the account of another worker that ran beside this one.
    pub(crate) fn add(&mut self, other: Self) {
        for (mine, theirs) in self.totals.iter_mut().zip(other.totals) {
            mine.elapsed = mine.elapsed.max(theirs.elapsed);
            mine.transactions += theirs.transactions;
            mine.queries += theirs.queries;
            mine.errors += theirs.errors;
        }
        self.latencies.merge(&other.latencies);
        self.ledger.scheduled += other.ledger.scheduled;
        self.ledger.ok += other.ledger.ok;
        self.ledger.failed += other.ledger.failed;
        self.ledger.timed_out += other.ledger.timed_out;
        self.ledger.dropped += other.ledger.dropped;
        self.statements += other.statements;
        for error in other.errors {
            let same = |e: &&mut ErrorCount| e.code == error.code && e.sql_state == error.sql_state;
            match self.errors.iter_mut().find(same) {
                Some(mine) => mine.count += error.count,
                None => self.errors.push(error),
            }
        }
    }

    /// Length of a phase.
    pub(crate) fn elapsed(&self, phase: Phase) -> Duration {
        self.totals[phase as usize].elapsed
    }
}
