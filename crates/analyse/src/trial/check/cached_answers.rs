//! Reads that a cache of answers served, and not the data.

use super::CheckResult;
use super::counted::growth;
use findings::AnswersCached;
use model::{Effect, LoadResult, TrialRecord, signal};

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
