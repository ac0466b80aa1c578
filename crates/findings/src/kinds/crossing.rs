//! Where curves cross, and who is ahead in the end.

use model::Level;
use stats::Estimate;
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{figure, interval_with_confidence, times};
use crate::names::target_name;
use crate::place::levels;

/// One target overtakes another: on either side of the crossing the difference is resolved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Crossover {
    /// The target with the higher throughput below the crossing.
    pub below: String,
    /// The target with the higher throughput above it.
    pub above: String,
    /// The last level at which the one is better and the first at which the other is. Between
    /// them neither is resolved.
    pub between: (Level, Level),
    /// The number of clients at which both are equal, if the logarithm of their ratio changes
    /// evenly with that of clients between those two levels; absent for fewer than two repeats.
    pub at: Option<Estimate>,
}

impl FindingKind for Crossover {
    const HEADING: &'static str = "Crossovers";

    fn say(found: &Group<'_, Self>) -> String {
        crossover(found.first)
    }
}

/// `b overtakes a between 16 and 32 clients, by interpolation at 21 (95 % interval 18.5–24.1)`.
pub fn crossover(found: &Crossover) -> String {
    let at = found.at.map_or(String::new(), |at| {
        let interval = at.interval.map(|interval| interval_with_confidence(&interval));
        let interval = interval.map_or(String::new(), |interval| format!(" ({interval})"));
        format!(", by interpolation at {}{interval}", figure(at.point))
    });
    let (low, high) = found.between;
    format!(
        "{} overtakes {} between {} and {high}{at}",
        target_name(&found.above),
        target_name(&found.below),
        low.clients,
    )
}

/// One target is better than another at the highest level that both have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AtHighestLevel {
    pub winner: String,
    pub loser: String,
    pub level: Level,
    /// Throughput, winner ÷ loser.
    pub ratio: Estimate,
}

impl FindingKind for AtHighestLevel {
    const HEADING: &'static str = "At the highest level";

    fn say(found: &Group<'_, Self>) -> String {
        let Self { winner, loser, level, ratio } = found.first;
        format!(
            "at {level}, the highest common level, {} has {}",
            target_name(winner),
            times(ratio, &format!("the throughput of {}", target_name(loser)))
        )
    }
}

/// One target is nowhere behind another, and ahead somewhere.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dominates {
    pub winner: String,
    pub loser: String,
    /// Levels at which it is better, in order.
    pub better: Vec<Level>,
    /// Levels at which both are the same within the margin, in order.
    pub same: Vec<Level>,
}

impl FindingKind for Dominates {
    const HEADING: &'static str = "Never behind";

    fn say(found: &Group<'_, Self>) -> String {
        let Self { winner, loser, better, same } = found.first;
        let (winner, loser) = (target_name(winner), target_name(loser));
        if same.is_empty() {
            format!("{winner} is ahead of {loser} at every level")
        } else {
            format!(
                "{winner} is never behind {loser}: it is ahead at {}, and the same at {}",
                levels(better),
                levels(same)
            )
        }
    }
}
