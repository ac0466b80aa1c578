//! What is to be said of a study as a whole, and which pairs of its targets are compared.

use findings::{
    ChecksNotMade, ComparedProduct, DatasetAgainstMemory, FewRepeats, Finding, LoadedAtOnce,
    LoadingLeftDebt, PairsLimited, ProductsCompared, Subject, TrialsMissing,
};
use model::{Dataset, Study, Target, TargetFacts, Test};
use std::collections::BTreeSet;

/// Dataset ÷ buffer pool from which on the test clearly reads from disk.
const IO_BOUND_FROM: f64 = 2.0;
/// Dataset ÷ cache from which on part of it may not fit: the cache also holds what the server keeps
/// beside the data and what the run inserts.
pub(crate) const FITS_BELOW: f64 = 0.75;

/// Missing trials, few repeats, and datasets of a size that is neither here nor there.
pub(crate) fn findings(dataset: &Dataset) -> Vec<Finding> {
    let mut findings: Vec<Finding> = missing(dataset).into_iter().collect();
    findings.extend(few_repeats(dataset));
    findings.extend(checks_not_made(dataset));
    findings.extend(pairs_limited(dataset));
    findings.extend(products_compared(dataset));
    findings.extend(loaded_at_once(dataset));
    // In the order of the study, which is not necessarily that of the facts.
    let facts = dataset
        .study
        .targets
        .iter()
        .filter_map(|target| dataset.targets.iter().find(|facts| facts.target == target.name));
    findings.extend(facts.clone().filter_map(dataset_against_memory));
    findings.extend(facts.filter_map(debt_of_loading));
    findings
}

fn missing(dataset: &Dataset) -> Option<Finding> {
    let missing = dataset.missing().count();
    let planned = dataset.plan.trials().count();
    (missing > 0).then(|| Finding::new(Subject::default(), TrialsMissing { missing, planned }))
}

/// Which parts of the machine targets had that were loaded at once.
fn loaded_at_once(dataset: &Dataset) -> Option<Finding> {
    let records = dataset.trials.iter();
    let all: Vec<_> =
        records.filter_map(|r| r.sampling.account.processor_use.apart.as_ref()).collect();
    let sets: BTreeSet<&Vec<u32>> =
        all.iter().flat_map(|own| &own.sets).map(|set| &set.processors).collect();
    let found = LoadedAtOnce {
        own: sets.first()?.len(),
        of: dataset.run.host.cpus,
        exchanges: all.iter().map(|own| own.exchanges).min()?,
        sets: sets.into_iter().cloned().collect(),
    };
    Some(Finding::new(Subject::default(), found))
}

/// By three repeats the scatter of a test is known well enough to find large differences.
const WORTH_HAVING: u32 = 3;

/// A single repeat has no interval and answers nothing.
fn few_repeats(dataset: &Dataset) -> Option<Finding> {
    let repeats = dataset.repeats();
    let few = FewRepeats { repeats, needed: WORTH_HAVING };
    let is_few = repeats < WORTH_HAVING && !dataset.study.tests.is_empty();
    is_few.then(|| Finding::new(Subject::default(), few))
}

/// What weighin checks of its own trials needs more than others print.
fn checks_not_made(dataset: &Dataset) -> Option<Finding> {
    let trials = dataset.trials.iter().filter(|record| record.imported().is_some()).count();
    (trials > 0).then(|| Finding::new(Subject::default(), ChecksNotMade { trials }))
}

/// Pairs that are not compared are not unresolved: the reader has to know that nobody looked.
fn pairs_limited(dataset: &Dataset) -> Option<Finding> {
    let targets = &dataset.study.targets;
    let baseline = targets.first().filter(|_| !has_all_pairs(&dataset.study))?;
    let limited = PairsLimited {
        targets: targets.len(),
        limit: MAX_PAIRED_TARGETS,
        baseline: baseline.name.clone(),
    };
    Some(Finding::new(Subject::default(), limited))
}

/// Servers of different systems have no settings in common: a ratio between them is one of products.
fn products_compared(dataset: &Dataset) -> Option<Finding> {
    let known = dataset.study.targets.iter().filter(|target| target.system.has_server());
    let compared: Vec<(&Target, &TargetFacts)> = known
        .filter_map(|target| {
            Some((target, dataset.targets.iter().find(|facts| facts.target == target.name)?))
        })
        .collect();
    let (first, _) = compared.first()?;
    if compared.iter().all(|(target, _)| target.system == first.system) {
        return None;
    }
    let product = |(target, facts): &(&Target, &TargetFacts)| ComparedProduct {
        target: target.name.clone(),
        product: target.system.product(&facts.server.version),
        durability: target.system.durability(&facts.server.variables),
    };
    let targets = compared.iter().map(product).collect();
    Some(Finding::new(Subject::default(), ProductsCompared { targets }))
}

/// A dataset that neither fits in the buffer pool nor is much larger: how much of it is read from
/// disk depends on chance, and the result holds for no other size.
fn dataset_against_memory(facts: &TargetFacts) -> Option<Finding> {
    let dataset_bytes = facts.server.dataset_bytes?;
    let cache_bytes = facts.server.cache_bytes?;
    let ratio = dataset_bytes as f64 / cache_bytes as f64;
    (FITS_BELOW..IO_BOUND_FROM).contains(&ratio).then(|| {
        Finding::new(
            Subject::target(&facts.target),
            DatasetAgainstMemory { dataset_bytes, cache_bytes },
        )
    })
}

/// What making the data left to the server.
fn debt_of_loading(facts: &TargetFacts) -> Option<Finding> {
    let left = facts.server.loading_debt.as_ref()?;
    let evidence = LoadingLeftDebt {
        seconds: left.waited.as_secs_f64(),
        debts: left.debts.clone(),
        is_level: left.debts.iter().all(|debt| debt.is_level),
    };
    Some(Finding::new(Subject::target(&facts.target), evidence))
}

/// Whether a test has the data of the study's first one, of which alone the size is recorded.
pub(crate) fn has_first_data(study: &Study, test: &Test) -> bool {
    let size = |test: &Test| {
        let data = test.data()?;
        let of_tables = data.oltp().ok().map(|oltp| (oltp.tables, oltp.table_size));
        Some((of_tables, data.key_value().map(|keys| (keys.keys, keys.value_size))))
    };
    study.tests.first().is_some_and(|first| size(first) == size(test))
}

/// The most targets all pairs of which are compared, 1,225. Nobody reads more, their number grows
/// with the square of the targets, and so does what it takes to hold each to all the others.
const MAX_PAIRED_TARGETS: usize = 50;

/// The pairs of targets to compare, the earlier one in the study first: all of them or, beyond
/// [`MAX_PAIRED_TARGETS`], the first target with each of the others.
pub(crate) fn each_pair(study: &Study) -> impl Iterator<Item = (&str, &str)> {
    let targets = &study.targets;
    let baselines = if has_all_pairs(study) { targets.len() } else { 1 };
    targets.iter().take(baselines).enumerate().flat_map(|(i, baseline)| {
        let candidates = targets[i + 1..].iter();
        candidates.map(|candidate| (baseline.name.as_str(), candidate.name.as_str()))
    })
}

/// Whether [`each_pair`] gives all pairs.
fn has_all_pairs(study: &Study) -> bool {
    study.targets.len() <= MAX_PAIRED_TARGETS
}
