//! Check 4: the dirty-page backlog, work on writes that the server put off.

use super::CheckResult;
use super::window::{Window, growth, pair};
use crate::{FindingKind, Severity};
use model::{Effect, LoadResult, Sampling, signal};
use serde::Serialize;

/// Check 4: writes that the server had put off at both ends of the measured phase.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DirtyPageBacklog {
    /// Bytes of dirty pages at its beginning and its end.
    pub dirty_bytes: (u64, u64),
    /// Bytes of pages that were written meanwhile.
    pub flushed_bytes: u64,
    /// Bytes of redo since the checkpoint at its beginning and its end, where the server
    /// tells.
    pub checkpoint_age: Option<(u64, u64)>,
    /// Bytes of redo that were written meanwhile.
    pub redo_bytes: Option<u64>,
    /// Whether more than a quarter of what the phase changed was left to be written later.
    pub growing: bool,
}

impl FindingKind for DirtyPageBacklog {
    /// The reader is warned of a backlog that grows, although the trial is as good as any.
    fn severity(&self) -> Severity {
        if self.growing { Severity::Warning } else { Severity::Notice }
    }
}

/// Share of what was changed in the measured phase whose writing may be left for later.
const PUT_OFF: f64 = 0.25;
/// Growth of a backlog below which nobody would notice it, in bytes.
const RELEVANT: u64 = 1 << 20;

/// Dirty pages and checkpoint age at both ends of the measured phase of a load that writes.
/// While they grow, part of the work that the load causes is done after it: a
/// longer trial would have shown it. `None` where the server's counters do not tell.
pub(super) fn result(sampling: &Sampling, load: &LoadResult) -> Option<CheckResult> {
    if load.requests.with_effect(Effect::Write) == 0 {
        return None;
    }
    let counters = Window::of(load).counters(sampling)?;
    let dirty_bytes = pair(counters, signal::DIRTY_BYTES)?;
    let flushed_bytes = growth(counters, signal::FLUSHED_BYTES)?;
    let checkpoint_age = pair(counters, signal::CHECKPOINT_AGE);
    let redo_bytes = growth(counters, signal::LOG_WRITTEN);

    let dirty_growth = dirty_bytes.1.saturating_sub(dirty_bytes.0);
    let age_growth = checkpoint_age.map_or(0, |(from, to)| to.saturating_sub(from));
    let growing = put_off(dirty_growth, dirty_growth.saturating_add(flushed_bytes))
        || redo_bytes.is_some_and(|redo| put_off(age_growth, redo));
    let evidence =
        DirtyPageBacklog { dirty_bytes, flushed_bytes, checkpoint_age, redo_bytes, growing };
    Some(CheckResult::valid(evidence))
}

fn put_off(growth: u64, caused: u64) -> bool {
    growth >= RELEVANT && growth as f64 > PUT_OFF * caused as f64
}
