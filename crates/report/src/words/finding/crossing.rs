//! Where curves cross, and who is ahead in the end.

use super::{Group, Words};
use crate::numbers::{figure, interval_with_confidence, times};
use crate::words::labels::target_name;
use crate::words::place::levels;
use analyse::{AtHighestLevel, Crossover, Dominates};

impl Words for Crossover {
    const HEADING: &'static str = "Crossovers";

    fn say(found: &Group<'_, Self>) -> String {
        crossover(found.first)
    }
}

/// `b overtakes a between 16 and 32 clients, by interpolation at 21 (95 % interval 18.5–24.1)`.
pub(crate) fn crossover(found: &Crossover) -> String {
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

impl Words for AtHighestLevel {
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

impl Words for Dominates {
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
