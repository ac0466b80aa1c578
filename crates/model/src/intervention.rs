//! Interventions: what a test does to a target while a load is measured.

use crate::system::Feature;
use crate::{BackgroundWork, System};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// An act at a given moment of a load. All targets get it at the same time of their trials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intervention {
    /// Unique within its test: the name of its mark.
    pub name: String,
    /// When it begins, from the start of the measured phase; less than its length.
    pub at: Duration,
    pub act: Act,
    /// How long the act may take; until the load has ended where absent.
    pub timeout: Option<Duration>,
}

/// What an intervention does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Has the target do background work of its own, and waits for its end.
    BackgroundWork(BackgroundWork),
    /// Runs the user's SQL on a connection of its own.
    Statement(String),
    /// Runs the user's program, named first, with its arguments, on the host of weighin.
    Command(Vec<String>),
}

impl Act {
    pub const STATEMENT: &'static str = "statement";
    pub const COMMAND: &'static str = "command";

    /// What it is called where the study gives it no name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::BackgroundWork(work) => work.name(),
            Self::Statement(_) => Self::STATEMENT,
            Self::Command(_) => Self::COMMAND,
        }
    }

    /// The acts that suit targets of that kind, by name.
    pub fn suiting(system: System) -> Vec<&'static str> {
        let work = system.facts().background_work.iter().map(|work| work.name());
        let sql = system.has(Feature::Statements).then_some(Self::STATEMENT);
        work.chain(sql).chain([Self::COMMAND]).collect()
    }

    /// Whether targets of that kind can be subjected to it.
    pub fn suits(&self, system: System) -> bool {
        Self::suiting(system).contains(&self.name())
    }
}

/// What came of an act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActResult {
    /// It ran to its end.
    Done,
    /// It failed, was refused, or took longer than it may.
    Failed,
    /// It was still under way when the load ended.
    CutOff,
}
