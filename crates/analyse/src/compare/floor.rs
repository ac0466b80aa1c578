//! The noise floor of an A/A comparison: how far apart one target and its own A/A control were measured.

use crate::cell::{CellData, Cells};
use crate::compare::family::PairwiseComparison;
use crate::{Basis, Metric};
use findings::{Finding, NoiseFloor, Verdict};
use model::{Level, Study, Test};
use stats::Estimate;

/// The floors of a test, one for each figure that targets are compared by; none where no target
/// was run twice, or no level has an interval.
pub(crate) fn floors(
    study: &Study,
    test: &Test,
    basis: Option<Basis>,
    (cells, again): (&Cells, &[CellData]),
) -> Vec<NoiseFloor> {
    let Some((target, aa_control)) = study.targets.first().zip(study.aa_control.as_ref()) else {
        return Vec::new();
    };
    let floor = |metric| {
        let at = |&level: &Level| {
            let other = again.iter().find(|cell| cell.level == level)?.series(metric);
            let own = cells.at(&target.name, level)?.series(metric);
            let ratio = other.ratio_to(own, study.confidence)?;
            let interval = ratio.interval?;
            Some(((level, ratio), interval.high.max(interval.low.recip())))
        };
        let (ratios, ends): (Vec<(Level, Estimate)>, Vec<f64>) =
            test.levels().iter().filter_map(at).unzip();
        let factor = ends.into_iter().reduce(f64::max)?.max(1.0);
        let (target, aa_control) = (target.name.clone(), aa_control.name.clone());
        Some(NoiseFloor { target, aa_control, metric, ratios, factor })
    };
    basis.into_iter().flat_map(Basis::compared).filter_map(floor).collect()
}

/// The floor for a figure.
pub(crate) fn of_metric(floors: &[NoiseFloor], metric: Metric) -> Option<&NoiseFloor> {
    floors.iter().find(|floor| floor.metric == metric)
}

/// Whether a difference of two targets is no larger than what tells equal ones apart.
pub(crate) fn hides(floors: &[NoiseFloor], metric: Metric, ratio: &Estimate) -> bool {
    of_metric(floors, metric).is_some_and(|floor| !floor.is_cleared_by(ratio))
}

/// Takes back differences that do not clear the floor; those of two runs the floors of both.
pub(crate) fn withdraw_differences<C: PairwiseComparison>(floors: &[NoiseFloor], all: &mut [C]) {
    for found in all.iter_mut().map(C::judgement) {
        let differs = matches!(found.verdict, Verdict::CandidateBetter | Verdict::BaselineBetter);
        if differs && hides(floors, found.metric, found.shown) {
            *found.verdict = Verdict::Unresolved;
            found.strength.below_noise_floor = true;
        }
    }
}

/// By metric the higher of the floors of two runs.
pub(crate) fn highest(mut old: Vec<NoiseFloor>, new: Vec<NoiseFloor>) -> Vec<NoiseFloor> {
    for floor in new {
        match old.iter_mut().find(|other| other.metric == floor.metric) {
            Some(other) if other.factor >= floor.factor => {}
            Some(other) => *other = floor,
            None => old.push(floor),
        }
    }
    old
}

/// One for each floor.
pub(crate) fn findings(floors: &[NoiseFloor], cells: &[CellData]) -> Vec<Finding> {
    let subject = || cells.first().map(CellData::of_test).unwrap_or_default();
    let finding = |floor: &NoiseFloor| Finding::new(subject(), floor.clone());
    floors.iter().map(finding).collect()
}
