//! A cache that cannot hold its data.

use super::CheckResult;
use super::window::growth;
use crate::{FindingKind, Severity};
use model::{Dataset, Effect, LoadResult, TrialRecord, signal};
use serde::Serialize;

/// Keys that a server removed to stay below its limit of memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct KeysEvicted {
    /// How many, over the whole load.
    pub evicted: u64,
    /// Keys that were written meanwhile.
    pub written: u64,
    /// Bytes of the values of all keys that the test has, without what the server needs to keep
    /// them.
    pub data_bytes: u64,
    /// The limit, in bytes, where the server tells.
    pub limit_bytes: Option<u64>,
    /// Share of the reads that found their key, 0 to 1; absent where nothing was read.
    pub hit_rate: Option<f64>,
}

impl FindingKind for KeysEvicted {
    /// The reader is warned although the trial is as good as any.
    fn severity(&self) -> Severity {
        Severity::Warning
    }
}

/// Where keys are evicted the dataset is larger than the memory, and reads of what is gone are
/// less work than those of what is there: the ratio of the two must be known. A study
/// may want just that, so the trial is as good as any.
pub(super) fn result(
    dataset: &Dataset,
    record: &TrialRecord,
    load: &LoadResult,
) -> Option<CheckResult> {
    let test = dataset.study.test(&record.key.test)?;
    let workload = test.key_value()?;
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
