//! What a load was to lack, because the hosts that it imitates lack it.

use model::{FleetProcessors, LoadResult};
use std::time::Duration;

/// Share of periods in which virtual machines were throttled above which that shaped the trial.
const THROTTLED: f64 = 0.05;
/// Share of their processors' time above which virtual machines may have waited for these though the
/// kernel held nothing back. Below it one thread can be at its end while another has time left.
const BUSY: f64 = 0.95;
/// Periods for which a thread can be throttled at a stretch: to the end of one, and for what it ran
/// over its share before the kernel saw that.
const PERIODS: u32 = 2;

/// Whether the virtual machines had, or nearly had, used up the processors that they were limited to.
/// Then it is these that the threads that stand for them wait for, and that is what was asked for.
pub(super) fn is_short_of_processors(load: &LoadResult) -> bool {
    let short = |p: FleetProcessors| p.throttling.share() > THROTTLED || p.busy > BUSY;
    processors(load).is_some_and(short)
}

/// How long a thread may have been throttled at a stretch.
pub(super) fn longest_hold(load: &LoadResult) -> Duration {
    let held = processors(load).filter(|processors| processors.throttling.throttled > 0);
    held.map_or(Duration::ZERO, |processors| processors.period * PERIODS)
}

fn processors(load: &LoadResult) -> Option<FleetProcessors> {
    load.fleet.as_ref()?.processors
}
