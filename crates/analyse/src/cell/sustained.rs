//! The rate that volumes sustained in every repeat under a bound.

use crate::{SearchAnalysis, TargetSearch};
use findings::{Finding, SearchOutcome, Subject, SustainedRate};
use model::{SearchOver, Test};

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
