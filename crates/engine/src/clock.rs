use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant, SystemTime};

/// A moment: nanoseconds of the [`Clock`], which all processes of a machine share.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Nanos(pub u64);

impl Nanos {
    /// A moment that never comes.
    pub const NEVER: Self = Self(u64::MAX);

    /// This moment plus a length; [`Self::NEVER`] instead of an overflow.
    pub fn plus(self, length: Duration) -> Self {
        Self(self.0.saturating_add(nanos(length)))
    }

    /// Time since an earlier moment; zero when it is not earlier.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// The same moment counted from `origin`; zero when it is earlier.
    pub(crate) fn from(self, origin: Self) -> Self {
        Self(self.0.saturating_sub(origin.0))
    }
}

fn nanos(length: Duration) -> u64 {
    u64::try_from(length.as_nanos()).unwrap_or(u64::MAX)
}

/// The monotonic clock of this machine: `CLOCK_MONOTONIC` of clock_gettime(2), as [`Instant`] reads
/// it, but with moments that fit in 64 bits and mean the same in every process.
#[derive(Clone, Copy, Debug)]
pub struct Clock;

impl Clock {
    /// The present moment.
    #[inline]
    pub fn now(&self) -> Nanos {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the pointer is to a live timespec that the call fills in. It cannot fail for this
        // clock, which every Linux has.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
        // It counts from when the machine started: 2^64 ns are 584 years.
        Nanos(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
    }

    /// The present moment by the wall clock, since 1970.
    pub(crate) fn wall(&self) -> Duration {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
    }

    /// An [`Instant`] as a moment.
    pub fn at(&self, instant: Instant) -> Nanos {
        let (now_instant, now) = (Instant::now(), self.now());
        match instant.checked_duration_since(now_instant) {
            Some(later) => now.plus(later),
            None => Nanos(now.0.saturating_sub(nanos(now_instant - instant))),
        }
    }

    /// The moment as an [`Instant`].
    pub fn instant(&self, at: Nanos) -> Instant {
        let (instant, now) = (Instant::now(), self.now());
        match at > now {
            true => instant + at.since(now),
            false => instant.checked_sub(now.since(at)).unwrap_or(instant),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_standard_library() {
        let (before, now, after) = (Instant::now(), Clock.now(), Instant::now());
        let length = Duration::from_millis(1_500);
        for (at, shift) in [(now.plus(length), 1), (now, 0), (Nanos(now.0 - 1_500_000_000), -1)] {
            let shifted = |instant: Instant| match shift {
                1 => instant + length,
                0 => instant,
                _ => instant - length,
            };
            // Two readings lie between, which may be apart where this thread was kept waiting.
            let is = Clock.instant(at);
            assert!(is >= shifted(before) - (Instant::now() - before), "too early");
            assert!(is <= shifted(after) + (Instant::now() - before), "too late");
            let apart = Clock.at(is).0.abs_diff(at.0);
            assert!(u128::from(apart) <= (Instant::now() - before).as_nanos(), "{apart} ns apart");
        }
    }
}
