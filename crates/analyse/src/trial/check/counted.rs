//! Counters at two moments.

use model::ServerCounters;

/// A counter at two moments; `None` where the server lacks it, or it was reset in between.
pub fn pair((first, last): (&ServerCounters, &ServerCounters), name: &str) -> Option<(u64, u64)> {
    let value = |counters: &ServerCounters| u64::try_from(*counters.get(name)?).ok();
    Some((value(first)?, value(last)?))
}

/// How much a counter grew between two moments.
pub fn growth(counters: (&ServerCounters, &ServerCounters), name: &str) -> Option<u64> {
    let (first, last) = pair(counters, name)?;
    last.checked_sub(first)
}
