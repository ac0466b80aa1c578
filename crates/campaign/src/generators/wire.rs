//! What passes between the lead and a generator: a line of JSON each.

use crate::systems::load::PreparedLoad;
use engine::{Account, Ended, Nanos, Part};
use model::Failure;
use serde::{Deserialize, Serialize};

/// What the lead tells a generator. The end of the pipe tells it to end.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order<L = PreparedLoad> {
    /// First: what to do.
    Prepare(Box<Assignment<L>>),
    /// When all generators are ready: when to begin.
    Start(Nanos),
    /// Enough was measured: no operation is to begin any more.
    Enough,
    /// The lead is there. Who has heard this once ends where it does not hear it for 3 s: between a
    /// generator and its lead may be something that goes on when the lead is gone.
    Beat,
}

/// What a generator answers.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    /// All of its clients are logged in.
    Ready,
    /// An interval ended.
    Interval(Box<Ended>),
    /// Last: what it did.
    Done(Box<Account>),
    /// Last: why it could not.
    Failed(Failure),
}

/// A generator's part of a load.
#[derive(Serialize, Deserialize)]
pub(crate) struct Assignment<L> {
    pub(crate) part: Part,
    /// The whole load.
    pub(crate) load: L,
}
