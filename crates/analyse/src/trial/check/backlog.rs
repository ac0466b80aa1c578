//! Check 4: the dirty-page backlog, work on writes that the server put off.

use super::CheckResult;
use super::counted::{growth, pair};
use findings::DirtyPageBacklog;
use model::{Effect, LoadResult, Sampling, Window, signal};

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
    let counters = Window::for_load(load).counters(sampling)?;
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
