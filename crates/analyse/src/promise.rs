//! What volumes can promise: the rate that they bore in every repeat under a bound.

use crate::{Evidence, Finding, SearchAnalysis, SearchOutcome, Severity, Subject};
use model::{Bound, SearchOver, Storage, Study, Test, Workload};
use serde::Serialize;
use stats::Estimate;
use std::time::Duration;

/// A rate that may be promised, with its conditions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Promise {
    /// What is kept.
    #[serde(flatten)]
    pub bound: Bound,
    /// Reads and writes per second: the lower end of the interval, or the lowest rate that kept the
    /// bound in any repeat, whichever is lower.
    pub rate: f64,
    /// The highest rate as measured.
    pub measured: Estimate,
    /// What was read and written.
    pub load: Storage,
    /// Reads and writes that each virtual machine could have in flight.
    pub in_flight: u32,
    /// How long each step measured, at the least.
    pub step: Duration,
    /// In how many repeats.
    pub repeats: usize,
}

/// A promise for each target of a test on storage whose searches found both ends in every repeat.
pub(crate) fn findings(
    study: &Study,
    test: &Test,
    search: Option<&SearchAnalysis>,
) -> Vec<Finding> {
    let (Workload::Storage(load), Some(search)) = (&test.workload, search) else {
        return Vec::new();
    };
    if search.over != SearchOver::Rate {
        return Vec::new();
    }
    let in_flight = test.levels.first().map_or(0, |level| level.clients);
    let of_target = |target: &crate::HighestLoad| {
        let SearchOutcome::Found { load: measured, .. } = target.outcome else { return None };
        let kept = target.searches.iter().filter_map(|search| search.answer.kept);
        let lowest = kept.min_by(f64::total_cmp)?;
        let rate = measured.interval.map_or(lowest, |interval| interval.low.min(lowest));
        // Where repeats scatter so much, nothing can be promised.
        if rate < 1.0 {
            return None;
        }
        let promise = Promise {
            bound: search.bound,
            rate,
            measured,
            load: load.clone(),
            in_flight,
            step: test.duration,
            repeats: target.searches.len(),
        };
        let subject = Subject {
            test: Some(test.name.clone()),
            target: Some(target.target.clone()),
            ..Subject::default()
        };
        let evidence = Evidence::Promise(promise);
        Some(Finding { severity: Severity::Notice, subject, evidence })
    };
    // Of a study that was stopped in its first repeat nothing is promised yet.
    let all = |target: &&crate::HighestLoad| target.searches.len() as u32 == study.repeats;
    search.targets.iter().filter(all).filter_map(of_target).collect()
}
