//! Lets loads that run at once on one machine exchange their processors, so that what disturbs some of these
//! disturbs all loads alike.

use crate::together::Together;
use engine::Clock;
use host::DividedProcessors;
use model::{Failure, Load};
use std::time::Duration;

/// How long a load has a set of processors at a stretch at least. The shorter, the less of a disturbance of one
/// set is left in the ratio of two loads; and long beside what threads need to move and to fill the caches that
/// are not shared, which is some milliseconds.
const SLICE: Duration = Duration::from_millis(100);
/// How many slices a load has at most. More of them would say nothing more, and each is remembered.
const MOST_SLICES: u32 = 20_000;
/// How often it is looked at least whether the loads are over.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Which set each load has at which time, from when the loads begin.
///
/// The measured phase is cut into rounds of equal slices, one for each set: in a round each load has each
/// set once. The second of two rounds is the first in reverse order, with two sets A B B A, which a drift that
/// is linear over the two favours neither of. With which set a pair of rounds begins is drawn, so that noise
/// with a period does not meet the same load each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exchanges {
    /// How many sets there are.
    of: u32,
    warmup: Duration,
    slice: Duration,
    /// How many slices the measured phase has: a multiple of twice the number of sets.
    slices: u32,
    seed: u64,
}

impl Exchanges {
    pub(crate) fn of_load(load: &Load, of: usize, seed: u64) -> Self {
        let of = u32::try_from(of.max(1)).unwrap_or(u32::MAX);
        let pair = u128::from(of) * 2;
        let most = load.duration.as_nanos() / SLICE.as_nanos();
        let pairs = (most.min(MOST_SLICES.into()) / pair).max(1);
        let slices = u32::try_from(pairs * pair).unwrap_or(u32::MAX);
        Self { of, warmup: load.warmup, slice: load.duration / slices, slices, seed }
    }

    /// By how many sets the loads are moved on in a slice, counted from 0.
    fn shift(&self, slice: u32) -> usize {
        let (round, place) = (slice / self.of, slice % self.of);
        let place = if round.is_multiple_of(2) { place } else { self.of - 1 - place };
        let drawn = (engine::mixed(self.seed ^ u64::from(round / 2)) % u64::from(self.of)) as u32;
        (place as usize + drawn as usize) % self.of as usize
    }

    /// The slice that is under way so long after the loads began, the first during their warm-up, and when
    /// it ends; `None` after the last.
    fn at(&self, since: Duration) -> Option<(u32, Duration)> {
        let measured = since.saturating_sub(self.warmup);
        let slice = measured.as_nanos() / self.slice.as_nanos().max(1);
        let slice = u32::try_from(slice).ok().filter(|slice| *slice < self.slices)?;
        Some((slice, self.warmup + self.slice * (slice + 1)))
    }

    /// Exchanges the sets of these loads until they are over. One that cannot be is told to all of them.
    pub(crate) fn make(&self, divided: &mut DividedProcessors, loads: &Together) {
        if let Err(failure) = self.exchange(divided, loads) {
            loads.fail(failure);
        }
    }

    fn exchange(&self, divided: &mut DividedProcessors, loads: &Together) -> Result<(), Failure> {
        divided.exchange(self.shift(0))?;
        while !loads.are_over() {
            let Some(start) = loads.begins_at() else {
                std::thread::sleep(LOOK_EVERY);
                continue;
            };
            let since = Clock.now().since(start);
            let Some((slice, end)) = self.at(since) else { return Ok(()) };
            divided.exchange(self.shift(slice))?;
            let now = Clock.now().since(start);
            // Before the start `since` is zero: looking often finds the moment all the same.
            std::thread::sleep(end.saturating_sub(now).min(LOOK_EVERY));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const S: Duration = Duration::from_secs(1);

    fn cut(seconds: u32, of: u32) -> Exchanges {
        let test = &test_support::varied::study().tests[0];
        let load = test.load().unwrap();
        let load = Load { warmup: S, duration: S * seconds, ..load.clone() };
        Exchanges::of_load(&load, of as usize, 7)
    }

    #[test]
    fn each_load_has_each_set_equally_long() {
        for (seconds, of) in [(1, 2), (3, 2), (60, 2), (7, 3), (1, 6), (5_000, 2)] {
            let cut = cut(seconds, of);
            assert_eq!(cut.slices % (2 * of), 0, "{cut:?}");
            for load in 0..of {
                let set = |slice: u32| (load as usize + cut.shift(slice)) % of as usize;
                for set_of in 0..of as usize {
                    let count = (0..cut.slices).filter(|slice| set(*slice) == set_of).count();
                    assert_eq!(count as u32, cut.slices / of, "{cut:?}");
                }
                // As early as late, by pairs of rounds.
                for pair in (0..cut.slices).step_by(2 * of as usize) {
                    let sets: Vec<usize> = (pair..pair + 2 * of).map(set).collect();
                    assert!(sets.iter().eq(sets.iter().rev()), "{sets:?}");
                }
            }
            let together: BTreeSet<usize> =
                (0..of as usize).map(|load| (load + cut.shift(1)) % of as usize).collect();
            assert_eq!(together.len(), of as usize, "no two have the same");
        }
        let first: BTreeSet<usize> = (0..15).map(|pair| cut(60, 2).shift(pair * 4)).collect();
        assert_eq!(first.len(), 2, "not always the same is first");
    }

    #[test]
    fn slices_follow_the_clock_from_the_end_of_the_warm_up() {
        let cut = cut(3, 2);
        let slice = S * 3 / 28;
        assert_eq!((cut.slices, cut.slice), (28, slice));
        assert_eq!(cut.at(Duration::ZERO), Some((0, S + slice)));
        assert_eq!(cut.at(S + slice), Some((1, S + slice * 2)));
        // Slices that were slept through are left out.
        assert_eq!(cut.at(S + slice * 27), Some((27, S + slice * 28)));
        assert_eq!(cut.at(S * 4), None);
    }
}
