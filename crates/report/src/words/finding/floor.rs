//! The noise floor of an A/A comparison.

use super::{Group, Words};
use crate::numbers::percent;
use crate::words::labels::target_name;
use crate::words::metric::metric_name;
use crate::words::place::at_levels;
use analyse::{BelowNoiseFloor, NoiseFloor};
use model::Level;

/// `±4.2 %`, of a floor as a factor.
pub(super) fn width(factor: f64) -> String {
    format!("±{}", percent(factor - 1.0))
}

impl Words for NoiseFloor {
    const HEADING: &'static str = "Noise floor";

    fn say(found: &Group<'_, Self>) -> String {
        let floor = found.first;
        let levels: Vec<Level> = floor.ratios.iter().map(|(level, _)| *level).collect();
        format!(
            "the noise floor of {} is {}: {} was measured against itself{}, and no interval of the \
             ratio reaches further from 1; weighin claims no difference between targets that does \
             not clear this floor",
            metric_name(floor.metric),
            width(floor.factor),
            target_name(&floor.target),
            at_levels(&levels),
        )
    }
}

impl Words for BelowNoiseFloor {
    const HEADING: &'static str = "Below the noise floor";

    fn say(found: &Group<'_, Self>) -> String {
        let Self { a, b, levels, metric, factor } = found.first;
        format!(
            "{} and {} cannot be told apart{}: their difference in {} is below the noise floor of {}",
            target_name(a),
            target_name(b),
            at_levels(levels),
            metric_name(*metric),
            width(*factor),
        )
    }
}
