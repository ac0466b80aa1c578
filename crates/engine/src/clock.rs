use std::time::{Duration, Instant, SystemTime};

/// A moment: nanoseconds since the origin of a [`Clock`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub u64);

impl Nanos {
    /// A moment that never comes.
    pub const NEVER: Self = Self(u64::MAX);

    /// This moment plus a length; [`Self::NEVER`] instead of an overflow.
    pub fn plus(self, length: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(length.as_nanos()).unwrap_or(u64::MAX)))
    }

    /// Time since an earlier moment; zero when it is not earlier.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

/// A monotonic clock whose moments fit in 64 bits and can be shared between threads.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: Instant,
}

impl Clock {
    /// A clock that starts now.
    pub fn start() -> Self {
        Self { origin: Instant::now() }
    }

    /// The present moment.
    #[inline]
    pub fn now(&self) -> Nanos {
        // 2^64 ns are 584 years.
        Nanos(self.origin.elapsed().as_nanos() as u64)
    }

    /// The present moment by the wall clock, since 1970.
    pub(crate) fn wall(&self) -> Duration {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
    }

    /// The moment as an [`Instant`].
    pub fn instant(&self, at: Nanos) -> Instant {
        self.origin + Duration::from_nanos(at.0)
    }
}
