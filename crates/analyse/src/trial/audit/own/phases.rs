//! Totals of phases against the ledger, the statements and the intervals.

use super::{Count, OwnFigures};
use model::{Interval, LoadResult, Phase, PhaseTotals};
use std::time::Duration;

/// The figures of a phase that add up, with their names by phase and as the sum of its intervals.
struct Figure {
    names: [&'static str; 3],
    of_intervals: &'static str,
    total: fn(&PhaseTotals) -> u64,
    interval: fn(&Interval) -> u64,
}

const TRANSACTIONS: Figure = Figure {
    names: ["warmup.transactions", "measure.transactions", "drain.transactions"],
    of_intervals: "transactions of its intervals",
    total: |totals| totals.transactions,
    interval: |interval| interval.transactions,
};
const QUERIES: Figure = Figure {
    names: ["warmup.queries", "measure.queries", "drain.queries"],
    of_intervals: "queries of its intervals",
    total: |totals| totals.queries,
    interval: |interval| interval.queries,
};
const ERRORS: Figure = Figure {
    names: ["warmup.errors", "measure.errors", "drain.errors"],
    of_intervals: "errors of its intervals",
    total: |totals| totals.errors,
    interval: |interval| interval.errors,
};
const ELAPSED: Figure = Figure {
    names: ["warmup.elapsed_ns", "measure.elapsed_ns", "drain.elapsed_ns"],
    of_intervals: "length_ns of its intervals",
    total: |totals| nanos(totals.elapsed),
    interval: |interval| nanos(interval.length),
};

impl Figure {
    fn by_phase(&self, load: &LoadResult) -> [Count; 3] {
        let [warmup, measure, drain] = self.names;
        [
            (warmup, (self.total)(&load.warmup)),
            (measure, (self.total)(&load.measure)),
            (drain, (self.total)(&load.drain)),
        ]
    }
}

pub(super) fn check(own: &mut OwnFigures<'_>, load: &LoadResult) {
    let ledger = load.ledger;
    own.sum(&TRANSACTIONS.by_phase(load), ("ledger.ok", ledger.ok));
    // What was never answered failed in the measured phase, and in none of its seconds.
    let unanswered = ("ledger.timed_out", ledger.timed_out);
    let [warmup, measure, drain] = ERRORS.by_phase(load);
    let answered = measure.1.saturating_sub(unanswered.1);
    let answered = ("measure.errors without ledger.timed_out", answered);
    own.sum(&[warmup, answered, drain], ("ledger.failed", ledger.failed));
    own.sum(&QUERIES.by_phase(load), ("requests", load.requests.total()));
    // The drain has no intervals.
    for (place, phase) in [Phase::Warmup, Phase::Measure].into_iter().enumerate() {
        let of_phase = || load.intervals.iter().filter(|interval| interval.phase == phase);
        if of_phase().next().is_none() {
            continue;
        }
        for figure in [TRANSACTIONS, QUERIES, ERRORS, ELAPSED] {
            let summed = (figure.of_intervals, of_phase().map(figure.interval).sum());
            let whole = figure.by_phase(load)[place];
            match whole.0 == "measure.errors" {
                true => own.sum(&[summed, unanswered], whole),
                false => own.sum(&[summed], whole),
            }
        }
    }
}

fn nanos(length: Duration) -> u64 {
    u64::try_from(length.as_nanos()).unwrap_or(u64::MAX)
}
