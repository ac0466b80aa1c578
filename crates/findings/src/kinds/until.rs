//! Repeats that go on until all is resolved.

use crate::Severity;
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::counted;
use crate::place::at_levels;
use model::Level;

/// How often the levels of a test were measured, and why no more often.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RepeatsEnded {
    /// In order of level.
    pub levels: Vec<LevelRepeats>,
    /// The most that the study allows.
    pub most: u32,
}

impl FindingKind for RepeatsEnded {
    const HEADING: &'static str = "Repeats";

    fn severity(&self) -> Severity {
        Severity::Notice
    }

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

/// How often a level was measured, and why no more often.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LevelRepeats {
    pub level: Level,
    /// Of the target with the most.
    pub repeats: u32,
    pub ended: RepeatsEnd,
}

/// Why a level gets no further repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RepeatsEnd {
    /// All its comparisons are resolved.
    Resolved,
    /// No two targets have a figure there that could be compared.
    NotCompared,
    /// Those that are not would hardly be with all repeats that the study allows.
    CannotBeResolved,
    /// It has all repeats that the study allows.
    Most,
    /// Further ones do not fit into the budget of the study.
    Budget,
    /// It does get further ones; the run has not come to them.
    Open,
}
