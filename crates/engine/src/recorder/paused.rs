use std::time::Duration;

/// The time for which clients pause, summed over all of them: the integral of how many do.
///
/// Of the open interval it is the sum of the moments at which pauses ended less that of those at which they
/// began, and the length of the interval for each that goes on: an addition for each moment.
#[derive(Debug, Default)]
pub(super) struct Paused {
    /// Clients that pause now.
    clients: u64,
    /// Of the open interval, in nanoseconds since its beginning.
    open: i128,
    /// Of the intervals of the measured phase before it, in nanoseconds.
    measured: u128,
}

impl Paused {
    /// A client begins to pause, so long after the beginning of the open interval.
    pub(super) fn begin(&mut self, at: Duration) {
        self.clients += 1;
        self.open -= at.as_nanos().cast_signed();
    }

    /// A pause ends.
    pub(super) fn end(&mut self, at: Duration) {
        self.clients = self.clients.saturating_sub(1);
        self.open += at.as_nanos().cast_signed();
    }

    /// The open interval has ended after that time.
    pub(super) fn close(&mut self, length: Duration, counts: bool) {
        let going_on = u128::from(self.clients) * length.as_nanos();
        let sum = std::mem::take(&mut self.open) + going_on.cast_signed();
        if counts {
            self.measured += sum.max(0).cast_unsigned();
        }
    }

    /// Of the measured phase.
    pub(super) fn measured(&self) -> Duration {
        Duration::from_nanos(u64::try_from(self.measured).unwrap_or(u64::MAX))
    }
}
