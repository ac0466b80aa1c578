use crate::Nanos;
use crate::turns::{Turn, Turns};
use model::Phase;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// When a load warms up, measures and ends: a pure function of the time since it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// Load before measuring.
    pub warmup: Duration,
    /// What ends the measured phase.
    pub limit: Limit,
    /// Its turns, where it takes turns with the loads of other targets; then it ends with the last of
    /// them.
    #[serde(default)]
    pub turns: Option<Turns>,
}

/// What ends the measured phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Limit {
    /// The window closes on time. What is under way then is drained and not counted in the
    /// window: the rate of a window has no bias from clients that run out of work one by one.
    Window(Duration),
    /// No operation begins after that time, and the phase lasts until the last reply, as
    /// sysbench counts: every operation that the server saw is in the result.
    LastReply {
        /// Nothing begins after this time in the phase; `None` for no limit of time.
        duration: Option<Duration>,
        /// Nothing begins after so many operations of the phase; `None` for no limit.
        events: Option<u64>,
    },
}

impl Schedule {
    /// When measuring begins, for a load that began at `start`.
    pub fn measure_from(&self, start: Nanos) -> Nanos {
        start.plus(self.turns.map_or(self.warmup, |turns| turns.measured(self.warmup).0))
    }

    /// The moment from which no operation begins.
    pub fn last_begin(&self, start: Nanos) -> Nanos {
        if let Some(turns) = self.turns {
            return start.plus(turns.measured(self.warmup).1);
        }
        let duration = match self.limit {
            Limit::Window(duration) => Some(duration),
            Limit::LastReply { duration, .. } => duration,
        };
        duration.map_or(Nanos::NEVER, |duration| self.measure_from(start).plus(duration))
    }

    /// From when and until when operations may begin, at that moment or next after it; `None` where
    /// none may any more.
    pub(crate) fn turn(&self, start: Nanos, at: Nanos) -> Option<(Nanos, Nanos)> {
        match self.turns {
            Some(turns) => {
                let Turn { from, until } = turns.at_or_after(self.warmup, at.since(start))?;
                Some((start.plus(from), start.plus(until)))
            }
            None => Some((start, self.last_begin(start))).filter(|(_, until)| at < *until),
        }
    }

    /// The moment at which a load that began at `start` has run for so long.
    pub(crate) fn after_running(&self, start: Nanos, run: Duration) -> Nanos {
        start.plus(self.turns.map_or(run, |turns| turns.after_running(self.warmup, run)))
    }

    /// How long it says nothing at most because it is not its turn.
    pub fn longest_pause(&self) -> Duration {
        self.turns.map_or(Duration::ZERO, |turns| turns.longest_pause(self.warmup))
    }

    /// The moment at which the measured phase closes whatever is under way.
    pub fn window_end(&self, start: Nanos) -> Nanos {
        match self.limit {
            Limit::Window(_) => self.last_begin(start),
            Limit::LastReply { .. } => Nanos::NEVER,
        }
    }

    /// How many operations may begin in the measured phase.
    pub fn events(&self) -> Option<u64> {
        match self.limit {
            Limit::Window(_) => None,
            Limit::LastReply { events, .. } => events,
        }
    }

    /// The phase that a moment belongs to.
    pub fn phase(&self, start: Nanos, at: Nanos) -> Phase {
        if let Some(turns) = self.turns {
            turns.phase(self.warmup, at.since(start))
        } else if at < self.measure_from(start) {
            Phase::Warmup
        } else if at < self.window_end(start) {
            Phase::Measure
        } else {
            Phase::Drain
        }
    }

    /// The end of the interval that begins at `from`: a second later, or where a phase ends.
    pub fn interval_end(&self, start: Nanos, from: Nanos) -> Nanos {
        let second = from.plus(Duration::from_secs(1));
        let phase = self.phase(start, from);
        if let Some(turns) = self.turns {
            let end = turns.phase_end(self.warmup, from.since(start));
            let end = end.map_or(Nanos::NEVER, |end| start.plus(end));
            return if phase == Phase::Drain { end } else { second.min(end) };
        }
        match phase {
            Phase::Warmup => second.min(self.measure_from(start)),
            Phase::Measure => second.min(self.window_end(start)),
            Phase::Drain => Nanos::NEVER,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Nanos = Nanos(5_000_000_000);

    fn at(seconds: f64) -> Nanos {
        START.plus(Duration::from_secs_f64(seconds))
    }

    #[test]
    fn a_window_has_three_phases() {
        let schedule = Schedule {
            warmup: Duration::from_millis(1_500),
            limit: Limit::Window(Duration::from_secs(2)),
            turns: None,
        };
        assert_eq!(schedule.phase(START, at(1.499)), Phase::Warmup);
        assert_eq!(schedule.phase(START, at(1.5)), Phase::Measure);
        assert_eq!(schedule.phase(START, at(3.499)), Phase::Measure);
        assert_eq!(schedule.phase(START, at(3.5)), Phase::Drain);
        assert_eq!(schedule.last_begin(START), at(3.5));
    }

    #[test]
    fn intervals_are_seconds_that_end_with_their_phase() {
        let schedule = Schedule {
            warmup: Duration::from_millis(1_500),
            limit: Limit::Window(Duration::from_millis(2_250)),
            turns: None,
        };
        let mut edges = vec![START];
        while *edges.last().unwrap() < at(3.75) {
            edges.push(schedule.interval_end(START, *edges.last().unwrap()));
        }
        assert_eq!(edges, [0.0, 1.0, 1.5, 2.5, 3.5, 3.75].map(at));
        assert_eq!(schedule.interval_end(START, at(3.75)), Nanos::NEVER);
    }

    #[test]
    fn until_the_last_reply_there_is_no_drain() {
        let limit = Limit::LastReply { duration: Some(Duration::from_secs(1)), events: Some(9) };
        let schedule = Schedule { warmup: Duration::ZERO, limit, turns: None };
        assert_eq!(schedule.phase(START, at(100.0)), Phase::Measure);
        assert_eq!(schedule.last_begin(START), at(1.0));
        assert_eq!(schedule.events(), Some(9));
    }
}
