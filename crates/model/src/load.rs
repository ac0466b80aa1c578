use crate::{Latencies, PackedLatencies};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What the load engine saw in one trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadResult {
    /// Connections that were opened.
    pub clients: u32,
    /// From the first connection attempt until every session was ready to work.
    pub connect_time: Duration,
    /// What became of every operation, over all phases.
    pub ledger: Ledger,
    /// Load that ran before measuring.
    pub warmup: PhaseTotals,
    /// The measured phase: all rates and latencies of a report come from here.
    pub measure: PhaseTotals,
    /// Operations that were under way when the measured phase ended.
    pub drain: PhaseTotals,
    /// Latencies of the operations that succeeded in the measured phase. Closed loop: service
    /// times, from the first byte sent to the last byte received (method R1).
    pub latencies: Latencies,
    /// One row per second (the last may be shorter), warm-up included.
    pub intervals: Vec<Interval>,
    /// Errors of all phases by class and code, most frequent first.
    pub errors: Vec<ErrorCount>,
    /// Statements acknowledged over all phases: what the server's own counters must agree with.
    pub statements: StatementCounts,
    /// Latencies of each kind of statement that the load had, where they were asked for.
    #[serde(default)]
    pub by_statement: Vec<StatementLatencies>,
    /// What the load generator itself used in the measured phase.
    pub client: ClientCost,
    /// Open loop only: how the offered load was kept up with.
    #[serde(default)]
    pub open: Option<OpenLoopResult>,
    /// Times in which connections were lost, in order.
    #[serde(default)]
    pub outages: Vec<Outage>,
}

/// How operations arrive in an open loop.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum ArrivalProcess {
    /// At random, independently of each other, as from many users.
    #[default]
    Poisson,
    /// Equally far apart.
    Uniform,
}

impl ArrivalProcess {
    /// Both, in the order in which help texts list them.
    pub const ALL: [Self; 2] = [Self::Poisson, Self::Uniform];

    /// The process of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|process| process.name() == name)
    }

    /// The name that study files and the command line use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Poisson => "poisson",
            Self::Uniform => "uniform",
        }
    }
}

/// What an open loop adds to a result. The result's latencies are response times then: from the
/// scheduled start to the reply, of every operation scheduled in the measured phase, whenever it
/// was answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenLoopResult {
    /// Operations per second that were asked for.
    pub rate: f64,
    /// How they were spread in time.
    pub process: ArrivalProcess,
    /// Operations scheduled in the measured phase.
    pub scheduled: u64,
    /// Of those, how many were answered without error, whenever that was.
    pub answered: u64,
    /// Service times of those: from sending the first byte to receiving the last.
    pub service_times: Latencies,
    /// How late those began: from the scheduled start to sending the first byte.
    pub schedule_lags: Latencies,
    /// How many operations may wait for a client before more are dropped.
    pub max_waiting: u64,
    /// How many waited at most.
    pub most_waiting: u64,
}

/// Share of the offered operations that must be answered for a rate to count as achieved
/// (method R2).
const ACHIEVED: f64 = 0.99;
/// Standard deviations of a Poisson variable by which the operations under way at one moment may
/// lie above their mean by chance.
const CHANCE: f64 = 3.0;

impl LoadResult {
    /// Whether the server fell behind the offered rate: fewer than 99 % of the operations of the
    /// measured phase were answered within it. Never in a closed loop.
    ///
    /// An operation that is under way when the phase ends is no sign of falling behind, and where
    /// few are measured such operations alone may be more than 1 %. So the shortfall must also
    /// exceed what may be under way at one moment: on average L = rate × mean service time (Little's
    /// law), no more than there are connections; by chance up to L + 3 √L, as of a Poisson variable,
    /// rounded up to whole operations.
    pub fn is_overloaded(&self) -> bool {
        self.open.as_ref().is_some_and(|open| {
            let in_time = self.measure.transactions.min(open.answered);
            let shortfall = open.scheduled.saturating_sub(in_time) as f64;
            let tolerated = (1.0 - ACHIEVED) * open.scheduled as f64;
            shortfall > tolerated.max(self.may_be_under_way(open))
        })
    }

    /// Operations that the server may have in hand at one moment while it keeps up.
    fn may_be_under_way(&self, open: &OpenLoopResult) -> f64 {
        let service_seconds = open.service_times.mean_ms().unwrap_or(0.0) / 1e3;
        let mean = (open.rate * service_seconds).min(self.clients.into());
        (mean + CHANCE * mean.sqrt()).ceil()
    }
}

/// A time in which connections were lost and operations failed because of it. All moments count
/// from the start of the load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outage {
    /// The first connection that was lost.
    pub first_error: Duration,
    /// The first success of an operation that began after the last loss; absent where there was
    /// none.
    pub first_success: Option<Duration>,
    /// From here on throughput was back at 95 % of what it had been in the measured phase before
    /// the outage, for a second at least; absent where it never was, or there was no before.
    pub recovered: Option<Duration>,
    /// Operations that failed because of it.
    pub failed: u64,
}

impl Outage {
    /// How long nothing succeeded; `None` for an outage that outlasted the load.
    pub fn downtime(&self) -> Option<Duration> {
        self.first_success.map(|success| success.saturating_sub(self.first_error))
    }
}

/// How bytes are moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IoMethod {
    /// Readiness by epoll, a system call for each send and each receive.
    #[default]
    Epoll,
    /// Batches through io_uring.
    IoUring,
}

impl IoMethod {
    /// The name that results and the command line use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Epoll => "epoll",
            Self::IoUring => "io_uring",
        }
    }
}

/// How late replies were noticed: from the kernel's receive time stamp to the moment at which the
/// engine woke up and took them. Latencies end at the kernel's time stamp, so this is no part of
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NoticeDelay {
    /// Replies with a time stamp.
    pub replies: u64,
    /// Median in milliseconds.
    pub p50_ms: f64,
    /// 99th percentile in milliseconds.
    pub p99_ms: f64,
    /// Longest in milliseconds.
    pub max_ms: f64,
}

/// What became of every operation; `scheduled = ok + failed + timed_out + dropped` always holds
/// once a trial has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// Operations that were begun or should have begun.
    pub scheduled: u64,
    /// Answered without error.
    pub ok: u64,
    /// Answered with an error, or their connection was lost.
    pub failed: u64,
    /// Unanswered when the time allowed ran out.
    pub timed_out: u64,
    /// Never begun.
    pub dropped: u64,
}

impl Ledger {
    /// Whether every scheduled operation is accounted for exactly once.
    pub fn balances(&self) -> bool {
        self.scheduled == self.ok + self.failed + self.timed_out + self.dropped
    }
}

/// Phases of a trial under load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Load before measuring.
    Warmup,
    /// What counts.
    Measure,
    /// Waiting for what was under way when measuring ended.
    Drain,
}

/// Totals of one phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PhaseTotals {
    /// How long the phase lasted.
    pub elapsed: Duration,
    /// Transactions that succeeded in it.
    pub transactions: u64,
    /// Statements acknowledged in it, those of failed transactions included.
    pub queries: u64,
    /// Transactions that failed in it.
    pub errors: u64,
}

impl PhaseTotals {
    /// Transactions per second; 0 for an empty phase.
    pub fn transactions_per_second(&self) -> f64 {
        per_second(self.transactions, self.elapsed)
    }

    /// Statements per second; 0 for an empty phase.
    pub fn queries_per_second(&self) -> f64 {
        per_second(self.queries, self.elapsed)
    }
}

fn per_second(count: u64, elapsed: Duration) -> f64 {
    if elapsed.is_zero() { 0.0 } else { count as f64 / elapsed.as_secs_f64() }
}

/// What happened in one second of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Warm-up or measure. An interval never spans both.
    pub phase: Phase,
    /// When it began, counted from the start of the load.
    pub start: Duration,
    /// How long it lasted.
    pub length: Duration,
    /// Transactions that succeeded in it.
    pub transactions: u64,
    /// Statements acknowledged in it.
    pub queries: u64,
    /// Transactions that failed in it.
    pub errors: u64,
    /// Latencies of the transactions that succeeded in it.
    pub latencies: PackedLatencies,
}

/// Statements acknowledged by the server, by what they do. The fields correspond to the server's
/// `Com_*` counters, or to the calls in Redis's `INFO commandstats`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementCounts {
    /// `Com_select`.
    pub select: u64,
    /// `Com_insert`.
    pub insert: u64,
    /// `Com_update`.
    pub update: u64,
    /// `Com_delete`.
    pub delete: u64,
    /// `Com_begin`.
    pub begin: u64,
    /// `Com_commit`.
    pub commit: u64,
    /// `Com_rollback`.
    pub rollback: u64,
    /// `cmdstat_get` of Redis.
    #[serde(default)]
    pub get: u64,
    /// `cmdstat_set` of Redis.
    #[serde(default)]
    pub set: u64,
    /// Of the gets, how many found their key; no statements of their own.
    #[serde(default)]
    pub found: u64,
    /// What was in the answers to some of the selects.
    #[serde(default)]
    pub answers: AnswerCounts,
}

/// Answers that were checked: those to statements of which it is known how many rows they must
/// give, as long as the tables have all their rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerCounts {
    /// How many were checked.
    pub checked: u64,
    /// How many of those had fewer rows.
    pub short: u64,
}

impl std::ops::AddAssign for AnswerCounts {
    fn add_assign(&mut self, other: Self) {
        self.checked += other.checked;
        self.short += other.short;
    }
}

impl StatementCounts {
    /// All statements together.
    pub fn total(&self) -> u64 {
        self.named().iter().map(|(_, count)| count).sum()
    }

    /// Each count with the name of the server counter that it corresponds to.
    pub fn named(&self) -> [(&'static str, u64); 9] {
        [
            ("Com_select", self.select),
            ("Com_insert", self.insert),
            ("Com_update", self.update),
            ("Com_delete", self.delete),
            ("Com_begin", self.begin),
            ("Com_commit", self.commit),
            ("Com_rollback", self.rollback),
            ("cmdstat_get", self.get),
            ("cmdstat_set", self.set),
        ]
    }
}

impl std::ops::Sub for StatementCounts {
    type Output = Self;

    /// What was added since `earlier`, which holds no more of anything.
    fn sub(self, earlier: Self) -> Self {
        Self {
            select: self.select - earlier.select,
            insert: self.insert - earlier.insert,
            update: self.update - earlier.update,
            delete: self.delete - earlier.delete,
            begin: self.begin - earlier.begin,
            commit: self.commit - earlier.commit,
            rollback: self.rollback - earlier.rollback,
            get: self.get - earlier.get,
            set: self.set - earlier.set,
            found: self.found - earlier.found,
            answers: AnswerCounts {
                checked: self.answers.checked - earlier.answers.checked,
                short: self.answers.short - earlier.answers.short,
            },
        }
    }
}

impl std::ops::AddAssign for StatementCounts {
    fn add_assign(&mut self, other: Self) {
        self.select += other.select;
        self.insert += other.insert;
        self.update += other.update;
        self.delete += other.delete;
        self.begin += other.begin;
        self.commit += other.commit;
        self.rollback += other.rollback;
        self.get += other.get;
        self.set += other.set;
        self.found += other.found;
        self.answers += other.answers;
    }
}

/// Latencies of one kind of statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatementLatencies {
    /// Its name, such as `point_select`.
    pub name: String,
    /// From sending a statement to its last byte received, of all that were answered without error
    /// in the measured phase, whatever became of their transactions.
    pub latencies: Latencies,
}

/// What kind of trouble an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// Deadlock, lock wait timeout, serialisation failure: a new attempt may succeed.
    Conflict,
    /// The connection was lost, refused or reset; the server is starting or going away.
    Connection,
    /// Access denied, read-only, no such privilege.
    Permission,
    /// Out of connections, memory, disk or a limit that the server sets.
    Resource,
    /// No such table, wrong syntax: the statement cannot succeed.
    Statement,
    /// A unique key or another constraint was violated.
    Constraint,
    /// Anything else.
    Other,
}

/// How often one error happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorCount {
    /// What kind of trouble.
    pub class: ErrorClass,
    /// The server's error code; 0 where the error is the network's.
    pub code: u16,
    /// Five characters where the server sent them.
    pub sql_state: String,
    /// The first such message.
    pub message: String,
    /// How often.
    pub count: u64,
}

/// What the load generator itself used in the measured phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClientCost {
    /// Threads that drive connections.
    pub workers: u32,
    /// Processors that the load generator may use.
    pub cpus_allowed: u32,
    /// User and system time of the worker threads, in seconds.
    pub cpu_seconds: f64,
    /// CPU time of the busiest worker over the length of the phase: 1 is a saturated thread.
    pub busiest_worker: f64,
    /// Highest resident set of the whole process so far, in bytes.
    pub peak_rss_bytes: u64,
    /// Longest time between two waits of an event loop: replies could go unnoticed for so long.
    pub max_loop_lag: Duration,
    /// How bytes were moved.
    #[serde(default)]
    pub io: IoMethod,
    /// How late replies were noticed; absent where the kernel gives no receive time stamps (Unix
    /// sockets, TLS).
    #[serde(default)]
    pub notice: Option<NoticeDelay>,
    /// Closed loop: time from a reply to the next request of the same client, in seconds, summed
    /// over the measured phase. Unwanted think time: clients = throughput × (latency + this ÷
    /// transactions).
    #[serde(default)]
    pub turnaround_seconds: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ledger_balances_only_when_every_operation_is_accounted_for() {
        let mut ledger = Ledger { scheduled: 4, ok: 1, failed: 1, timed_out: 1, dropped: 1 };
        assert!(ledger.balances());
        ledger.ok = 2;
        assert!(!ledger.balances());
    }

    #[test]
    fn an_empty_phase_has_rate_zero() {
        assert_eq!(PhaseTotals::default().transactions_per_second(), 0.0);
    }

    #[test]
    fn statement_counts_add_up() {
        let mut a = StatementCounts { select: 14, begin: 1, commit: 1, ..Default::default() };
        a += StatementCounts { select: 1, update: 2, ..Default::default() };
        assert_eq!((a.select, a.update, a.total()), (15, 2, 19));
        let earlier = StatementCounts { select: 5, begin: 1, ..Default::default() };
        assert_eq!(((a - earlier).select, (a - earlier).total()), (10, 13));
    }
}
