use super::dataset::{MEASURE, WARMUP, noise};
use model::*;
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

/// What clients do at so many transactions per second, with books that agree.
pub(super) fn load(clients: u32, tps: f64, seed: u64) -> LoadResult {
    let mean_ms = f64::from(clients) / tps * 1e3;
    let total = (tps * f64::from(MEASURE)) as u64;
    let intervals = intervals(tps, total, seed);
    let totals = |phase| {
        let of_phase = || intervals.iter().filter(|interval| interval.phase == phase);
        PhaseTotals {
            elapsed: of_phase().map(|interval| interval.length).sum(),
            transactions: of_phase().map(|interval| interval.transactions).sum(),
            queries: of_phase().map(|interval| interval.queries).sum(),
            errors: 0,
            moved: Moved::default(),
        }
    };
    let (warmup, measure) = (totals(Phase::Warmup), totals(Phase::Measure));
    let ok = warmup.transactions + measure.transactions;
    LoadResult {
        clients,
        connect_time: Duration::from_millis(3),
        ledger: Ledger { scheduled: ok, ok, ..Ledger::default() },
        warmup,
        measure,
        drain: PhaseTotals::default(),
        latencies: latencies(mean_ms, total),
        intervals,
        errors: Vec::new(),
        requests: requests(ok),
        by_statement: Vec::new(),
        client: ClientCost {
            workers: 1,
            cpus_allowed: 2,
            cpu_seconds: 2.5,
            busiest_worker: 0.25,
            peak_rss_bytes: 21_000_000,
            max_loop_lag: Duration::from_millis(2),
            ..ClientCost::default()
        },
        open: None,
        outages: Vec::new(),
        generators: Vec::new(),
        fleet: None,
    }
}

/// A skewed distribution around the mean that Little's law asks for.
fn latencies(mean_ms: f64, total: u64) -> Latencies {
    let shapes = total.min(2_000);
    let mut latencies = Latencies::new();
    for i in 0..shapes {
        let share = (i as f64 + 0.5) / shapes as f64;
        let nanos = (mean_ms * 1e6 * 0.4 * (1.0 - ((1.0 - share).ln()) * 1.5)) as u64;
        latencies.record_many(nanos, total * (i + 1) / shapes - total * i / shapes);
    }
    latencies
}

/// Seconds of warm-up, then noisy ones of so many transactions in all.
fn intervals(tps: f64, total: u64, seed: u64) -> Vec<Interval> {
    let share = |second: u32| 1.0 + 0.06 * noise(seed * 97 + u64::from(second));
    let all: f64 = (WARMUP..WARMUP + MEASURE).map(share).sum();
    let until = |second: u32| {
        let so_far: f64 = (WARMUP..second).map(share).sum();
        (so_far / all * total as f64).round() as u64
    };
    let interval = |second: u32| {
        let warming = second < WARMUP;
        let transactions =
            if warming { (tps * 0.7) as u64 } else { until(second + 1) - until(second) };
        Interval {
            phase: if warming { Phase::Warmup } else { Phase::Measure },
            start: Duration::from_secs(second.into()),
            length: Duration::from_secs(1),
            transactions,
            queries: transactions * 20,
            errors: 0,
            moved: Moved::default(),
            latencies: (&Latencies::new()).into(),
        }
    };
    (0..WARMUP + MEASURE).map(interval).collect()
}

/// What so many transactions acknowledge.
pub(super) fn requests(transactions: u64) -> RequestCounts {
    let of_transaction = [14, 1, 2, 1, 1, 1, 0];
    let kinds = KINDS.iter().zip(of_transaction);
    let kinds =
        kinds.map(|(kind, each)| RequestCount { kind: kind.clone(), count: each * transactions });
    RequestCounts { kinds: kinds.collect(), ..RequestCounts::default() }
}

/// Makes the books of a changed trial agree again with its phases.
pub fn keep_books(record: &mut TrialRecord) {
    let TrialEnd::Completed(outcome) = &mut record.end else { return };
    let Some(load) = &mut outcome.load else { return };
    let measured = load.intervals.iter().filter(|interval| interval.phase == Phase::Measure);
    if measured.map(|interval| interval.transactions).sum::<u64>() != load.measure.transactions {
        load.intervals.retain(|interval| interval.phase != Phase::Measure);
    }
    load.measure.queries = load.measure.transactions * 20;
    let ok = load.warmup.transactions + load.measure.transactions;
    let Ledger { failed, timed_out, dropped, .. } = load.ledger;
    load.ledger.ok = ok;
    load.ledger.scheduled = ok + failed + timed_out + dropped;
    load.requests = requests(ok);
    if let Some(open) = &mut load.open {
        // Everything begins when it is due.
        open.service_times = load.latencies.clone();
        open.schedule_lags = Latencies::new();
        open.schedule_lags.record_many(0, open.answered);
    }
    if let Some(after) = &mut record.sampling.after {
        let counts = load.requests.expected().into_iter();
        after.counters = counts.map(|(name, count)| (name.to_owned(), count as i64)).collect();
    }
}
