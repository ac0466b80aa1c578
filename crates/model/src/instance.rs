//! Provisioned servers: the commands that bring them up, and what became of each.

use crate::{Price, UnixMillis};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// The user's own commands that bring the server of a target up, and take it down again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstanceSpec {
    /// A program of the machine that weighin runs on, with its arguments. It ends when the server is
    /// there, and may print a JSON object that says where.
    pub up: Vec<String>,
    /// Likewise. It does no harm where nothing is up.
    pub down: Vec<String>,
    pub per: InstancePer,
    /// How long each of the commands may take.
    pub time_limit: Duration,
    /// Names of variables of the environment that the commands get besides what every program gets.
    pub environment: Vec<String>,
}

/// A machine that is provisioned for the study: one that targets are on, or that makes load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostInstance {
    /// What the study calls the machine.
    pub name: String,
    pub spec: InstanceSpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
}

/// How long an instance is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InstancePer {
    /// For all trials of a run.
    #[default]
    Study,
    /// For the trials of one block: each repeat is measured on another one.
    Repeat,
}

impl InstancePer {
    pub const ALL: [Self; 2] = [Self::Study, Self::Repeat];

    /// The name that study files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Study => "study",
            Self::Repeat => "repeat",
        }
    }
}

/// An instance of a target's server that was brought up, or was to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instance {
    /// From 1, in order of time.
    pub number: u32,
    /// Name of the target, or of the machine.
    pub target: String,
    /// The position of the first trial that it was brought up for.
    pub first_position: u32,
    /// When `up` began.
    pub began_at: UnixMillis,
    /// When it was there; absent where it did not come up.
    pub up_at: Option<UnixMillis>,
    /// When `down` had ended well; absent where that was not seen.
    pub down_at: Option<UnixMillis>,
    /// Where its server listens.
    pub endpoint: Option<String>,
    /// What `ssh` reaches its machine by, where that is known.
    pub ssh: Option<String>,
    /// What `up` said of it.
    pub labels: BTreeMap<String, String>,
    /// Why it did not come up, could not be used, or may still be there.
    pub trouble: Option<String>,
}

impl Instance {
    /// For how long it was there to be paid for: from the begin of `up` to the end of `down`, or to
    /// `until` at least where that was not seen.
    pub fn paid_for(&self, until: UnixMillis) -> Duration {
        self.down_at.unwrap_or(until).since(self.began_at)
    }
}
