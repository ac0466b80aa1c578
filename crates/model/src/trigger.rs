use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Background work that a Redis server can be told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BackgroundWork {
    /// A snapshot of all data.
    Bgsave,
    /// A new append-only file that takes the place of the one that has grown.
    Bgrewriteaof,
}

impl BackgroundWork {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Bgsave, Self::Bgrewriteaof];

    /// The name that study files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bgsave => "bgsave",
            Self::Bgrewriteaof => "bgrewriteaof",
        }
    }

    /// The work of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|work| work.name() == name)
    }

    /// The server's command for it.
    pub fn command(self) -> &'static str {
        match self {
            Self::Bgsave => "BGSAVE",
            Self::Bgrewriteaof => "BGREWRITEAOF",
        }
    }
}

/// Work that a test has servers do while it measures them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trigger {
    /// Which.
    pub work: BackgroundWork,
    /// When, from the start of the measured phase; less than its length.
    pub at: Duration,
}

/// What became of a trigger in one trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Triggered {
    /// What the server was told to do.
    pub work: BackgroundWork,
    /// When the command was sent, in seconds from the start of the load.
    pub sent_seconds: f64,
    /// When it was answered or given up, likewise. A server that forks answers after that.
    pub answered_seconds: f64,
    /// What the server said.
    pub answer: TriggerAnswer,
}

/// What a server said when it was told to do background work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TriggerAnswer {
    /// It does it, in its words; it may also have put it off.
    Accepted(String),
    /// It does not, in its words.
    Refused(String),
    /// It said nothing that arrived: the connection was lost or answered too late, and why.
    Lost(String),
}
