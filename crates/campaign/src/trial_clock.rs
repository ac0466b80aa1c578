//! The times of day at which a trial began and ended, and moments of a load.

use host::Host;
use model::UnixMillis;
use std::time::{Duration, Instant};

/// A clock that is this far off what has passed was set: clocks that are only steered are not.
const JUMP_MS: i64 = 100;

/// Watches the wall clock of a machine against the monotonic one, which nobody sets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrialClock {
    began: UnixMillis,
    at: Instant,
    /// The largest step so far, in milliseconds.
    jump_ms: i64,
}

impl TrialClock {
    pub(crate) fn begin(host: &dyn Host) -> Self {
        Self::begin_at(host.time(), Instant::now())
    }

    fn begin_at(began: UnixMillis, at: Instant) -> Self {
        Self { began, at, jump_ms: 0 }
    }

    pub(crate) fn began(&self) -> UnixMillis {
        self.began
    }

    pub(crate) fn look(&mut self, host: &dyn Host) {
        let before = Instant::now();
        let wall = host.time();
        self.look_at(wall, before, Instant::now());
    }

    /// The wall clock said that between these two moments.
    fn look_at(&mut self, wall: UnixMillis, before: Instant, after: Instant) {
        let expected = |at: Instant| {
            let passed = at.saturating_duration_since(self.at);
            self.began.0.saturating_add(millis(passed))
        };
        let off = |expected: u64| wall.0.cast_signed().saturating_sub(expected.cast_signed());
        let (most, least) = (off(expected(before)), off(expected(after)));
        // Where a look took long it is not known when in it the clock was read.
        let jump = if least > 0 { least } else { most.min(0) };
        if jump.abs() >= JUMP_MS && jump.abs() > self.jump_ms.abs() {
            self.jump_ms = jump;
        }
    }

    /// When the trial is over that began with this, which is never before it began, and by how many
    /// milliseconds the wall clock has jumped meanwhile, if it has.
    pub(crate) fn end(mut self, host: &dyn Host) -> (UnixMillis, Option<i64>) {
        self.look(host);
        let passed = millis(self.at.elapsed());
        (UnixMillis(self.began.0.saturating_add(passed)), self.jump())
    }

    fn jump(&self) -> Option<i64> {
        (self.jump_ms != 0).then_some(self.jump_ms)
    }
}

fn millis(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX)
}

/// Seconds from `origin` to `at`, negative when `at` is earlier.
pub(crate) fn seconds_from(origin: Instant, at: Instant) -> f64 {
    match at.checked_duration_since(origin) {
        Some(later) => later.as_secs_f64(),
        None => -origin.duration_since(at).as_secs_f64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: u64 = 1_795_780_800_000;

    /// What is found where the wall clock reads this, so many milliseconds after the beginning.
    fn jump(looks: &[(u64, u64, u64)]) -> Option<i64> {
        let origin = Instant::now();
        let mut clock = TrialClock::begin_at(UnixMillis(NOON), origin);
        for &(before, wall, after) in looks {
            let at = |ms| origin + Duration::from_millis(ms);
            clock.look_at(UnixMillis(wall), at(before), at(after));
        }
        clock.jump()
    }

    #[test]
    fn a_clock_that_keeps_step_has_not_jumped_however_long_a_look_takes() {
        assert_eq!(jump(&[(5_000, NOON + 5_001, 5_001), (9_000, NOON + 9_000, 9_000)]), None);
        assert_eq!(jump(&[(5_000, NOON + 5_000, 15_000), (5_000, NOON + 15_000, 15_000)]), None);
    }

    #[test]
    fn a_step_is_found_in_either_direction_and_after_it_was_taken_back() {
        assert_eq!(jump(&[(5_000, NOON - 3_595_000, 5_000)]), Some(-3_600_000));
        assert_eq!(jump(&[(5_000, NOON + 65_000, 5_000)]), Some(60_000));
        let back = (9_000, NOON + 9_000, 9_000);
        assert_eq!(jump(&[(5_000, NOON + 65_000, 5_000), back]), Some(60_000));
        assert_eq!(jump(&[(5_000, 0, 5_000)]), Some(-(NOON.cast_signed() + 5_000)));
    }
}
