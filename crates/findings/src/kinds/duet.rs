//! Targets that were loaded at once on one machine.

use crate::Severity;
use crate::kind::{FindingKind, Group};
use crate::numbers::{counted, percent};
use serde::Serialize;

/// Each target had a part of the machine's processors at a time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadedAtOnce {
    /// Processors of each set.
    pub own: usize,
    /// Those of the machine.
    pub of: u32,
    /// How often a trial exchanged its set for another one at least.
    pub exchanges: u32,
    /// The sets, by the numbers of their processors.
    pub sets: Vec<Vec<u32>>,
}

impl FindingKind for LoadedAtOnce {
    const HEADING: &'static str = "Loaded at once";

    fn say(found: &Group<'_, Self>) -> String {
        let Self { own, of, exchanges, sets } = found.first;
        let list =
            |set: &Vec<u32>| set.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let sets: Vec<String> = sets.iter().map(list).collect();
        format!(
            "all targets were loaded at once on one machine, each with its clients on {} of {of}. In each \
             trial they exchanged these at least {} (the sets are {}). Rates and capacities are those of such a part of the machine, not of the \
             whole, and those of a target whose neighbours are busy. What disturbs the machine or some of \
             its processors disturbs all of them alike and cancels in their ratios",
            counted(*own, "processor"),
            counted(*exchanges as usize, "time"),
            sets.join(" / "),
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

/// Check: a trial had one set of processors longer than the others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProcessorsHeldUnevenly {
    /// By which share of the measured time that misses an equal one.
    pub share: f64,
}

impl FindingKind for ProcessorsHeldUnevenly {
    const HEADING: &'static str = "Processors held unevenly";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn say(found: &Group<'_, Self>) -> String {
        let most = found.most(|one| one.share);
        format!(
            "a target had some processors for a share of the measured time that is {} off an equal one, \
             because weighin came too late to exchange them. What is particular to these processors then does \
             not cancel in its ratios",
            percent(most),
        )
    }
}
