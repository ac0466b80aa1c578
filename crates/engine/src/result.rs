//! Putting together what the workers did.

use crate::books::{Closed, Ended};
use crate::usage::process_cpu;
use crate::{LoadSpec, Nanos, Progress, Schedule};
use model::{ClientCost, Interval, LoadResult, OpenLoopResult, StatementLatencies};
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
    waiting: BTreeMap<Duration, (u32, Ended)>,
    merged: Vec<Interval>,
}

impl Intervals {
    pub(crate) fn new(workers: u32) -> Self {
        Self { workers, waiting: BTreeMap::new(), merged: Vec::new() }
    }

    pub(crate) fn add(&mut self, ended: Ended, progress: &mut dyn FnMut(Progress<'_>)) {
        let start = ended.interval.start;
        let entry = match self.waiting.remove(&start) {
            None => (1, ended),
            Some((seen, so_far)) => (seen + 1, merge(so_far, &ended)),
        };
        if entry.0 == self.workers {
            self.show(entry.1, progress);
        } else {
            self.waiting.insert(start, entry);
        }
    }

    fn show(&mut self, ended: Ended, progress: &mut dyn FnMut(Progress<'_>)) {
        progress(Progress::Interval(&ended.interval, &ended.statements));
        self.merged.push(ended.interval);
    }

    /// All intervals in order of time. Where a phase lasts until the last reply, one worker may
    /// have had intervals that others had not: those are shown now.
    pub(crate) fn finish(mut self, progress: &mut dyn FnMut(Progress<'_>)) -> Vec<Interval> {
        for (_, ended) in std::mem::take(&mut self.waiting).into_values() {
            self.show(ended, progress);
        }
        self.merged.sort_by_key(|interval| interval.start);
        self.merged
    }
}

fn merge(a: Ended, b: &Ended) -> Ended {
    let mut statements = a.statements;
    statements += b.statements;
    let (a, b) = (a.interval, &b.interval);
    let mut latencies = a.latencies.unpack();
    latencies.merge(&b.latencies.unpack());
    let interval = Interval {
        phase: a.phase,
        start: a.start,
        length: a.length.max(b.length),
        transactions: a.transactions + b.transactions,
        queries: a.queries + b.queries,
        errors: a.errors + b.errors,
        latencies: (&latencies).into(),
    };
    Ended { interval, statements }
}

/// The result of a whole load, whose sessions tell these kinds of requests apart.
pub(crate) fn result(
    spec: &LoadSpec,
    requests: &[&str],
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
    let by_statement = requests
        .iter()
        .zip(books.by_request)
        .filter(|(_, latencies)| latencies.count() > 0)
        .map(|(name, latencies)| StatementLatencies { name: (*name).to_owned(), latencies })
        .collect();
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
        by_statement,
        client,
        open,
        outages,
    }
}
