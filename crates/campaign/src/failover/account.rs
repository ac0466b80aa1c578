//! What a probe's writes say of a failover.

use super::probe::{Schedule, Write, WriteEnd};
use std::time::Duration;

/// Share of the rate that must be acknowledged for it to be back.
const BACK: f64 = 0.95;
/// The time over which that share is taken, and within which a write must be acknowledged to count.
const WINDOW: Duration = Duration::from_secs(1);
/// A stop at the end that lasts so long was not over.
const NOT_BACK: Duration = Duration::from_millis(500);

/// A probe that is over, or has got so far.
pub(super) struct Account<'a> {
    schedule: Schedule,
    writes: &'a [Write],
    /// When the primary was taken away, from the origin, as all moments.
    cause: Duration,
    /// Until when the probe wrote.
    end: Duration,
    /// When writes were acknowledged, in order.
    acknowledged: Vec<Duration>,
}

/// The longest time without an acknowledged write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    /// The last acknowledgement before.
    pub(super) from: Duration,
    /// The first one after.
    pub(super) until: Duration,
}

impl Gap {
    pub(super) fn length(self) -> Duration {
        self.until - self.from
    }
}

impl<'a> Account<'a> {
    pub(super) fn new(
        schedule: Schedule,
        writes: &'a [Write],
        cause: Duration,
        end: Duration,
    ) -> Self {
        let mut acknowledged: Vec<Duration> = ok(writes).map(|write| write.ended).collect();
        acknowledged.sort_unstable();
        Self { schedule, writes, cause, end, acknowledged }
    }

    /// Writes that were due.
    pub(super) fn due(&self) -> u64 {
        self.schedule.writes.min(self.schedule.first_from(self.end) - 1)
    }

    pub(super) fn count(&self, end: WriteEnd) -> u64 {
        self.writes.iter().filter(|write| write.end == end).count() as u64
    }

    /// Writes acknowledged before the primary was taken away.
    pub(super) fn before(&self) -> usize {
        self.acknowledged.partition_point(|at| *at < self.cause)
    }

    /// The longest time without an acknowledged write that ended after the primary was taken away;
    /// `None` where it is not over.
    pub(super) fn downtime(&self) -> Option<Gap> {
        let first = self.before().max(1);
        let gaps = self.acknowledged.windows(2).skip(first - 1);
        let longest = gaps
            .map(|pair| Gap { from: pair[0], until: pair[1] })
            .max_by_key(|gap| gap.length())?;
        let last = self.acknowledged.last().copied().unwrap_or_default();
        let silent = self.end.saturating_sub(last);
        (silent < NOT_BACK.max(longest.length())).then_some(longest)
    }

    /// The longest time without an acknowledged write before: what the probe cannot tell from a
    /// downtime.
    pub(super) fn longest_before(&self) -> Option<Duration> {
        self.acknowledged[..self.before()].windows(2).map(|pair| pair[1] - pair[0]).max()
    }

    /// When an error of a write was first seen after the primary was taken away.
    pub(super) fn first_error(&self) -> Option<Duration> {
        let failed = self.writes.iter().filter(|write| write.end != WriteEnd::Acknowledged);
        failed.map(|write| write.ended).filter(|at| *at >= self.cause).min()
    }

    /// The beginning of the first second after a downtime in which 95 % of the writes that were due
    /// were acknowledged, each within a second.
    pub(super) fn back(&self, downtime: Gap) -> Option<Duration> {
        let first = self.schedule.first_from(downtime.until);
        let last = self.due();
        let mut in_time = vec![0_u64; usize::try_from((last + 1).saturating_sub(first)).ok()?];
        for write in ok(self.writes) {
            let prompt = write.ended.saturating_sub(self.schedule.due(write.id)) <= WINDOW;
            let place = write.id.checked_sub(first).and_then(|n| usize::try_from(n).ok());
            if let (true, Some(counted)) = (prompt, place.and_then(|n| in_time.get_mut(n))) {
                *counted = 1;
            }
        }
        // The last writes may still be under way.
        let window = (WINDOW.as_secs_f64() * f64::from(self.schedule.rate)).round().max(1.0);
        let needed = (window * BACK).ceil() as u64;
        let mut windows = in_time.windows(window as usize);
        let place = windows.position(|ids| ids.iter().sum::<u64>() >= needed)?;
        let id = first + place as u64;
        Some(if place == 0 { downtime.until } else { self.schedule.due(id) })
    }

    /// Acknowledged and failed writes per second, and the longest acknowledged write in milliseconds
    /// from when it was due, in steps of that length. Each write is in the step in which it was
    /// acknowledged, or in which it was due if it failed.
    pub(super) fn series(&self, step: Duration) -> Series {
        let steps = (self.end.as_secs_f64() / step.as_secs_f64()).ceil() as usize;
        let place = |at: Duration| (at.as_secs_f64() / step.as_secs_f64()) as usize;
        let per_write = 1.0 / step.as_secs_f64();
        let mut series = Series {
            acknowledged: vec![Some(0.0); steps],
            failed: vec![Some(0.0); steps],
            longest_ms: vec![None; steps],
        };
        let add = |values: &mut Vec<Option<f64>>, at: Duration| {
            if let Some(Some(value)) = values.get_mut(place(at)) {
                *value += per_write;
            }
        };
        let mut answered = vec![false; usize::try_from(self.due()).unwrap_or_default()];
        for write in ok(self.writes) {
            add(&mut series.acknowledged, write.ended);
            let waited = write.ended.saturating_sub(self.schedule.due(write.id));
            if let Some(longest) = series.longest_ms.get_mut(place(write.ended)) {
                let ms = waited.as_secs_f64() * 1e3;
                *longest = Some(longest.map_or(ms, |known: f64| known.max(ms)));
            }
            let number = usize::try_from(write.id - 1).ok();
            if let Some(done) = number.and_then(|number| answered.get_mut(number)) {
                *done = true;
            }
        }
        for (id, _) in (1..).zip(&answered).filter(|(_, done)| !**done) {
            add(&mut series.failed, self.schedule.due(id));
        }
        series
    }
}

/// What happened step by step.
pub(super) struct Series {
    pub(super) acknowledged: Vec<Option<f64>>,
    pub(super) failed: Vec<Option<f64>>,
    pub(super) longest_ms: Vec<Option<f64>>,
}

/// The writes that were acknowledged.
fn ok(writes: &[Write]) -> impl Iterator<Item = &Write> {
    writes.iter().filter(|write| write.end == WriteEnd::Acknowledged)
}

/// What a comparison of the probe's account with what is there has found; ids in ascending order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Compared {
    /// Acknowledged and not there.
    pub(super) lost: Vec<u64>,
    /// Not acknowledged and there.
    pub(super) unacknowledged: Vec<u64>,
}

/// Holds every write against the ids that are there, one by one.
pub(super) fn compare(writes: &[Write], there: &[u64]) -> Compared {
    let mut there = there.to_vec();
    there.sort_unstable();
    let is_there = |id: &u64| there.binary_search(id).is_ok();
    let mut acknowledged: Vec<u64> = ok(writes).map(|write| write.id).collect();
    acknowledged.sort_unstable();
    let known = |id: &u64| acknowledged.binary_search(id).is_ok();
    Compared {
        lost: acknowledged.iter().copied().filter(|id| !is_there(id)).collect(),
        unacknowledged: there.iter().copied().filter(|id| !known(id)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: u32 = 100;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// Writes every 10 ms, each acknowledged after 1 ms, but for those due in the time given.
    fn writes(count: u64, down: std::ops::Range<u64>) -> Vec<Write> {
        let end = |id: u64| match down.contains(&((id - 1) * 10)) {
            true => WriteEnd::Refused,
            false => WriteEnd::Acknowledged,
        };
        let write = |id| {
            let sent = ms((id - 1) * 10);
            Write { id, member: 0, sent, ended: sent + ms(1), end: end(id) }
        };
        (1..=count).map(write).collect()
    }

    fn schedule(writes: u64) -> Schedule {
        Schedule { rate: RATE, writes }
    }

    #[test]
    fn a_downtime_lasts_from_the_last_acknowledgement_to_the_next() {
        let writes = writes(1_000, 3_000..4_250);
        let account = Account::new(schedule(1_000), &writes, ms(2_995), ms(9_999));
        let gap = account.downtime().unwrap();
        assert_eq!(gap, Gap { from: ms(2_991), until: ms(4_251) });
        assert_eq!(account.first_error(), Some(ms(3_001)));
        assert_eq!(account.back(gap), Some(ms(4_251)));
        assert_eq!(account.longest_before(), Some(ms(10)));
        assert_eq!(account.due(), 1_000);
        assert_eq!(account.count(WriteEnd::Refused), 125);
    }

    #[test]
    fn a_pause_before_the_cause_is_no_downtime() {
        let writes = writes(1_000, 500..2_500);
        let account = Account::new(schedule(1_000), &writes, ms(5_000), ms(9_999));
        assert_eq!(account.downtime().unwrap().length(), ms(10));
        assert_eq!(account.longest_before(), Some(ms(2_010)));
        assert_eq!(account.first_error(), None);
    }

    #[test]
    fn a_downtime_that_is_not_over_is_none() {
        let down = writes(1_000, 3_000..10_000);
        assert_eq!(Account::new(schedule(1_000), &down, ms(3_000), ms(9_999)).downtime(), None);
        // One that came back and stopped again.
        let mut again = writes(1_000, 3_000..4_000);
        again.retain(|write| write.sent < ms(5_000));
        assert_eq!(Account::new(schedule(1_000), &again, ms(3_000), ms(9_999)).downtime(), None);
    }

    #[test]
    fn the_rate_is_back_when_a_whole_second_has_it() {
        let mut writes = writes(1_000, 3_000..4_000);
        // Every second write fails for another second and a half.
        for write in writes.iter_mut().filter(|write| write.id % 2 == 0) {
            if (ms(4_000)..ms(5_500)).contains(&write.sent) {
                write.end = WriteEnd::Refused;
            }
        }
        let account = Account::new(schedule(1_000), &writes, ms(3_000), ms(9_999));
        let back = account.back(account.downtime().unwrap()).unwrap();
        // Five of the hundred writes of that second may be missing.
        assert!((ms(5_380)..=ms(5_500)).contains(&back), "{back:?}");
    }

    #[test]
    fn series_have_every_write_once() {
        let writes = writes(1_000, 3_000..4_000);
        let account = Account::new(schedule(1_000), &writes, ms(3_000), ms(10_000));
        let series = account.series(ms(100));
        let sum = |values: &[Option<f64>]| values.iter().flatten().sum::<f64>() / 10.0;
        assert_eq!(sum(&series.acknowledged).round(), 900.0);
        assert_eq!(sum(&series.failed).round(), 100.0);
        assert_eq!(series.acknowledged[35], Some(0.0));
        assert_eq!(series.longest_ms[35], None);
        assert!((series.longest_ms[10].unwrap() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn what_is_lost_and_what_is_there_unasked_is_told_one_by_one() {
        let writes = writes(10, 70..100);
        // 1 to 7 were acknowledged, 8 to 10 were not.
        let compared = compare(&writes, &[9, 1, 2, 4, 6, 7]);
        assert_eq!(compared.lost, [3, 5]);
        assert_eq!(compared.unacknowledged, [9]);
        assert_eq!(compare(&writes, &[1, 2, 3, 4, 5, 6, 7]), Compared::default());
    }
}
