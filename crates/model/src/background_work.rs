use serde::{Deserialize, Serialize};

/// Background work that a target can be told to do, in words that hold for every system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BackgroundWork {
    /// Writes all data to a file.
    Snapshot,
    /// Writes the log of changes anew, in place of the one that has grown.
    LogRewrite,
}

impl BackgroundWork {
    pub const ALL: [Self; 2] = [Self::Snapshot, Self::LogRewrite];

    /// The name that study files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Snapshot => "snapshot",
            Self::LogRewrite => "log_rewrite",
        }
    }

    /// The work of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|work| work.name() == name)
    }
}
