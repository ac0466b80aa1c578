//! Putting together what workers did, of one process or of several.

use crate::account::Account;
use crate::recorder::{Ended, NamedRecord};
use crate::storage::FleetPart;
use crate::{Nanos, OpenLoop, Schedule};
use model::{
    ErrorCount, Interval, LoadResult, NamedResult, OpenLoopResult, PackedSum, Phase, RequestCounts,
};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::Duration;

/// What is read when the measured phase starts and when it ends, as soon as somebody looks.
pub(crate) struct Ends<T> {
    from: Nanos,
    until: Nanos,
    before: Option<T>,
    after: Option<T>,
}

impl<T: Clone> Ends<T> {
    pub(crate) fn new(schedule: Schedule, start: Nanos) -> Self {
        let (from, until) = (schedule.measure_from(start), schedule.window_end(start));
        Self { from, until, before: None, after: None }
    }

    pub(crate) fn look(&mut self, now: Nanos, read: impl Fn() -> T) {
        if now >= self.from {
            self.before.get_or_insert_with(&read);
        }
        if now >= self.until {
            self.after.get_or_insert_with(&read);
        }
    }

    /// Both, once all is over.
    pub(crate) fn both(self, read: impl Fn() -> T) -> (T, T) {
        let after = self.after.unwrap_or_else(read);
        (self.before.unwrap_or_else(|| after.clone()), after)
    }
}

/// Processor time in the measured phase, as soon as somebody looks where it begins and ends; in that of
/// each turn, where a load takes turns.
pub(crate) struct CpuWindow {
    schedule: Schedule,
    start: Nanos,
    read: fn() -> Duration,
    has_begun: bool,
    /// What was read when the measured phase began that goes on.
    since: Option<Duration>,
    used: Duration,
}

impl CpuWindow {
    /// Of a load that begins then, by `read`, which says how much was used so far.
    pub(crate) fn new(schedule: Schedule, start: Nanos, read: fn() -> Duration) -> Self {
        let has_begun = false;
        let mut window =
            Self { schedule, start, read, has_begun, since: None, used: Duration::ZERO };
        window.look(start);
        window
    }

    pub(crate) fn look(&mut self, now: Nanos) {
        let measures = self.schedule.phase(self.start, now) == Phase::Measure;
        if measures && self.since.is_none() {
            self.since = Some((self.read)());
            self.has_begun = true;
        } else if !measures {
            self.pause();
        }
    }

    /// Whether measuring has begun.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun
    }

    fn pause(&mut self) {
        if let Some(since) = self.since.take() {
            self.used += (self.read)().saturating_sub(since);
        }
    }

    pub(crate) fn used(mut self) -> Duration {
        self.pause();
        self.used
    }
}

/// Intervals of several workers or processes, merged by their start.
pub(crate) struct Intervals {
    sources: u32,
    waiting: BTreeMap<Duration, Merged>,
}

impl Intervals {
    pub(crate) fn new(sources: u32) -> Self {
        Self { sources, waiting: BTreeMap::new() }
    }

    /// Takes in an interval of one of them; the merged one where it was the last to come.
    pub(crate) fn add(&mut self, ended: Ended) -> Option<Ended> {
        if self.sources == 1 {
            return Some(ended);
        }
        let start = ended.interval.start;
        let merged = match self.waiting.entry(start) {
            Entry::Vacant(vacant) => vacant.insert(Merged::new(ended)),
            Entry::Occupied(occupied) => {
                let merged = occupied.into_mut();
                merged.add(&ended);
                merged
            }
        };
        if merged.seen < self.sources {
            return None;
        }
        self.waiting.remove(&start).map(Merged::whole)
    }

    /// Intervals that not all had: where a phase lasts until the last reply, some end earlier.
    pub(crate) fn rest(&mut self) -> Vec<Ended> {
        std::mem::take(&mut self.waiting).into_values().map(Merged::whole).collect()
    }
}

/// An interval of some of the sources.
struct Merged {
    seen: u32,
    /// All but the latencies.
    ended: Ended,
    latencies: PackedSum,
}

impl Merged {
    fn new(ended: Ended) -> Self {
        let mut latencies = PackedSum::default();
        latencies.add(&ended.interval.latencies);
        Self { seen: 1, ended, latencies }
    }

    fn add(&mut self, other: &Ended) {
        self.seen += 1;
        self.ended.tally += other.tally;
        let (a, b) = (&mut self.ended.interval, &other.interval);
        a.length = a.length.max(b.length);
        a.transactions += b.transactions;
        a.queries += b.queries;
        a.errors += b.errors;
        a.moved += b.moved;
        a.longest_statement = a.longest_statement.max(b.longest_statement);
        self.latencies.add(&b.latencies);
    }

    fn whole(self) -> Ended {
        let Self { mut ended, latencies, .. } = self;
        ended.interval.latencies = latencies.pack();
        ended
    }
}

/// The result of a whole load; `asked` are the arrivals of an open loop.
pub(crate) fn result(
    asked: Option<&OpenLoop>,
    whole: Account,
    intervals: Vec<Interval>,
) -> LoadResult {
    let Account { clients, named, connect_time, recorded, client, fleet, delay, .. } = whole;
    debug_assert!(recorded.ledger.balances(), "{:?}", recorded.ledger);
    let outages = recorded.outages();
    let [warmup, measure, drain] = recorded.totals;
    let mut errors = recorded.errors;
    // The same order whichever part came first.
    errors.sort_by(|a, b| {
        let key = |error: &ErrorCount| (error.code.clone(), error.sql_state.clone());
        b.count.cmp(&a.count).then_with(|| key(a).cmp(&key(b)))
    });
    let open = asked.zip(recorded.open).map(|(asked, kept)| OpenLoopResult {
        rate: asked.rate,
        process: asked.process,
        scheduled: kept.scheduled,
        answered: kept.service_times.count(),
        service_times: kept.service_times,
        schedule_lags: kept.schedule_lags,
        max_waiting: asked.max_waiting as u64,
        most_waiting: kept.most_waiting as u64,
        course: asked.course.clone(),
    });
    let mut records = recorded.by_request.into_iter();
    let by_statement = named.statements.into_iter().zip(&mut records).map(named_result);
    let by_statement = by_statement.filter(|one| one.latencies.count() > 0).collect();
    let by_transaction = named.transactions.into_iter().zip(records).map(named_result).collect();
    LoadResult {
        clients,
        began_at: None,
        settled: None,
        slices: Vec::new(),
        connect_time,
        ledger: recorded.ledger,
        warmup,
        measure,
        drain,
        latencies: recorded.latencies,
        waits: recorded.waits,
        idle_losses: recorded.idle_losses,
        intervals,
        errors,
        requests: RequestCounts::new(&named.kinds, &recorded.tally),
        by_statement,
        by_transaction,
        client,
        open: open.map(Box::new),
        outages,
        generators: Vec::new(),
        fleet: fleet.map(FleetPart::whole).map(Box::new),
        delay: delay.map(|delay| delay.measured()),
    }
}

/// What became of the requests, or operations, of one name.
fn named_result((name, record): (String, NamedRecord)) -> NamedResult {
    let NamedRecord { latencies, ok, failed, retries, rows, mut errors } = record;
    errors.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.code.cmp(&b.code)));
    NamedResult { name, latencies, ok, failed, retries, rows, errors }
}
