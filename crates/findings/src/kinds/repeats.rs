//! Whether repeats are independent of one another.

use crate::Severity;
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{counted, figure, percent};
use stats::Lasting;

/// Repeats that follow one another resemble each other more than chance explains, so that intervals
/// were widened.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RepeatsAlike {
    /// Lag-1 autocorrelation over the cells of the test, from 0 to 0.95.
    pub autocorrelation: f64,
    /// By what factor the interval of a cell with the most repeats is wider for it.
    pub widening: f64,
    /// The most repeats that a cell has.
    pub repeats: usize,
}

impl FindingKind for RepeatsAlike {
    const HEADING: &'static str = "Repeats that resemble each other";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn say(found: &Group<'_, Self>) -> String {
        let Self { autocorrelation, widening, repeats } = found.first;
        format!(
            "repeats that follow one another resemble each other (autocorrelation {}): something \
             changes slowly in the background, such as a neighbour on the machine, or rows of imported \
             results are sorted; this makes intervals of {repeats} repeats {} times as wide; \
             repeats that are further apart in time would give narrower ones",
            figure(*autocorrelation),
            figure(*widening)
        )
    }
}

/// What tells targets apart lasts from block to block, so that verdicts between them were held to more.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatiosLast {
    pub pairs: Vec<LastingPair>,
    /// The most repeats that a cell has.
    pub repeats: usize,
    /// Whether the targets were measured in blocks; imported results may not have been.
    pub in_blocks: bool,
}

/// A pair of targets in whose ratios noise lasts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LastingPair {
    pub a: String,
    pub b: String,
    /// How likely it lasts, from 0 to 1.
    pub likely: f64,
    /// How ratios of one block and the next correlate then.
    pub autocorrelation: f64,
    /// By what factor the interval of a ratio is wider for it.
    pub widening: f64,
}

impl FindingKind for RatiosLast {
    const HEADING: &'static str = "Noise that lasts in one target";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn say(found: &Group<'_, Self>) -> String {
        let Self { pairs, repeats, in_blocks } = found.first;
        let names: Vec<String> = pairs.iter().map(|pair| format!("{} and {}", pair.a, pair.b)).collect();
        let most = |of: fn(&LastingPair) -> f64| figure(pairs.iter().map(of).fold(0.0, f64::max));
        if !in_blocks {
            return format!(
                "the noise of {} persists from repeat to repeat (autocorrelation {}), as on a machine that \
                 drifts: {repeats} consecutive repeats then say little more than a few, and none of it \
                 cancels out, since the targets took no turns; intervals of their ratios are {} times as wide",
                names.join(", "),
                most(|pair| pair.autocorrelation),
                most(|pair| pair.widening),
            );
        }
        format!(
            "the difference between {} persists from block to block (autocorrelation {}), for example because \
             of background work on one of them: {repeats} consecutive blocks then say little more than a few, \
             and intervals of their ratios are {} times as wide; further blocks help most at another hour, \
             as with weighin run --more",
            names.join(", "),
            most(|pair| pair.autocorrelation),
            most(|pair| pair.widening),
        )
    }
}

/// Repeats are too few to tell whether the noise of one target lasts, so that verdicts take them
/// mostly for independent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct IndependenceAssumed {
    /// The most levels that a target has.
    pub levels: usize,
    /// The most repeats that a cell has.
    pub repeats: usize,
}

impl IndependenceAssumed {
    /// In sentences, without the last full stop.
    pub fn sentence(&self) -> String {
        let Self { levels, repeats } = self;
        format!(
            "{} at {} cannot show whether the noise of one target lasts from repeat to repeat, as that of \
             background work would. Verdicts take repeats mostly for independent; where half of that noise or \
             more lasts, they call equal targets different several times as often as they should. With as \
             many levels, {} repeats can show it",
            counted(*repeats, "repeat"),
            counted(*levels, "level"),
            Lasting::repeats_that_show(*levels),
        )
    }
}

impl FindingKind for IndependenceAssumed {
    const HEADING: &'static str = "Independent repeats";

    fn say(found: &Group<'_, Self>) -> String {
        found.first.sentence()
    }
}

/// Blocks as a whole differ: figures of one hour are not those of another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BlocksInCommon {
    /// At least this share of the variance of a figure is common to all targets of a block.
    pub share: f64,
    /// The standard deviation of what is, 0.02 being 2 %.
    pub deviation: f64,
    /// The most repeats that a cell has.
    pub repeats: usize,
}

impl FindingKind for BlocksInCommon {
    const HEADING: &'static str = "Blocks that differ as a whole";

    fn say(found: &Group<'_, Self>) -> String {
        let Self { deviation, .. } = found.first;
        format!(
            "all targets went through something together that moved their figures by {} from block to \
             block (one standard deviation): comparisons within blocks are free of it, while single figures \
             hold for these hours and no longer; at other times they may lie outside their intervals",
            percent(*deviation)
        )
    }
}
