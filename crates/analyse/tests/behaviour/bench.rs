//! Builds datasets with a known truth.

use crate::books::{requests, so_many};
use analyse::{Analysis, Comparison, Evidence, Finding, Metric, Verdict};
use model::{
    Block, ClientCost, CounterReading, Dataset, Failure, FailureKind, HostAccount, HostFacts,
    KeyDistribution, Latencies, Ledger, Level, Load, LoadResult, Moved, Oltp, OltpMix, Outcome,
    PhaseTotals, Place, Plan, Price, RequestCounts, RunInfo, Sampling, SandboxSpec, ServerFacts,
    Study, System, Target, TargetFacts, Task, Test, Trial, TrialEnd, TrialKey, TrialRecord,
    UnixMillis, Workload,
};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::Duration;

pub const TEST: &str = "oltp";
const WARMUP: Duration = Duration::from_secs(2);
pub const MEASURE: Duration = Duration::from_secs(10);

/// A dataset with these targets, levels and repeats; trials without fault in which every client
/// is busy all the time.
pub fn dataset(
    targets: &[&str],
    levels: &[u32],
    repeats: u32,
    mut throughput: impl FnMut(&str, u32, u32) -> f64,
) -> Dataset {
    let mut blocks = Vec::new();
    let mut trials = Vec::new();
    for repeat in 1..=repeats {
        let mut planned = Vec::new();
        for &target in targets {
            for &clients in levels {
                let key = key(target, clients, repeat);
                let position = trials.len() as u32 + 1;
                let load_time = WARMUP + MEASURE;
                planned.push(Trial { key: key.clone(), position, seed: 1, load_time });
                trials.push(record(key, position, throughput(target, clients, repeat)));
            }
        }
        blocks.push(Block { number: repeat, trials: planned });
    }
    Dataset {
        study: study(targets, levels, repeats),
        run: RunInfo {
            id: 1,
            started_at: UnixMillis(0),
            weighin_version: "0.1.0".to_owned(),
            host: HostFacts::default(),
            scale: 1.0,
        },
        plan: Plan { seed: 1, blocks },
        targets: targets
            .iter()
            .map(|&target| TargetFacts {
                target: target.to_owned(),
                server: ServerFacts::default(),
            })
            .collect(),
        trials,
    }
}

fn study(targets: &[&str], levels: &[u32], repeats: u32) -> Study {
    let oltp = Oltp {
        table_size: 1000,
        distribution: KeyDistribution::Uniform,
        ..Oltp::preset(OltpMix::ReadWrite)
    };
    let target = |name: &&str| Target {
        name: (*name).to_owned(),
        system: System::MariaDb,
        place: Place::Sandbox(SandboxSpec::default()),
        price: None,
        labels: Default::default(),
    };
    Study {
        name: "known".to_owned(),
        question: None,
        repeats,
        seed: 1,
        confidence: 0.95,
        margin: 0.03,
        sample_every: Study::SAMPLE_EVERY,
        targets: targets.iter().map(target).collect(),
        aa_control: None,
        tests: vec![Test::new(
            TEST,
            Task::Load(Load::new(
                Workload::Oltp(oltp),
                levels.iter().map(|&clients| Level::clients(clients)).collect(),
                WARMUP,
                MEASURE,
            )),
        )],
        source: String::new(),
    }
}

pub fn key(target: &str, clients: u32, repeat: u32) -> TrialKey {
    TrialKey {
        target: target.to_owned(),
        test: TEST.to_owned(),
        level: Level::clients(clients),
        repeat,
    }
}

fn record(key: TrialKey, position: u32, throughput: f64) -> TrialRecord {
    let load = load(key.level.clients, throughput);
    let reading = |at_seconds, counts: &RequestCounts| CounterReading {
        at_seconds,
        counters: counts
            .expected()
            .into_iter()
            .map(|(name, n)| (name.to_owned(), n as i64))
            .collect(),
    };
    let sampling = Sampling {
        samples: Vec::new(),
        before: Some(reading(-0.1, &requests(0))),
        after: Some(reading(12.1, &load.requests)),
        account: HostAccount::default(),
        volume: Vec::new(),
    };
    TrialRecord {
        key,
        position,
        seed: 1,
        started_at: UnixMillis(0),
        finished_at: UnixMillis(12_200),
        end: TrialEnd::Completed(Box::new(Outcome::of_load(load))),
        sampling,
        cross_check: None,
        search: None,
    }
}

fn load(clients: u32, throughput: f64) -> LoadResult {
    let transactions = (throughput * MEASURE.as_secs_f64()).round() as u64;
    let latencies = so_many(&latencies(f64::from(clients) / throughput), transactions);
    let totals = |elapsed, transactions| PhaseTotals {
        elapsed,
        transactions,
        queries: 20 * transactions,
        errors: 0,
        moved: Moved::default(),
    };
    LoadResult {
        clients,
        connect_time: Duration::from_millis(1),
        ledger: Ledger { scheduled: transactions, ok: transactions, ..Ledger::default() },
        warmup: totals(WARMUP, 0),
        measure: totals(MEASURE, transactions),
        drain: totals(Duration::from_millis(1), 0),
        latencies,
        intervals: Vec::new(),
        errors: Vec::new(),
        by_statement: Vec::new(),
        requests: requests(transactions),
        client: ClientCost {
            workers: 1,
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
    }
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

/// Adds a price a month to a target.
pub fn price(dataset: &mut Dataset, target: &str, monthly: f64) {
    let target = dataset.study.targets.iter_mut().find(|t| t.name == target);
    let price = Price::monthly(monthly, "EUR");
    target.expect("a target of the study").price = Some(price);
}

/// The record of a trial, to be spoilt.
pub fn trial<'a>(
    dataset: &'a mut Dataset,
    target: &str,
    clients: u32,
    repeat: u32,
) -> &'a mut TrialRecord {
    let key = key(target, clients, repeat);
    dataset.trials.iter_mut().find(|trial| trial.key == key).expect("a trial of the plan")
}

/// What the engine saw in a trial that completed.
pub fn load_of(record: &mut TrialRecord) -> &mut LoadResult {
    record.load_mut().expect("the trial completed")
}

pub fn fail(record: &mut TrialRecord) {
    let failure = Failure::new(FailureKind::ServerLost, "the server went away", "");
    record.end = TrialEnd::Failed(failure);
}

/// Log-normal noise around 1, with its own seeded stream.
pub struct Noise(Xoshiro256PlusPlus);

impl Noise {
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub fn factor(&mut self, sigma: f64) -> f64 {
        let mut uniform = || ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        let radius = (-2.0 * uniform().ln()).sqrt();
        (sigma * radius * (std::f64::consts::TAU * uniform()).cos()).exp()
    }
}

/// The comparison of throughput at a level of a study with two targets.
pub fn comparison<'a>(analysis: &'a Analysis, clients: u32, metric: Metric) -> &'a Comparison {
    analysis.tests[0]
        .comparisons
        .iter()
        .find(|c| c.level.clients == clients && c.metric == metric)
        .expect("both targets have data at this level")
}

pub fn verdicts(analysis: &Analysis, metric: Metric) -> Vec<Verdict> {
    let comparisons = analysis.tests[0].comparisons.iter();
    comparisons.filter(|c| c.metric == metric).map(|c| c.verdict).collect()
}

pub fn tiers(analysis: &Analysis) -> Vec<Vec<String>> {
    let tiers = analysis.tests[0].ranking.tiers.iter();
    tiers.map(|tier| tier.iter().map(|place| place.target.clone()).collect()).collect()
}

/// Findings whose evidence fits.
pub fn found<'a>(analysis: &'a Analysis, fits: impl Fn(&Evidence) -> bool) -> Vec<&'a Finding> {
    analysis.findings.iter().filter(|finding| fits(&finding.evidence)).collect()
}
