//! What was added to a run after it had begun.

use crate::Severity;
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{self, counted, percent};
use crate::names::target_name;
use model::text;

/// Repeats were added when results could be seen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RepeatsAdded {
    /// Repeats of every cell after each decision, ascending: the first as the run was begun.
    pub looks: Vec<u32>,
    /// How often a comparison of equal targets finds a difference, as the study has it.
    pub stated_error: f64,
    /// The same where it is looked at after each decision, and further repeats are added until a
    /// difference is found.
    pub error: f64,
}

impl FindingKind for RepeatsAdded {
    const HEADING: &'static str = "Repeats added later";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn say(found: &Group<'_, Self>) -> String {
        let Self { looks, stated_error, error } = found.first;
        let steps: Vec<String> = looks.iter().map(ToString::to_string).collect();
        let (first, further) = steps.split_first().unzip();
        format!(
            "the run was extended after results could be seen, from {} repeats to {}. If further \
             repeats are added until a difference shows, equal targets are called different in up to \
             {} of comparisons instead of {}. A run that plans all {} repeats at the beginning does \
             not have this risk",
            first.map_or("", String::as_str),
            further.unwrap_or_default().join(", then to "),
            percent(*error),
            percent(*stated_error),
            looks.last().copied().unwrap_or(0),
        )
    }
}

/// A fact of the machine that makes the load, or of weighin, that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConditionChange {
    pub what: &'static str,
    pub before: String,
    pub after: String,
}

/// Failed trials were planned anew.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasuredAnew {
    pub trials: usize,
}

impl FindingKind for MeasuredAnew {
    const HEADING: &'static str = "Failed trials measured again";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn say(found: &Group<'_, Self>) -> String {
        let trials = found.first.trials;
        format!(
            "{} failed and {} planned again: no conclusion rests on the failed records, and the \
             new trials did not run next to those that they are compared with",
            counted(trials, "trial"),
            if trials == 1 { "was" } else { "were" },
        )
    }
}

/// Cells were added to blocks that had run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasuredLater {
    /// Those of which all cells were added, in the order of the study.
    pub targets: Vec<String>,
    /// The same of tests.
    pub tests: Vec<String>,
    /// All that were added.
    pub cells: usize,
}

impl FindingKind for MeasuredLater {
    const HEADING: &'static str = "Measured later";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn say(found: &Group<'_, Self>) -> String {
        let MeasuredLater { targets, tests, cells } = found.first;
        let targets = targets.iter().map(|name| format!("the target {}", target_name(name)));
        let tests = tests.iter().map(|name| format!("the test {}", text::line(name)));
        let names: Vec<String> = targets.chain(tests).collect();
        let what = match names.as_slice() {
            [] => counted(*cells, "cell"),
            names => format!("{} ({})", numbers::list(names), counted(*cells, "cell")),
        };
        let were = if *cells == 1 { "was" } else { "were" };
        format!(
            "{what} {were} added to the study later: their trials did not run in one block with the \
             others, so comparisons between the two are not paired, and what changed on the machine \
             in the meantime looks like a difference between them",
        )
    }
}

/// Part of a run was measured under other conditions than its beginning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConditionsChanged {
    pub changes: Vec<ConditionChange>,
}

impl FindingKind for ConditionsChanged {
    const HEADING: &'static str = "Conditions changed";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

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
