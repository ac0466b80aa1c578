//! Commands of the user for a server that weighin did not start: what stops and starts it, and what undoes
//! the changes of trials there.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What stops and starts a server that the system or the user runs, so that a test can start cold. It
/// runs on the server's machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestartSpec {
    pub way: RestartWay,
    /// How long stopping may take, and how long starting may until the server answers.
    pub time_limit: Duration,
    /// Whether the study says that a unit may be stopped although it is not seen to be the server.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trusted: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RestartWay {
    /// A unit of systemd.
    Unit(String),
    /// Programs with their arguments.
    Commands { stop: Vec<String>, start: Vec<String> },
}

impl RestartWay {
    /// What stops the server: a program with its arguments.
    pub fn stop(&self) -> Vec<String> {
        match self {
            Self::Unit(unit) => systemctl("stop", unit),
            Self::Commands { stop, .. } => stop.clone(),
        }
    }

    /// Likewise, what starts it.
    pub fn start(&self) -> Vec<String> {
        match self {
            Self::Unit(unit) => systemctl("start", unit),
            Self::Commands { start, .. } => start.clone(),
        }
    }
}

/// A command that undoes what trials changed of data that is there already. It runs on the server's machine
/// where weighin reaches that over SSH, and otherwise on the one that weighin runs on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoSpec {
    /// A program with its arguments.
    pub command: Vec<String>,
    /// How long it may take, and after it the server until it answers.
    pub time_limit: Duration,
}

fn systemctl(verb: &str, unit: &str) -> Vec<String> {
    ["systemctl", "--no-ask-password", verb, "--", unit].map(str::to_owned).to_vec()
}
