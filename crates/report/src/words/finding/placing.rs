//! Levels that a test placed itself.

use super::{Group, Words};
use crate::numbers::{counted, figure, list};
use crate::words::place::levels;
use analyse::{LevelsPlaced, PlacedAround, PlacementEnd};
use model::Level;

impl Words for LevelsPlaced {
    const HEADING: &'static str = "Levels placed by weighin";

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

fn around(reason: &PlacedAround) -> String {
    match reason {
        PlacedAround::Peak { target } => format!("peak of {target}"),
        PlacedAround::Knee { target } => format!("throughput knee of {target}"),
        PlacedAround::Crossover { baseline, candidate } => {
            format!("crossover of {}", list(&[baseline, candidate]))
        }
    }
}
