//! Putting together what the workers did.

use crate::books::Closed;
use crate::usage::process_cpu;
use crate::{LoadSpec, Nanos, Progress, Schedule};
use model::{ClientCost, Interval, LoadResult, OpenLoopResult};
use std::collections::BTreeMap;
use std::time::Duration;

/// Processor time of the whole process from the start of the measured phase to its end.
pub(crate) struct CpuWindow {
    from: Nanos,
    until: Nanos,
    before: Option<Duration>,
    after: Option<Duration>,
}

impl CpuWindow {
    pub(crate) fn new(schedule: Schedule, start: Nanos) -> Self {
        let (from, until) = (schedule.measure_from(start), schedule.window_end(start));
        let before = (from <= start).then(process_cpu);
        Self { from, until, before, after: None }
    }

    pub(crate) fn look(&mut self, now: Nanos) {
        if now >= self.from {
            self.before.get_or_insert_with(process_cpu);
        }
        if now >= self.until {
            self.after.get_or_insert_with(process_cpu);
        }
    }

    pub(crate) fn used(self) -> Duration {
        let after = self.after.unwrap_or_else(process_cpu);
        after.saturating_sub(self.before.unwrap_or(after))
    }
}

/// Intervals of several workers, merged by their start.
pub(crate) struct Intervals {
    workers: u32,
    waiting: BTreeMap<Duration, (u32, Interval)>,
    merged: Vec<Interval>,
}

impl Intervals {
    pub(crate) fn new(workers: u32) -> Self {
        Self { workers, waiting: BTreeMap::new(), merged: Vec::new() }
    }

    pub(crate) fn add(&mut self, interval: Interval, progress: &mut dyn FnMut(Progress<'_>)) {
        let start = interval.start;
        let entry = match self.waiting.remove(&start) {
            None => (1, interval),
            Some((seen, so_far)) => (seen + 1, merge(so_far, &interval)),
        };
        if entry.0 == self.workers {
            progress(Progress::Interval(&entry.1));
            self.merged.push(entry.1);
        } else {
            self.waiting.insert(start, entry);
        }
    }

    /// All intervals in order of time. Where a phase lasts until the last reply, one worker may
    /// have had intervals that others had not.
    pub(crate) fn finish(mut self) -> Vec<Interval> {
        self.merged.extend(self.waiting.into_values().map(|(_, interval)| interval));
        self.merged.sort_by_key(|interval| interval.start);
        self.merged
    }
}

fn merge(a: Interval, b: &Interval) -> Interval {
    let mut latencies = a.latencies.unpack();
    latencies.merge(&b.latencies.unpack());
    Interval {
        phase: a.phase,
        start: a.start,
        length: a.length.max(b.length),
        transactions: a.transactions + b.transactions,
        queries: a.queries + b.queries,
        errors: a.errors + b.errors,
        latencies: (&latencies).into(),
    }
}

/// The result of a whole load.
pub(crate) fn result(
    spec: &LoadSpec,
    connect_time: Duration,
    books: Closed,
    intervals: Vec<Interval>,
    client: ClientCost,
) -> LoadResult {
    debug_assert!(books.ledger.balances(), "{:?}", books.ledger);
    let outages = books.outages();
    let [warmup, measure, drain] = books.totals;
    let mut errors = books.errors;
    errors.sort_by_key(|error| std::cmp::Reverse(error.count));
    let open = spec.open.as_ref().zip(books.open).map(|(asked, kept)| OpenLoopResult {
        rate: asked.rate,
        process: asked.process,
        scheduled: kept.scheduled,
        answered: kept.service_times.count(),
        service_times: kept.service_times,
        schedule_lags: kept.schedule_lags,
        max_waiting: asked.max_waiting as u64,
        most_waiting: kept.most_waiting as u64,
    });
    LoadResult {
        clients: spec.clients,
        connect_time,
        ledger: books.ledger,
        warmup,
        measure,
        drain,
        latencies: books.latencies,
        intervals,
        errors,
        statements: books.statements,
        client,
        open,
        outages,
    }
}
