//! Reads that a cache of answers served, and not the data.

use super::CheckResult;
use super::window::growth;
use crate::{FindingKind, Severity};
use model::{Effect, LoadResult, TrialRecord, signal};
use serde::Serialize;

/// The server answered reads from a cache of answers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AnswersCached {
    /// Reads that it answered so, over the whole load.
    pub cached: u64,
    /// Reads of the load.
    pub reads: u64,
}

impl FindingKind for AnswersCached {
    /// A study may be about that cache, so that the trial is as good as any; the reader must know.
    fn severity(&self) -> Severity {
        Severity::Warning
    }
}

/// Share of the reads below which they change no result.
const NOTICE: f64 = 0.01;

pub(super) fn result(record: &TrialRecord, load: &LoadResult) -> Option<CheckResult> {
    let sampling = &record.sampling;
    let counters = (&sampling.before.as_ref()?.counters, &sampling.after.as_ref()?.counters);
    let cached = growth(counters, signal::CACHED_ANSWERS)?;
    let reads = load.requests.with_effect(Effect::Read);
    let share = cached as f64 / reads.max(1) as f64;
    (share > NOTICE).then(|| CheckResult::valid(AnswersCached { cached, reads }))
}
