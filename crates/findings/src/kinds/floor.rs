//! The noise floor of an A/A comparison.

use stats::Estimate;
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::percent;
use crate::names::target_name;
use crate::names::metric_name;
use crate::place::at_levels;
use model::{Level, Metric};

/// `±4.2 %`, of a floor as a factor.
pub(crate) fn width(factor: f64) -> String {
    format!("±{}", percent(factor - 1.0))
}

/// How far apart a target and its A/A control, which is the same in everything, were measured in a test.
/// What differs by less between other targets may come from whatever told these two apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NoiseFloor {
    /// The target that was measured twice.
    pub target: String,
    pub aa_control: String,
    pub metric: Metric,
    /// A/A control ÷ target at every level at which it has an interval, in order.
    pub ratios: Vec<(Level, Estimate)>,
    /// The end of these intervals that is furthest from 1 on a logarithmic scale, as a factor of
    /// at least 1: 1.05 is 5 %. A difference counts only where its whole interval is beyond.
    pub factor: f64,
}

impl NoiseFloor {
    /// Whether a ratio of two targets is further from 1 than this, with its whole interval.
    pub fn is_cleared_by(&self, ratio: &Estimate) -> bool {
        ratio.interval.is_some_and(|interval| {
            interval.low > self.factor || interval.high < self.factor.recip()
        })
    }
}

impl FindingKind for NoiseFloor {
    const HEADING: &'static str = "Noise floor";

    fn say(found: &Group<'_, Self>) -> String {
        let floor = found.first;
        let levels: Vec<Level> = floor.ratios.iter().map(|(level, _)| *level).collect();
        format!(
            "the noise floor of {} is {}: the largest difference from itself that was measured for {}{}; \
             weighin claims no difference between targets that does not clear this floor",
            metric_name(floor.metric),
            width(floor.factor),
            target_name(&floor.target),
            at_levels(&levels),
        )
    }
}

/// Two targets differ at some levels by less than one of them from itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BelowNoiseFloor {
    pub a: String,
    pub b: String,
    /// These levels, in order; they need not be neighbours.
    pub levels: Vec<Level>,
    pub metric: Metric,
    /// The floor (see [`crate::NoiseFloor::factor`]).
    pub factor: f64,
}

impl FindingKind for BelowNoiseFloor {
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
