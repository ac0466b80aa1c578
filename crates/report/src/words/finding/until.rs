//! Repeats that go on until all is resolved.

use super::{Group, Words};
use crate::numbers::counted;
use crate::words::place::at_levels;
use analyse::{LevelRepeats, RepeatsEnd, RepeatsEnded};
use model::Level;

impl Words for RepeatsEnded {
    const HEADING: &'static str = "Repeats";

    fn say(found: &Group<'_, Self>) -> String {
        let Self { levels, most } = found.first;
        let mut alike: Vec<(u32, RepeatsEnd, Vec<Level>)> = Vec::new();
        for LevelRepeats { level, repeats, ended } in levels {
            match alike.iter_mut().find(|(count, end, _)| (count, end) == (repeats, ended)) {
                Some((.., same)) => same.push(*level),
                None => alike.push((*repeats, *ended, vec![*level])),
            }
        }
        let said = alike.into_iter().map(|(repeats, ended, levels)| {
            let why = match ended {
                RepeatsEnd::Resolved => "everything is resolved".to_owned(),
                RepeatsEnd::NotCompared => {
                    "no two targets have results that could be compared".to_owned()
                }
                RepeatsEnd::CannotBeResolved => {
                    format!("all {most} repeats are unlikely to resolve the rest")
                }
                RepeatsEnd::Most => "the most that the study allows".to_owned(),
                RepeatsEnd::Budget => "further ones do not fit into the budget".to_owned(),
                RepeatsEnd::Open => "more are to come".to_owned(),
            };
            format!("{}{}: {why}", counted(repeats as usize, "repeat"), at_levels(&levels))
        });
        said.collect::<Vec<_>>().join("; ")
    }
}
