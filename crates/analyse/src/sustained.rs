//! The rate that volumes sustained in every repeat under a bound.

use crate::{Finding, SearchAnalysis, SearchOutcome, Subject, TargetSearch};
use model::{Bound, SearchOver, Storage, Test};
use serde::Serialize;
use stats::Estimate;
use std::time::Duration;

/// A rate that a volume sustains, with its conditions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SustainedRate {
    /// The bound that was met.
    #[serde(flatten)]
    pub bound: Bound,
    /// Reads and writes per second: the lower end of the interval, or the lowest rate that met the
    /// bound in any repeat, whichever is lower.
    pub rate: f64,
    /// The highest rate as measured.
    pub measured: Estimate,
    /// What was read and written.
    pub load: Storage,
    /// Reads and writes that each virtual machine could have in flight.
    pub queue_depth: u32,
    /// How long each step measured, at the least.
    pub step: Duration,
    /// In how many repeats.
    pub repeats: usize,
}

/// One for each target of a test on storage whose searches found both ends in every repeat.
pub(crate) fn findings(repeats: u32, test: &Test, search: Option<&SearchAnalysis>) -> Vec<Finding> {
    let (Some(load), Some(search)) = (test.storage(), search) else {
        return Vec::new();
    };
    if search.over != SearchOver::Rate {
        return Vec::new();
    }
    let queue_depth = test.levels().first().map_or(0, |level| level.clients);
    let of_target = |target: &TargetSearch| {
        let SearchOutcome::Found { load: measured, .. } = target.outcome else { return None };
        let met = target.searches.iter().filter_map(|search| search.answer.met);
        let lowest = met.min_by(f64::total_cmp)?;
        let rate = measured.interval.map_or(lowest, |interval| interval.low.min(lowest));
        // Repeats scatter too much for any rate to be sustained.
        if rate < 1.0 {
            return None;
        }
        let sustained = SustainedRate {
            bound: search.bound,
            rate,
            measured,
            load: load.clone(),
            queue_depth,
            step: test.load()?.duration,
            repeats: target.searches.len(),
        };
        Some(Finding::new(Subject::test(&test.name).on(&target.target), sustained))
    };
    // A study that was stopped before its last repeat does not show yet what every repeat sustains.
    let all = |target: &&TargetSearch| target.searches.len() as u32 == repeats;
    search.targets.iter().filter(all).filter_map(of_target).collect()
}
