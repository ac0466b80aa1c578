//! The agent's clock, as it is read over the channel.

use engine::{Clock, Nanos};
use model::ClockReading;
use std::time::{Duration, Instant};

/// What one round trip says of the agent's clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundTrip {
    pub(super) took: Duration,
    /// The agent's monotonic clock less this machine's, in nanoseconds.
    pub(super) clock_ahead: i128,
    /// The agent's time of day less this machine's, in nanoseconds.
    pub(super) time_ahead: i128,
}

impl RoundTrip {
    pub(super) fn reading(self) -> ClockReading {
        ClockReading {
            ahead_seconds: self.time_ahead as f64 / 1e9,
            uncertainty_seconds: self.took.as_secs_f64() / 2.0,
        }
    }

    /// By how many seconds the agent's monotonic clock has gained on this machine's since.
    pub(super) fn gained_since(self, earlier: Self) -> f64 {
        (self.clock_ahead - earlier.clock_ahead) as f64 / 1e9
    }

    /// A moment of this machine by the agent's clock.
    pub(super) fn there(self, at: Instant) -> Nanos {
        let here = i128::from(Clock.at(at).0);
        Nanos(u64::try_from((here + self.clock_ahead).max(0)).unwrap_or(u64::MAX))
    }
}
