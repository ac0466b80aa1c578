//! What is to be said of a study as a whole.

use crate::settings;
use crate::{Evidence, Finding, Severity, Subject};
use model::{Dataset, TargetFacts};
use stats::repeats_needed;

/// Dataset ÷ buffer pool from which on the test clearly reads from disk (method R37).
const IO_BOUND_FROM: f64 = 2.0;

/// Missing trials, few repeats, and datasets of a size that is neither here nor there.
pub(crate) fn findings(dataset: &Dataset) -> Vec<Finding> {
    let mut findings: Vec<Finding> = missing(dataset).into_iter().collect();
    findings.extend(few_repeats(dataset));
    findings.extend(checks_not_made(dataset));
    // In the order of the study, which is not necessarily that of the facts.
    let facts = dataset
        .study
        .targets
        .iter()
        .filter_map(|target| dataset.targets.iter().find(|facts| facts.target == target.name));
    findings.extend(facts.filter_map(dataset_against_memory));
    findings
}

fn missing(dataset: &Dataset) -> Option<Finding> {
    let missing = dataset.missing().count();
    let planned = dataset.plan.trials().count();
    (missing > 0).then(|| Finding {
        severity: Severity::Warning,
        subject: Subject::default(),
        evidence: Evidence::TrialsMissing { missing, planned },
    })
}

/// A single repeat has no interval and answers nothing; with more, intervals rest on the
/// assumption that repeats scatter log-normally.
fn few_repeats(dataset: &Dataset) -> Option<Finding> {
    let repeats = dataset.study.repeats;
    if dataset.study.tests.is_empty() {
        return None;
    }
    let needed = repeats_needed(dataset.study.confidence)?;
    (repeats < needed).then(|| Finding {
        severity: if repeats < 2 { Severity::Severe } else { Severity::Notice },
        subject: Subject::default(),
        evidence: Evidence::FewRepeats { repeats, needed },
    })
}

/// What weighin checks of its own trials needs more than others print.
fn checks_not_made(dataset: &Dataset) -> Option<Finding> {
    let trials = dataset.trials.iter().filter(|record| record.reported().is_some()).count();
    (trials > 0).then(|| Finding {
        severity: Severity::Notice,
        subject: Subject::default(),
        evidence: Evidence::ChecksNotMade { trials },
    })
}

/// A dataset that neither fits in the buffer pool nor is much larger: how much of it is read from
/// disk depends on chance, and the result holds for no other size.
fn dataset_against_memory(facts: &TargetFacts) -> Option<Finding> {
    let dataset_bytes = facts.server.dataset_bytes?;
    let buffer_pool_bytes = settings::buffer_pool_bytes(&facts.server)?;
    let ratio = dataset_bytes as f64 / buffer_pool_bytes as f64;
    (settings::FITS_BELOW..IO_BOUND_FROM).contains(&ratio).then(|| Finding {
        severity: Severity::Notice,
        subject: Subject { target: Some(facts.target.clone()), ..Subject::default() },
        evidence: Evidence::DatasetAgainstMemory { dataset_bytes, buffer_pool_bytes },
    })
}
