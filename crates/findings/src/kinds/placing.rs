//! Levels that a test placed itself.

use crate::Severity;
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{counted, figure, list};
use crate::place::levels;
use model::Level;

/// Weighin placed the levels of a test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelsPlaced {
    /// The levels of the first pass, ascending.
    pub first: Vec<Level>,
    /// Those that followed from what was measured, in the order in which they were placed.
    pub placed: Vec<PlacedLevel>,
    /// Those that follow, where all that is planned has been measured.
    pub next: Vec<Level>,
    /// Neighbouring levels this far apart, as a ratio, are close enough.
    pub resolution: f64,
    /// The most levels that the study allows.
    pub most: u32,
    pub ended: PlacementEnd,
}

impl FindingKind for LevelsPlaced {
    const HEADING: &'static str = "Levels placed by weighin";

    fn severity(&self) -> Severity {
        Severity::Notice
    }

    fn say(found: &Group<'_, Self>) -> String {
        let Self { first, placed, next, resolution, most, ended } = found.first;
        let mut reasons: Vec<(Option<&PlacedAround>, Vec<Level>)> = Vec::new();
        for level in placed {
            let around = level.around.iter().map(Some);
            let unknown = level.around.is_empty().then_some(None);
            for reason in around.chain(unknown) {
                match reasons.iter_mut().find(|(known, _)| *known == reason) {
                    Some((_, same)) => same.push(level.level),
                    None => reasons.push((reason, vec![level.level])),
                }
            }
        }
        let reasons = reasons.into_iter().map(|(reason, mut all)| {
            all.sort_unstable();
            let why = reason.map_or(String::new(), |reason| format!(" ({})", around(reason)));
            format!("{}{why}", levels(&all))
        });
        let reasons: Vec<String> = reasons.collect();
        let begun = format!("the first pass measured {}", levels(first));
        let then = match placed.len() {
            0 => String::new(),
            count => {
                format!("; weighin then placed {}: {}", counted(count, "level"), reasons.join(", "))
            }
        };
        let end = match ended {
            PlacementEnd::CloseEnough if placed.is_empty() => {
                "no further level is needed".to_owned()
            }
            PlacementEnd::CloseEnough => format!(
                "neighbours there differ by a factor of {} at most, or cannot be told apart",
                figure(*resolution)
            ),
            PlacementEnd::Most => {
                format!("closer ones would exceed the {most} levels that the study allows")
            }
            PlacementEnd::Open if next.is_empty() => "more may follow".to_owned(),
            PlacementEnd::Open => format!("to follow: {}", levels(next)),
        };
        format!("{begun}{then}; {end}")
    }
}

/// A level that was placed, and what it was to show.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlacedLevel {
    pub level: Level,
    /// Empty where what was known then is not known any more.
    pub around: Vec<PlacedAround>,
}

/// What a level was placed to show more closely.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum PlacedAround {
    /// Where the throughput of a target is highest.
    Peak { target: String },
    /// Where its throughput ÷ latency is.
    Knee { target: String },
    /// Where one target overtakes another.
    Crossover { baseline: String, candidate: String },
}

/// Why no further level is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlacementEnd {
    /// The levels around all peaks, knees and crossovers are close enough.
    CloseEnough,
    /// There are as many as the study allows.
    Most,
    /// Further ones follow; the run has not come to them.
    Open,
}

fn around(reason: &PlacedAround) -> String {
    match reason {
        PlacedAround::Peak { target } => format!("peak of {target}"),
        PlacedAround::Knee { target } => format!("throughput knee of {target}"),
        PlacedAround::Crossover { baseline, candidate } => {
            format!("crossover of {}", list(&[baseline, candidate]))
        }
    }
}
