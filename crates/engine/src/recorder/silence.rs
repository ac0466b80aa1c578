use crate::Nanos;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// However short the wait for the last answers is, a silence that is shorter is not the end of a
/// service.
const SHORTEST: Duration = Duration::from_secs(3);

/// What is known of whether anything was answered up to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Silence {
    /// The last success; the start where there was none.
    success: Nanos,
    /// When the last of the operations began that were never answered.
    began: Nanos,
    /// When they were given up.
    gave_up: Nanos,
}

impl Silence {
    pub(super) fn new(start: Nanos) -> Self {
        Self { success: start, began: Nanos(0), gave_up: Nanos(0) }
    }

    pub(super) fn succeeded(&mut self, at: Nanos) {
        self.success = self.success.max(at);
    }

    /// An operation that began then is given up.
    pub(super) fn gave_up(&mut self, began: Nanos, now: Nanos) {
        self.began = self.began.max(began);
        self.gave_up = self.gave_up.max(now);
    }

    /// Adds what another worker saw that ran beside this one.
    pub(super) fn merge(&mut self, other: Self) {
        self.success = self.success.max(other.success);
        self.began = self.began.max(other.began);
        self.gave_up = self.gave_up.max(other.gave_up);
    }

    /// The same with all moments counted from `start`.
    pub(super) fn counted_from(self, start: Nanos) -> Self {
        Self {
            success: self.success.from(start),
            began: self.began.from(start),
            gave_up: self.gave_up.from(start),
        }
    }

    /// From when on nothing was answered to the end, counted from the start of the load, where as
    /// long as `limit` was waited for it. Where others were answered that began after the last of
    /// those without an answer, the service went on.
    pub(crate) fn lasting(&self, limit: Duration) -> Option<Duration> {
        let lasted = self.gave_up.since(self.success) >= limit.max(SHORTEST);
        (self.gave_up > Nanos(0) && self.success <= self.began && lasted)
            .then(|| self.success.since(Nanos(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(30);

    fn at(seconds: u64) -> Nanos {
        Nanos(seconds * 1_000_000_000)
    }

    fn silence(success: u64, began: u64, gave_up: u64) -> Silence {
        let mut silence = Silence::new(at(0));
        silence.succeeded(at(success));
        if gave_up > 0 {
            silence.gave_up(at(began), at(gave_up));
        }
        silence
    }

    #[test]
    fn nothing_is_silent_where_all_was_answered_or_others_were_later() {
        assert_eq!(silence(8, 0, 0).lasting(LIMIT), None);
        assert_eq!(silence(8, 3, 38).lasting(LIMIT), None, "others were answered");
        assert_eq!(silence(3, 3, 38).lasting(LIMIT), Some(Duration::from_secs(3)));
        assert_eq!(silence(0, 1, 38).lasting(LIMIT), Some(Duration::ZERO), "never an answer");
    }

    #[test]
    fn what_has_only_just_begun_when_it_is_given_up_is_no_silence() {
        assert_eq!(silence(37, 37, 38).lasting(LIMIT), None);
        assert_eq!(silence(37, 37, 38).lasting(Duration::ZERO), None);
    }

    #[test]
    fn a_worker_that_is_answered_speaks_for_all() {
        let mut one = silence(3, 3, 38);
        one.merge(silence(8, 0, 0));
        assert_eq!(one.lasting(LIMIT), None);
        one.merge(silence(8, 9, 38));
        assert_eq!(one.counted_from(at(1)).lasting(Duration::ZERO), Some(Duration::from_secs(7)));
    }
}
