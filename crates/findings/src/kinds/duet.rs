//! Targets that were loaded at once on one machine.

use crate::Severity;
use crate::kind::{FindingKind, Group};
use crate::numbers::counted;
use serde::Serialize;

/// Each target had a part of the machine's processors.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadedAtOnce {
    /// Processors of each part.
    pub own: usize,
    /// Those of the machine.
    pub of: u32,
    /// The parts, by the numbers of their processors.
    pub parts: Vec<Vec<u32>>,
}

impl FindingKind for LoadedAtOnce {
    const HEADING: &'static str = "Loaded at once";

    fn say(found: &Group<'_, Self>) -> String {
        let Self { own, of, parts } = found.first;
        let list = |part: &Vec<u32>| {
            part.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
        };
        let parts: Vec<String> = parts.iter().map(list).collect();
        format!(
            "all targets were loaded at once on one machine, each with its clients on {} of {of} (in \
             turns on {}). Rates and capacities are those of such a part of the machine, not of the \
             whole, and those of a target whose neighbours are busy. What disturbs the whole machine \
             disturbs all of them at the same moment and cancels in their ratios",
            counted(*own, "processor"),
            parts.join(" / "),
        )
    }
}

/// Check: a trial that was to be loaded at once with others had the machine without them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadedAlone;

impl FindingKind for LoadedAlone {
    const HEADING: &'static str = "Loaded alone";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn say(_: &Group<'_, Self>) -> String {
        "the other targets were not loaded at the same moment: one had failed, or was measured anew. What \
         disturbed the machine then does not cancel in its ratios, and no neighbour slowed it"
            .to_owned()
    }
}
