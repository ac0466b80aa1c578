use crate::Nanos;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Length of a tick.
const TICK: Duration = Duration::from_millis(100);
/// Ticks that must be fast together for throughput to count as back.
const LASTING: usize = 10;
/// Share of the throughput before an outage that counts as back.
const BACK: f64 = 0.95;

/// Successes per tenth of a second: fine enough to see when throughput is back after an outage.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Ticks {
    counts: Vec<u32>,
    open: u32,
    /// Where the open tick ends.
    until: Nanos,
}

impl Ticks {
    pub(crate) fn start(at: Nanos) -> Self {
        Self { counts: Vec::new(), open: 0, until: at.plus(TICK) }
    }

    /// Something succeeded. Moments must not run backwards.
    #[inline]
    pub(crate) fn count(&mut self, at: Nanos) {
        while at >= self.until {
            self.counts.push(self.open);
            self.open = 0;
            self.until = self.until.plus(TICK);
        }
        self.open += 1;
    }

    /// Adds the counts of a worker that ran beside this one.
    pub(crate) fn add(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
    }

    /// When throughput was back at 95 % of what it was from `from` to `lost`, for a second at
    /// least and not before `success`; moments count from the start. `None` when there was no
    /// whole second before, or it never was.
    pub(crate) fn recovered(
        &self,
        from: Duration,
        lost: Duration,
        success: Duration,
    ) -> Option<Duration> {
        let index = |at: Duration| (at.as_nanos() / TICK.as_nanos()) as usize;
        let before = self.counts.get(index(from)..index(lost)).filter(|b| b.len() >= LASTING)?;
        let rate = before.iter().map(|&n| f64::from(n)).sum::<f64>() / before.len() as f64;
        let first = index(success);
        let after = self.counts.get(first..)?;
        let back = after.windows(LASTING).position(|window| {
            let sum: f64 = window.iter().map(|&n| f64::from(n)).sum();
            sum / LASTING as f64 >= BACK * rate
        })?;
        Some((TICK * (first + back) as u32).max(success))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(s: f64) -> Duration {
        Duration::from_secs_f64(s)
    }

    /// So many successes per tick.
    fn ticks(counts: &[u32]) -> Ticks {
        let mut ticks = Ticks::start(Nanos(0));
        for (tick, &count) in counts.iter().enumerate() {
            (0..count).for_each(|_| ticks.count(Nanos(tick as u64 * 100_000_000)));
        }
        ticks.count(Nanos(counts.len() as u64 * 100_000_000));
        ticks
    }

    #[test]
    fn throughput_is_back_when_a_whole_second_is_as_fast_as_before() {
        let mut counts = vec![100; 20];
        counts.extend([0; 10]);
        // Warming up again: 10 ticks at a third of the speed, then full speed.
        counts.extend([30; 10]);
        counts.extend([100; 20]);
        let back = ticks(&counts).recovered(seconds(0.0), seconds(2.0), seconds(3.0));
        assert_eq!(back, Some(seconds(4.0)));
    }

    #[test]
    fn without_a_second_before_or_a_fast_one_after_nothing_is_said() {
        let counts = [vec![100; 20], vec![0; 10], vec![50; 30]].concat();
        assert_eq!(ticks(&counts).recovered(seconds(0.0), seconds(2.0), seconds(3.0)), None);
        assert_eq!(ticks(&counts).recovered(seconds(1.5), seconds(2.0), seconds(3.0)), None);
    }
}
