//! The account that one worker keeps of its operations.

mod kinds;
mod outage;
mod paused;
mod recorded;
mod silence;
mod ticks;
mod times;

use self::kinds::KindTimes;
pub(crate) use self::kinds::{MAX_NAMED_ERRORS, NamedRecord};
use self::outage::Losses;
use self::paused::Paused;
pub(crate) use self::recorded::Recorded;
pub(crate) use self::silence::Silence;
use self::ticks::Ticks;
pub(crate) use self::times::Times;
use crate::{Nanos, OperationError, Schedule};
use model::{
    ErrorClass, ErrorCount, Interval, LONGEST_TIME, Latencies, Ledger, NamedError, Phase,
    PhaseTotals, RequestTally,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Kinds of errors that are told apart: a server must not fill the memory with codes that it makes
/// up.
const MAX_ERRORS: usize = 100;
/// Kinds of errors in an account: those, and one for all others.
pub(crate) const MAX_ERROR_KINDS: usize = MAX_ERRORS + 1;
/// Longest message that is kept of a kind, in bytes.
const LONGEST_MESSAGE: usize = 1024;
/// Longest code or SQL state, in bytes.
const LONGEST_CODE: usize = 64;

/// What an open loop keeps beside the rest, of operations due in the measured phase.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct OpenRecord {
    pub(crate) scheduled: u64,
    pub(crate) service_times: Latencies,
    pub(crate) schedule_lags: Latencies,
    pub(crate) most_waiting: usize,
}

/// An interval that ended, and the requests acknowledged in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ended {
    pub(crate) interval: Interval,
    pub(crate) tally: RequestTally,
}

impl Ended {
    /// Whether its times can be those of a load: others make intervals too, and say what they like.
    pub fn is_plausible(&self) -> bool {
        self.interval.start <= LONGEST_TIME && self.interval.length <= LONGEST_TIME
    }
}

/// Keeps the account. Intervals are closed on the schedule's edges by whichever reply comes first
/// after them, and handed out; totals of a phase are the sums of its intervals.
#[derive(Debug)]
pub(crate) struct Recorder {
    schedule: Schedule,
    start: Nanos,
    from: Nanos,
    until: Nanos,
    transactions: u64,
    errors: u64,
    received_bytes: u64,
    sent_bytes: u64,
    tally_before: RequestTally,
    /// Of the open interval.
    latencies: Latencies,
    /// Of the measured phase.
    measured: Latencies,
    /// From replies to the next requests: in the open interval, and in those before it that count.
    open_delay: Duration,
    client_delay: Duration,
    paused: Paused,
    closed: Vec<Ended>,
    last_reply: Nanos,
    last_success: Nanos,
    idle_losses: u64,
    by_error: BTreeMap<(ErrorClass, String, String), ErrorCount>,
    losses: Losses,
    silence: Silence,
    /// Times that operations waited which have no latency of the measured phase: those that it cut
    /// off, or that failed.
    waits: Latencies,
    /// Times that operations waited which were never answered.
    unanswered: Latencies,
    ticks: Ticks,
    totals: [PhaseTotals; 3],
    pub(crate) open: Option<OpenRecord>,
    pub(crate) ledger: Ledger,
    pub(crate) tally: RequestTally,
    /// Clients that have logged in, each time that one did. A login is in no phase.
    pub(crate) sessions: u64,
    /// By kind of request; empty where they are not kept apart.
    by_request: Box<[KindTimes]>,
    /// Of the open interval, where requests are timed.
    longest_statement: Option<Duration>,
}

impl Recorder {
    /// Begins an account that keeps the latencies of so many kinds of requests apart.
    pub(crate) fn open(schedule: Schedule, start: Nanos, open_loop: bool, requests: usize) -> Self {
        Self {
            schedule,
            start,
            from: start,
            until: schedule.interval_end(start, start),
            transactions: 0,
            errors: 0,
            received_bytes: 0,
            sent_bytes: 0,
            tally_before: RequestTally::default(),
            latencies: Latencies::new(),
            measured: Latencies::new(),
            open_delay: Duration::ZERO,
            client_delay: Duration::ZERO,
            paused: Paused::default(),
            closed: Vec::new(),
            last_reply: start,
            last_success: start,
            idle_losses: 0,
            by_error: BTreeMap::new(),
            losses: Losses::default(),
            silence: Silence::new(start),
            waits: Latencies::new(),
            unanswered: Latencies::new(),
            ticks: Ticks::start(start),
            totals: [PhaseTotals::default(); 3],
            open: open_loop.then(OpenRecord::default),
            ledger: Ledger::default(),
            tally: RequestTally::default(),
            sessions: 0,
            by_request: (0..requests).map(|_| KindTimes::new()).collect(),
            longest_statement: None,
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

    /// An open loop's operation was due then, whatever becomes of it.
    pub(crate) fn due(&mut self, due: Nanos, waiting: usize) {
        self.ledger.scheduled += 1;
        let measured = self.schedule.phase(self.start, due) == Phase::Measure;
        if let Some(open) = &mut self.open {
            open.scheduled += u64::from(measured);
            open.most_waiting = open.most_waiting.max(waiting);
        }
    }

    /// An operation was answered. [`Self::advance`] has been called for that moment.
    #[inline]
    pub(crate) fn succeeded(&mut self, times: Times) {
        let Times { began, ended, .. } = times;
        self.transactions += 1;
        self.ledger.ok += 1;
        (self.last_reply, self.last_success) = (ended, ended);
        self.latencies.record_nanos(times.response_nanos());
        self.losses.succeeded(began, ended);
        self.ticks.count(ended);
        if self.open.is_some() {
            self.answered_open(times);
        }
    }

    /// Response times belong to the phase that the operation was due in: were they left to the
    /// phase of the reply, the slowest would fall out of the measured phase.
    fn answered_open(&mut self, times: Times) {
        let Times { due, began, .. } = times;
        let Some(open) = &mut self.open else { return };
        if self.schedule.phase(self.start, due) == Phase::Measure {
            self.measured.record_nanos(times.response_nanos());
            open.service_times.record_nanos(times.service_nanos());
            open.schedule_lags.record_nanos(began.0.saturating_sub(due.0));
        }
    }

    /// A request of that kind was answered without error. [`Self::advance`] has been called for
    /// that moment.
    #[inline]
    pub(crate) fn answered(&mut self, kind: usize, took: Duration, rows: u64) {
        self.waited(took);
        match self.schedule.phase(self.start, self.from) {
            Phase::Warmup => {}
            Phase::Measure => self.by_request[kind].measured(took, rows),
            Phase::Drain => self.by_request[kind].waited(took),
        }
    }

    /// A request of that kind was refused, or lost its connection. [`Self::advance`] has been called for
    /// that moment.
    pub(crate) fn refused(&mut self, kind: usize, took: Duration) {
        self.waited(took);
        match self.schedule.phase(self.start, self.from) {
            Phase::Warmup => {}
            Phase::Measure => self.by_request[kind].failed(took),
            Phase::Drain => self.by_request[kind].waited(took),
        }
    }

    /// A transaction of that kind, whose latencies are kept apart, came to an end.
    pub(crate) fn transaction(&mut self, kind: usize, took: Duration, succeeded: bool) {
        let kind = &mut self.by_request[kind];
        match self.schedule.phase(self.start, self.from) {
            Phase::Warmup => {}
            Phase::Measure if succeeded => kind.measured(took, 0),
            Phase::Measure => kind.failed(took),
            Phase::Drain => kind.waited(took),
        }
    }

    /// A transaction of that kind, whose latencies are kept apart, was never answered: it waited in the
    /// measured phase, whenever it began.
    pub(crate) fn transaction_never_answered(&mut self, kind: usize, waited: Duration) {
        self.by_request[kind].never_answered(waited);
    }

    /// A transaction of that kind is done again.
    pub(crate) fn retried(&mut self, kind: usize) {
        if self.schedule.phase(self.start, self.from) == Phase::Measure {
            self.by_request[kind].retries += 1;
        }
    }

    /// An error is one of that kind of statement, or of transaction.
    pub(crate) fn blamed(&mut self, kind: usize, error: &OperationError) {
        let mut code = error.code.clone();
        cut(&mut code, LONGEST_CODE);
        self.by_request[kind].note(error.class, &code);
    }

    /// A request of that kind was never answered, and waited for so long: whether or not it was asked
    /// in the measured phase, it waited in it.
    pub(crate) fn never_answered(&mut self, kind: usize, waited: Duration) {
        self.waited(waited);
        self.by_request[kind].never_answered(waited);
    }

    /// A request waited so long for its answer, which may have been an error: one that waits for the
    /// lock of a table that is being changed may find another table than it asked for.
    #[inline]
    pub(crate) fn waited(&mut self, took: Duration) {
        self.longest_statement = self.longest_statement.max(Some(took));
    }

    /// A client went from a reply straight to its next request, and took that long.
    #[inline]
    pub(crate) fn delayed_by_client(&mut self, took: Duration) {
        self.open_delay += took;
    }

    /// A client begins to do nothing by its own will.
    pub(crate) fn pauses(&mut self, now: Nanos) {
        self.paused.begin(now.since(self.from));
    }

    /// A client that paused goes on, or has lost its connection.
    pub(crate) fn goes_on(&mut self, now: Nanos) {
        self.paused.end(now.since(self.from));
    }

    /// An operation was answered with an error, or lost its connection, and counts as failed.
    /// [`Self::advance`] has been called for the moment at which it ended.
    pub(crate) fn failed(&mut self, times: Times, error: OperationError) {
        self.errors += 1;
        self.ledger.failed += 1;
        self.last_reply = times.ended;
        if self.counts_as_measured(times.due) {
            self.waits.record(times.response());
        }
        self.noted(error);
    }

    /// Whether how long an operation waited that was due then, and has just ended, may count in the
    /// measured phase.
    fn counts_as_measured(&self, due: Nanos) -> bool {
        if self.open.is_some() {
            return self.schedule.phase(self.start, due) == Phase::Measure;
        }
        self.from >= self.schedule.measure_from(self.start)
            && self.schedule.phase(self.start, self.from) != Phase::Warmup
    }

    /// An operation is given up that began and was never answered: a failure of the measured phase,
    /// in which it waited, whenever it began. [`Self::advance`] has been called for that moment.
    pub(crate) fn timed_out(&mut self, times: Times) {
        self.ledger.timed_out += 1;
        self.totals[Phase::Measure as usize].errors += 1;
        self.unanswered.record(times.response());
        self.silence.gave_up(times.began, times.ended);
        let waited = times.ended.since(self.schedule.last_begin(self.start).min(times.ended));
        self.noted(OperationError {
            class: ErrorClass::Unanswered,
            code: String::new(),
            sql_state: String::new(),
            message: format!(
                "unanswered when the load was given up, {:.1} s after its time was over",
                waited.as_secs_f64()
            ),
        });
    }

    /// Open loop: an operation is given up that was due then and never began. What was dropped when
    /// it came due has not waited, and is no matter of this.
    pub(crate) fn never_began(&mut self, due: Nanos, now: Nanos) {
        self.ledger.dropped += 1;
        if self.counts_as_measured(due) {
            self.unanswered.record(now.since(due));
        }
    }

    /// A connection was lost that had nothing to do.
    pub(crate) fn lost_idle(&mut self) {
        self.idle_losses += 1;
    }

    /// A client is logged in again.
    pub(crate) fn logged_in(&mut self, at: Nanos) {
        self.losses.logged_in(at);
        self.sessions += 1;
    }

    /// An error that does not end its operation, which is tried again.
    pub(crate) fn noted(&mut self, mut error: OperationError) {
        cut(&mut error.code, LONGEST_CODE);
        cut(&mut error.sql_state, LONGEST_CODE);
        cut(&mut error.message, LONGEST_MESSAGE);
        let key =
            |error: &OperationError| (error.class, error.code.clone(), error.sql_state.clone());
        if self.by_error.len() >= MAX_ERRORS && !self.by_error.contains_key(&key(&error)) {
            error.class = ErrorClass::Other;
            (error.code, error.sql_state) = Default::default();
            error.message =
                format!("errors of more kinds than the {MAX_ERRORS} that are told apart");
        }
        self.by_error
            .entry(key(&error))
            .or_insert_with(|| ErrorCount {
                class: error.class,
                code: error.code,
                sql_state: error.sql_state,
                message: error.message,
                count: 0,
                remedy: String::new(),
            })
            .count += 1;
    }

    /// A connection was lost with an operation under way, or could not be made anew; `from` is when
    /// the client had its last one.
    pub(crate) fn lost(&mut self, from: Nanos, at: Nanos, operation: bool) {
        self.losses.lost(from, at, operation);
    }

    /// Intervals closed since the last call.
    pub(crate) fn take_closed(&mut self) -> Vec<Ended> {
        std::mem::take(&mut self.closed)
    }

    /// Closes what is open: the last interval ends with the last reply, or now where operations
    /// were given up.
    pub(crate) fn close(mut self, now: Nanos) -> Recorded {
        let given_up = self.ledger.timed_out + self.ledger.dropped > 0;
        // A reply that came just before the time was up may have been noticed just after: the
        // phase lasted to its end all the same.
        let time_up = Some(self.schedule.last_begin(self.start)).filter(|end| *end <= now);
        let last = self.last_reply.max(self.from).max(time_up.unwrap_or(self.start));
        let end = if given_up { now } else { last };
        self.advance(end);
        // A failure need not come with a statement, nor later than the open interval begins.
        if end > self.from || self.errors > 0 || self.tally != self.tally_before {
            self.close_interval(end);
        }
        if !given_up {
            self.losses.settle();
        }
        let mut waits = self.waits.longer_than(&self.measured);
        waits.merge(&self.unanswered);
        self.measured.merge(&waits);
        self.silence.succeeded(self.last_success);
        Recorded {
            steady_from: self.schedule.turns.is_none().then_some(self.schedule.warmup),
            intervals: self.closed,
            totals: self.totals,
            latencies: self.measured,
            waits,
            silence: self.silence.counted_from(self.start),
            idle_losses: self.idle_losses,
            client_delay: self.client_delay,
            paused: self.paused.measured(),
            ledger: self.ledger,
            tally: RequestTally { sessions: self.sessions, ..self.tally },
            by_request: self.by_request.into_iter().map(KindTimes::close).collect(),
            errors: self.by_error.into_values().collect(),
            open: self.open,
            losses: self.losses.counted_from(self.start),
            ticks: self.ticks,
        }
    }

    /// A connection received and sent so many bytes in the open interval.
    #[inline]
    pub(crate) fn carried(&mut self, received: usize, sent: usize) {
        self.received_bytes += received as u64;
        self.sent_bytes += sent as u64;
    }

    fn close_interval(&mut self, until: Nanos) {
        let phase = self.schedule.phase(self.start, self.from);
        let tally = self.tally - self.tally_before;
        let length = until.since(self.from);
        let queries = tally.total();
        let totals = &mut self.totals[phase as usize];
        totals.elapsed += length;
        totals.transactions += self.transactions;
        totals.queries += queries;
        totals.errors += self.errors;
        totals.moved += tally.moved;
        totals.received_bytes += std::mem::take(&mut self.received_bytes);
        totals.sent_bytes += std::mem::take(&mut self.sent_bytes);
        match phase {
            Phase::Measure if self.open.is_none() => self.measured.merge(&self.latencies),
            // In a closed loop all that is answered now began before the phase was over.
            Phase::Drain if self.open.is_none() && self.counts_as_measured(self.from) => {
                self.waits.merge(&self.latencies);
            }
            _ => {}
        }
        if phase != Phase::Drain {
            let interval = Interval {
                phase,
                start: self.from.since(self.start),
                length,
                transactions: self.transactions,
                queries,
                errors: self.errors,
                moved: tally.moved,
                longest_statement: self.longest_statement.take(),
                latencies: (&self.latencies).into(),
            };
            self.closed.push(Ended { interval, tally });
        }
        self.paused.close(length, phase == Phase::Measure);
        let delay = std::mem::take(&mut self.open_delay);
        if phase != Phase::Warmup {
            self.client_delay += delay;
        }
        self.latencies.clear();
        self.transactions = 0;
        self.errors = 0;
        self.tally_before = self.tally;
        self.from = until;
        self.until = self.schedule.interval_end(self.start, until);
    }
}

/// Whether its code is no longer than those that a [`Recorder`] keeps.
pub(crate) fn has_short_code(error: &NamedError) -> bool {
    error.code.len() <= LONGEST_CODE
}

/// Whether its texts are no longer than those that a [`Recorder`] keeps.
pub(crate) fn is_short(error: &ErrorCount) -> bool {
    error.code.len() <= LONGEST_CODE
        && error.sql_state.len() <= LONGEST_CODE
        && error.message.len() <= LONGEST_MESSAGE
        && error.remedy.len() <= LONGEST_MESSAGE
}

/// Cuts a text that is longer than so many bytes.
fn cut(text: &mut String, longest: usize) {
    if text.len() > longest {
        let end = (0..=longest).rev().find(|&end| text.is_char_boundary(end));
        text.truncate(end.unwrap_or(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limit;
    use model::ErrorClass;

    #[test]
    fn a_failure_on_the_very_edge_of_a_phase_is_in_the_totals() {
        let window = Duration::from_secs(1);
        let schedule =
            Schedule { warmup: Duration::ZERO, limit: Limit::Window(window), turns: None };
        let mut recorder = Recorder::open(schedule, Nanos(0), false, 0);
        let edge = Nanos(0).plus(window);
        recorder.ledger.scheduled += 1;
        recorder.advance(edge);
        let class = ErrorClass::Connection;
        let message = "reset by peer".to_owned();
        recorder.failed(
            Times::new(edge, edge, edge),
            OperationError { class, code: String::new(), sql_state: String::new(), message },
        );
        let closed = recorder.close(edge);
        assert_eq!(closed.ledger.failed, 1);
        assert_eq!(closed.totals.iter().map(|totals| totals.errors).sum::<u64>(), 1);
    }

    #[test]
    fn errors_that_a_server_makes_up_do_not_fill_the_memory() {
        let schedule = Schedule {
            warmup: Duration::ZERO,
            limit: Limit::Window(Duration::from_secs(1)),
            turns: None,
        };
        let mut recorder = Recorder::open(schedule, Nanos(0), false, 0);
        for code in 0..10_000_u32 {
            let (sql_state, message) = ("é".repeat(1000), "ü".repeat(40_000));
            let code = format!("{code}{}", "é".repeat(1000));
            recorder.noted(OperationError { class: ErrorClass::Other, code, sql_state, message });
        }
        let errors = recorder.close(Nanos(0)).errors;
        assert_eq!(errors.iter().map(|error| error.count).sum::<u64>(), 10_000);
        assert!(errors.len() <= MAX_ERROR_KINDS, "{} kinds", errors.len());
        let length =
            |error: &ErrorCount| error.message.len() + error.code.len() + error.sql_state.len();
        let longest = errors.iter().map(length).max();
        assert!(longest.unwrap_or_default() <= LONGEST_MESSAGE + 2 * LONGEST_CODE);
    }
}
