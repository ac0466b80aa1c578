//! What stops and starts a server that weighin did not start.

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

fn systemctl(verb: &str, unit: &str) -> Vec<String> {
    ["systemctl", "--no-ask-password", verb, "--", unit].map(str::to_owned).to_vec()
}
