//! The noise floor of an A/A comparison, in words.

use super::labels::target_name;
use super::metric::metric_name;
use super::place::at_levels;
use crate::numbers::percent;
use analyse::{Metric, NoiseFloor};
use model::Level;

/// `±4.2 %`, of a floor as a factor.
pub(super) fn width(factor: f64) -> String {
    format!("±{}", percent(factor - 1.0))
}

/// What measuring a target twice showed.
pub(super) fn floor(floor: &NoiseFloor) -> String {
    let levels: Vec<Level> = floor.ratios.iter().map(|(level, _)| *level).collect();
    format!(
        "the noise floor of {} is {}: {} was measured against itself{}, and no interval of the \
         ratio reaches further from 1; a difference between targets that does not clear it is not \
         claimed",
        metric_name(floor.metric),
        width(floor.factor),
        target_name(&floor.target),
        at_levels(&levels),
    )
}

/// That two targets differ by less than one does from itself.
pub(super) fn below(a: &str, b: &str, levels: &[Level], metric: Metric, factor: f64) -> String {
    format!(
        "{} and {} cannot be told apart{}: their difference in {} is below the noise floor of {}",
        target_name(a),
        target_name(b),
        at_levels(levels),
        metric_name(metric),
        width(factor),
    )
}

/// How the floor is found, for the methods.
pub(super) fn method() -> String {
    "The first target was run a second time in every block, as a twin that is the same in \
     everything and no candidate. Their ratio should be 1; the end of its intervals over all \
     levels that is furthest from 1 is the noise floor of the test. A difference between targets \
     is claimed only where its whole interval lies beyond the floor. Tests that search for the \
     highest load have none."
        .to_owned()
}
