//! A cache that cannot hold its data.

use super::CheckResult;
use super::counted::growth;
use findings::KeysEvicted;
use model::{Effect, LoadResult, Test, TrialRecord, signal};

/// Where keys are evicted the dataset is larger than the memory, and reads of what is gone are
/// less work than those of what is there: the ratio of the two must be known. A study
/// may want just that, so the trial is as good as any.
pub(super) fn result(
    test: Option<&Test>,
    record: &TrialRecord,
    load: &LoadResult,
) -> Option<CheckResult> {
    let workload = test?.key_value()?;
    let sampling = &record.sampling;
    let counters = (&sampling.before.as_ref()?.counters, &sampling.after.as_ref()?.counters);
    let evicted = growth(counters, signal::EVICTED_KEYS).filter(|&keys| keys > 0)?;
    let limit = counters.1.get(signal::MEMORY_LIMIT).and_then(|&bytes| u64::try_from(bytes).ok());
    let counts = &load.requests;
    let read = counts.with_effect(Effect::Read);
    let evictions = KeysEvicted {
        evicted,
        written: counts.with_effect(Effect::Write),
        data_bytes: (f64::from(workload.keys) * workload.value_size.mean()) as u64,
        limit_bytes: limit.filter(|&bytes| bytes > 0),
        hit_rate: (read > 0).then(|| counts.found as f64 / read as f64),
    };
    Some(CheckResult::valid(evictions))
}
