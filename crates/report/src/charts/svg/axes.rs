//! What the axes of a line chart show.

use crate::level_axis::LevelAxis;
use crate::numbers;

/// What the axis below a line chart shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HorizontalAxis {
    /// What the levels count.
    Level(LevelAxis),
    /// Percentiles p of this, at 1 ÷ (1 − p): each step to the right is as many times rarer.
    Percentile(&'static str),
}

impl HorizontalAxis {
    /// The place of a percentile on the axis.
    pub(crate) fn percentile(percent: f64) -> f64 {
        100.0 / (100.0 - percent)
    }

    pub(super) fn name(self) -> String {
        match self {
            Self::Level(axis) => format!("{} (log scale)", axis.name()),
            Self::Percentile(what) => format!("percentile of {what}"),
        }
    }

    /// What follows a place in a sentence: one, and several.
    pub(super) fn units(self) -> (String, String) {
        match self {
            Self::Level(axis) => axis.units(),
            Self::Percentile(_) => Default::default(),
        }
    }

    pub(super) fn mark(self, at: f64) -> String {
        match self {
            Self::Level(_) => numbers::tick(at),
            Self::Percentile(_) => format!("p{}", numbers::tick(100.0 - 100.0 / at)),
        }
    }
}

/// How the axis of the figure runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VerticalAxis {
    /// Linear from zero, for figures whose size matters.
    FromZero,
    /// Logarithmic, for figures that span decades.
    Log,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_marked_as_such() {
        let axis = HorizontalAxis::Percentile("latency");
        let marks =
            [50.0, 95.0, 99.0, 99.9, 99.99].map(|p| axis.mark(HorizontalAxis::percentile(p)));
        assert_eq!(marks, ["p50", "p95", "p99", "p99.9", "p99.99"]);
    }
}
