//! Orders to run the user's own commands.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A command of the user.
#[derive(Clone, Debug)]
pub struct CommandOrder {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// What it finds in its environment besides what every program does.
    pub variables: Vec<(&'static str, String)>,
    /// After that time it is ended.
    pub limit: Duration,
}

/// What brings something of the user's up, and takes it down again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InstanceOrder {
    /// Programs with their arguments.
    pub up: Vec<String>,
    pub down: Vec<String>,
    /// What both find in their environment besides what every program does.
    pub variables: Vec<(String, String)>,
    /// Names of variables of this process that they get as well.
    pub environment: Vec<String>,
    /// After that time each of them is ended.
    pub limit: Duration,
    /// What messages call the two of them: the keys that they have in a study.
    pub names: (String, String),
}
