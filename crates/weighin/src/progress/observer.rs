//! What observes a run, and what it is told.

use super::left::TimeLeft;
use crate::metrics::Verdict;
use crate::view::Sentence;
use analyse::{Severity, Validity};
use campaign::{Event, OnSample};
use model::{Block, Plan, UnitName};
use std::collections::BTreeMap;
use std::time::Instant;

/// Observes a run: lines of a log, a view, figures for programs that collect them.
pub(crate) trait Observer {
    /// Takes news of the run, which `standing` takes into account already. No load waits for it.
    fn note(&mut self, news: &News<'_>, standing: &Standing);

    /// What is shown every sample; `None` where samples are of no use here.
    fn on_sample(&self) -> Option<OnSample> {
        None
    }
}

/// What observers are told.
pub(crate) enum News<'a> {
    /// What a campaign does.
    Event(&'a Event<'a>),
    /// Blocks were planned after what was measured before.
    Planned { blocks: &'a [Block], before: &'a Plan },
    /// The user has the run pause since then, or go on.
    Paused(Option<Instant>),
    /// What may be said of the trials so far.
    Judged(&'a Judgement),
}

/// What may be said of the trials so far.
pub(crate) struct Judgement {
    /// Whether trials count, by their position in the plan; of those that completed.
    pub(crate) validities: BTreeMap<u32, Validity>,
    /// The same of all that are over.
    pub(crate) verdicts: BTreeMap<u32, Verdict>,
    pub(crate) sentences: Vec<Sentence>,
    /// Of all findings.
    pub(crate) severities: Vec<Severity>,
}

/// How far a run is.
pub(crate) struct Standing {
    /// What the throughput of its tests counts: they run on the same targets, so that they are of
    /// one kind.
    pub(crate) counted: UnitName,
    /// What its targets are filled with, in the plural.
    pub(crate) made: &'static str,
    pub(crate) total: usize,
    pub(crate) done: usize,
    pub(crate) left: TimeLeft,
    /// Whether loads take turns, and of how many those of this round do.
    pub(crate) in_turns: Option<u32>,
    /// Whether those that run at once share this machine.
    pub(crate) in_duet: bool,
}
