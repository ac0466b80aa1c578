use model::*;
use std::time::Duration;

/// Warm-up of every trial.
pub const WARMUP: Duration = Duration::from_secs(2);
/// Measured phase of every trial.
pub const MEASURE: Duration = Duration::from_secs(10);

/// The statements of a transaction, with what MariaDB counts them in and how many there are.
static TRANSACTION: [(RequestKind, u64); 7] = [
    (RequestKind::counted("select", Effect::Read, "Com_select"), 14),
    (RequestKind::counted("insert", Effect::Write, "Com_insert"), 1),
    (RequestKind::counted("update", Effect::Write, "Com_update"), 2),
    (RequestKind::counted("delete", Effect::Write, "Com_delete"), 1),
    (RequestKind::counted("begin", Effect::Control, "Com_begin"), 1),
    (RequestKind::counted("commit", Effect::Control, "Com_commit"), 1),
    (RequestKind::counted("rollback", Effect::Control, "Com_rollback"), 0),
];

/// What so many transactions of `oltp_read_write` have the server acknowledge.
pub fn requests(transactions: u64) -> RequestCounts {
    let kinds = TRANSACTION.iter().map(|(kind, each)| {
        let (kind, count) = (kind.clone().into(), each * transactions);
        RequestCount { kind, count }
    });
    RequestCounts { kinds: kinds.collect(), ..RequestCounts::default() }
}

/// Statements of a transaction.
fn each() -> u64 {
    TRANSACTION.iter().map(|(_, each)| each).sum()
}

/// 200 latencies spread evenly by ±20 % around a mean in seconds.
pub fn latencies(mean: f64) -> Latencies {
    let mut latencies = Latencies::new();
    for i in 0..200 {
        let share = 0.8 + 0.4 * (f64::from(i) + 0.5) / 200.0;
        latencies.record_nanos((mean * share * 1e9) as u64);
    }
    latencies
}

/// A closed loop without fault at so many transactions per second, in which all clients are busy
/// all the time, with the latencies that Little's law asks for.
pub fn load(clients: u32, throughput: f64) -> LoadResult {
    let transactions = (throughput * MEASURE.as_secs_f64()).round() as u64;
    let totals =
        |elapsed, transactions| PhaseTotals { elapsed, transactions, ..PhaseTotals::default() };
    let mut load = LoadResult {
        clients,
        began_at: None,
        settled: None,
        slices: Vec::new(),
        connect_time: Duration::from_millis(1),
        ledger: Ledger::default(),
        warmup: totals(WARMUP, 0),
        measure: totals(MEASURE, transactions),
        drain: totals(Duration::from_millis(1), 0),
        latencies: latencies(f64::from(clients) / throughput),
        waits: Latencies::new(),
        idle_losses: 0,
        intervals: Vec::new(),
        errors: Vec::new(),
        by_statement: Vec::new(),
        by_transaction: Vec::new(),
        requests: RequestCounts::default(),
        client: ClientCost {
            workers: 1,
            workers_tried: None,
            cpus_allowed: 2,
            cpu_seconds: 1.0,
            busiest_worker: 0.1,
            peak_rss_bytes: 1,
            max_loop_lag: Duration::from_micros(100),
            ..ClientCost::default()
        },
        open: None,
        outages: Vec::new(),
        generators: Vec::new(),
        fleet: None,
        delay: None,
    };
    balance_load(&mut load);
    load
}

/// What an open loop adds to a load of which so many operations were due in the measured phase.
/// [`balance`] makes its distributions fit.
pub fn open_loop(load: &LoadResult, rate: f64, scheduled: u64) -> Box<OpenLoopResult> {
    Box::new(OpenLoopResult {
        rate,
        process: ArrivalProcess::Poisson,
        scheduled,
        answered: load.measure.transactions,
        service_times: load.latencies.clone(),
        schedule_lags: load.latencies.clone(),
        course: Vec::new(),
        max_waiting: 10_000,
        most_waiting: 1,
    })
}

/// Makes everything in the load of a changed trial follow from its intervals, or from the totals of
/// a phase that has none; the server's counters move along.
pub fn balance(record: &mut TrialRecord) {
    let Some(load) = record.load_mut() else { return };
    let before = load.requests.clone();
    balance_load(load);
    let after = load.requests.clone();
    let Some(reading) = &mut record.sampling.after else { return };
    for ((name, before), (_, after)) in before.expected().into_iter().zip(after.expected()) {
        if let Some(&counter) = reading.counters.get(name) {
            let counter = counter + after as i64 - before as i64;
            reading.counters.edit(|counters| counters.insert(name.to_owned(), counter));
        }
    }
}

/// The same of a load alone. Transactions of an open loop begin when they are due.
pub fn balance_load(load: &mut LoadResult) {
    load.intervals.iter_mut().for_each(|one| one.queries = each() * one.transactions);
    for (phase, totals) in [(Phase::Warmup, &mut load.warmup), (Phase::Measure, &mut load.measure)]
    {
        from_intervals(load.intervals.iter().filter(|one| one.phase == phase), totals);
    }
    let ledger = &mut load.ledger;
    if load.intervals.iter().any(|one| one.phase == Phase::Measure) {
        load.measure.errors += ledger.timed_out;
    }
    load.measure.errors = load.measure.errors.max(ledger.timed_out);
    let phases = [&mut load.warmup, &mut load.measure, &mut load.drain];
    (ledger.ok, ledger.failed) = (0, 0);
    for totals in phases {
        totals.queries = each() * totals.transactions;
        ledger.ok += totals.transactions;
        ledger.failed += totals.errors;
    }
    ledger.failed -= ledger.timed_out;
    ledger.scheduled = ledger.ok + ledger.failed + ledger.timed_out + ledger.dropped;
    load.waits = Latencies::new();
    let answers = load.requests.answers;
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
}

fn from_intervals<'a>(intervals: impl Iterator<Item = &'a Interval>, totals: &mut PhaseTotals) {
    let mut any = false;
    // What connections carried is not told by interval.
    let PhaseTotals { received_bytes, sent_bytes, .. } = *totals;
    let mut sum = PhaseTotals { received_bytes, sent_bytes, ..PhaseTotals::default() };
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

/// The same distribution with so many values; none of an empty one.
pub fn so_many(latencies: &Latencies, count: u64) -> Latencies {
    if latencies.count() == count {
        return latencies.clone();
    }
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
