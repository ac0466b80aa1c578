//! Books that agree with themselves, for trials that are spoilt in one respect only.

use crate::bench::load_of;
use model::{
    Effect, Interval, Latencies, LoadResult, OltpMix, Phase, PhaseTotals, RequestCount,
    RequestCounts, RequestKind, TrialRecord,
};
use std::time::Duration;

/// What MariaDB counts.
static KINDS: [RequestKind; 7] = [
    RequestKind::counted("select", Effect::Read, "Com_select"),
    RequestKind::counted("insert", Effect::Write, "Com_insert"),
    RequestKind::counted("update", Effect::Write, "Com_update"),
    RequestKind::counted("delete", Effect::Write, "Com_delete"),
    RequestKind::counted("begin", Effect::Control, "Com_begin"),
    RequestKind::counted("commit", Effect::Control, "Com_commit"),
    RequestKind::counted("rollback", Effect::Control, "Com_rollback"),
];

/// Makes everything follow from the totals of the phases (or from the intervals, where there are
/// any), and the server's counters move along.
pub fn balance(record: &mut TrialRecord) {
    let load = load_of(record);
    let before = load.requests.clone();
    for (phase, totals) in [(Phase::Warmup, &mut load.warmup), (Phase::Measure, &mut load.measure)]
    {
        load.intervals.iter_mut().for_each(|one| one.queries = each() * one.transactions);
        from_intervals(load.intervals.iter().filter(|one| one.phase == phase), totals);
    }
    let sum = |of: fn(&PhaseTotals) -> u64| {
        [&load.warmup, &load.measure, &load.drain].into_iter().map(of).sum::<u64>()
    };
    load.ledger.ok = sum(|totals| totals.transactions);
    load.ledger.failed = sum(|totals| totals.errors);
    let ledger = load.ledger;
    load.ledger.scheduled = ledger.ok + ledger.failed + ledger.timed_out + ledger.dropped;
    for totals in [&mut load.warmup, &mut load.measure, &mut load.drain] {
        totals.queries = each() * totals.transactions;
    }
    let answers = before.answers;
    load.requests = RequestCounts { answers, ..requests(ledger.ok) };
    match &mut load.open {
        None => load.latencies = so_many(&load.latencies, load.measure.transactions),
        Some(open) => {
            load.latencies = so_many(&load.latencies, open.answered);
            open.service_times = load.latencies.clone();
            open.schedule_lags = Latencies::new();
            open.schedule_lags.record_many(0, open.answered);
        }
    }
    let after = load.requests.clone();
    let Some(reading) = &mut record.sampling.after else { return };
    for ((name, before), (_, after)) in before.expected().into_iter().zip(after.expected()) {
        if let Some(&counter) = reading.counters.get(name) {
            let counter = counter + after as i64 - before as i64;
            reading.counters.edit(|counters| counters.insert(name.to_owned(), counter));
        }
    }
}

fn from_intervals<'a>(intervals: impl Iterator<Item = &'a Interval>, totals: &mut PhaseTotals) {
    let mut any = false;
    let mut sum = PhaseTotals::default();
    for interval in intervals {
        any = true;
        sum.elapsed += interval.length;
        sum.transactions += interval.transactions;
        sum.errors += interval.errors;
    }
    if any {
        *totals = sum;
    }
}

/// Statements of a transaction of the builder's study.
fn each() -> u64 {
    let transaction = OltpMix::ReadWrite.transaction();
    u64::from(transaction.reads() + transaction.writes() + transaction.others())
}

/// What so many transactions of the builder's study acknowledge.
pub fn requests(transactions: u64) -> RequestCounts {
    let of_transaction = [14, 1, 2, 1, 1, 1, 0];
    let kinds = KINDS.iter().zip(of_transaction);
    let kinds =
        kinds.map(|(kind, each)| RequestCount { kind: kind.clone(), count: each * transactions });
    RequestCounts { kinds: kinds.collect(), ..RequestCounts::default() }
}

/// How many requests of that kind a load had.
pub fn count<'a>(load: &'a mut LoadResult, name: &str) -> &'a mut u64 {
    let kind = load.requests.kinds.iter_mut().find(|count| count.kind.name == name);
    &mut kind.expect("a kind of the builder's study").count
}

/// The same distribution with so many values; none of an empty one.
pub fn so_many(latencies: &Latencies, count: u64) -> Latencies {
    let mut scaled = Latencies::new();
    let (mut seen, mut given) = (0_u64, 0_u64);
    for (ms, times) in latencies.recorded_ms() {
        seen += times;
        let due = (u128::from(seen) * u128::from(count) / u128::from(latencies.count())) as u64;
        let value = Duration::from_secs_f64(ms / 1e3).as_nanos() as u64;
        scaled.record_many(value, due - given);
        given = due;
    }
    scaled
}
