//! What was added to a run after it had begun.

use super::{Group, Words};
use crate::numbers::{counted, percent};
use analyse::{ConditionsChanged, MeasuredAnew, RepeatsAdded};
use model::text;

impl Words for RepeatsAdded {
    const HEADING: &'static str = "Repeats added later";

    fn say(found: &Group<'_, Self>) -> String {
        let Self { looks, stated_error, error } = found.first;
        let steps: Vec<String> = looks.iter().map(ToString::to_string).collect();
        let (first, further) = steps.split_first().unzip();
        format!(
            "the run was extended after results could be seen, from {} repeats to {}. If further \
             repeats are added until a difference shows, equal targets are called different in up to \
             {} of comparisons, and not in {}. A run that plans all {} repeats at the beginning does \
             not have this risk",
            first.map_or("", String::as_str),
            further.unwrap_or_default().join(", then to "),
            percent(*error),
            percent(*stated_error),
            looks.last().copied().unwrap_or(0),
        )
    }
}

impl Words for MeasuredAnew {
    const HEADING: &'static str = "Failed trials measured anew";

    fn say(found: &Group<'_, Self>) -> String {
        let trials = found.first.trials;
        format!(
            "{} failed and {} planned anew: nothing rests on the failed records, and the new trials \
             did not run next to those that they are compared with",
            counted(trials, "trial"),
            if trials == 1 { "was" } else { "were" },
        )
    }
}

impl Words for ConditionsChanged {
    const HEADING: &'static str = "Conditions changed";

    fn say(found: &Group<'_, Self>) -> String {
        let changes = found.first.changes.iter().map(|change| {
            let (before, after) = (text::line(&change.before), text::line(&change.after));
            format!("{} was {before} and became {after}", change.what)
        });
        format!(
            "the run was extended under other conditions than it began with: {}. Differences \
             between earlier and later trials may come from that",
            changes.collect::<Vec<_>>().join("; "),
        )
    }
}
