//! Builds datasets with a known truth.

use analyse::{Analysis, Comparison, Evidence, Finding, Metric, Verdict};
use model::{
    Dataset, Failure, FailureKind, Level, LoadResult, Price, TrialEnd, TrialKey, TrialRecord,
};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use test_support::{load, plan, record, study};

pub use test_support::MEASURE;

pub const TEST: &str = "oltp";

/// A dataset with these targets, levels and repeats; trials without fault in which every client
/// is busy all the time.
pub fn dataset(
    targets: &[&str],
    levels: &[u32],
    repeats: u32,
    mut throughput: impl FnMut(&str, u32, u32) -> f64,
) -> Dataset {
    let study = study(targets, levels, repeats);
    let plan = plan(&study, 0);
    test_support::dataset(study, plan, |trial| {
        let TrialKey { target, level, repeat, .. } = &trial.key;
        record(trial, load(level.clients, throughput(target, level.clients, *repeat)))
    })
}

pub fn key(target: &str, clients: u32, repeat: u32) -> TrialKey {
    TrialKey {
        target: target.to_owned(),
        test: TEST.to_owned(),
        level: Level::clients(clients),
        repeat,
    }
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

/// How many requests of that kind a load had.
pub fn count<'a>(load: &'a mut LoadResult, name: &str) -> &'a mut u64 {
    let kind = load.requests.kinds.iter_mut().find(|count| count.kind.name == name);
    &mut kind.expect("a kind of the study").count
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

    /// A whole number below `end`, all equally likely.
    pub fn below(&mut self, end: usize) -> usize {
        (self.0.next_u64() % end as u64) as usize
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
