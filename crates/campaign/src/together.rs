//! Lets the loads of trials that run side by side begin at one moment.

use engine::{Clock, Nanos, Stop, Turns};
use host::ProcessorSet;
use model::{Failure, Load, Slices, UnixMillis};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// From when all are ready until all begin: time for the news to reach every thread of this machine.
const START_NOTICE: Duration = Duration::from_millis(250);
/// So many round trips more for machines elsewhere: half of one is the way there at best, and a link that
/// lost a packet takes another round trip or two.
const ROUND_TRIPS: u32 = 3;
/// How often one that waits looks whether it is to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// From when all are ready until all begin, where the farthest machine is that far away.
pub(crate) fn start_notice(round_trip: Duration) -> Duration {
    START_NOTICE + round_trip * ROUND_TRIPS
}

/// How far a trial is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Its target is being brought to the state that it starts from.
    Preparing,
    /// Its target is in that state.
    Standing,
    /// Whatever makes its load has logged in and waits.
    Ready,
    /// Its load has begun with the others.
    Begun,
    /// It is over, or failed before it could begin: nobody waits for it.
    Gone,
}

/// Trials that begin their loads together.
#[derive(Debug)]
pub(crate) struct Together {
    stages: Mutex<(Vec<Stage>, Option<Start>)>,
    changed: Condvar,
    /// The longest notice that any of them needs, in nanoseconds.
    notice: AtomicU64,
    /// Why none of them is what it should be.
    failure: Mutex<Option<Failure>>,
}

/// The moment at which all of them begin.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    at: Nanos,
    /// The same by the time of day.
    pub(crate) date: UnixMillis,
    /// The places of those that begin then.
    pub(crate) of: Vec<usize>,
}

impl Together {
    /// For so many trials.
    pub(crate) fn new(trials: usize) -> Arc<Self> {
        let stages = Mutex::new((vec![Stage::Preparing; trials], None));
        let (notice, failure) = (AtomicU64::new(0), Mutex::new(None));
        Arc::new(Self { stages, changed: Condvar::new(), notice, failure })
    }

    /// When they began, once they have.
    pub(crate) fn start(&self) -> Option<Start> {
        self.lock().1.clone()
    }

    /// The moment at which they begin, once it is known.
    pub(crate) fn begins_at(&self) -> Option<Nanos> {
        self.lock().1.as_ref().map(|start| start.at)
    }

    /// Whether all are over.
    pub(crate) fn are_over(&self) -> bool {
        self.lock().0.iter().all(|stage| *stage == Stage::Gone)
    }

    /// What was to be done for all of them did not work.
    pub(crate) fn fail(&self, failure: Failure) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
    }

    fn lock(&self) -> MutexGuard<'_, (Vec<Stage>, Option<Start>)> {
        self.stages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of one trial among them.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    together: Arc<Together>,
    place: usize,
    /// What its target and its load have to themselves, where all share this machine.
    pub(crate) processors: Option<Arc<ProcessorSet>>,
}

impl Member {
    pub(crate) fn new(together: &Arc<Together>, place: usize) -> Self {
        Self { together: Arc::clone(together), place, processors: None }
    }

    /// The same with processors to itself.
    pub(crate) fn on(self, processors: Option<Arc<ProcessorSet>>) -> Self {
        Self { processors, ..self }
    }

    /// The turns of its load, where those of all of them are cut into slices: the same in each of them but
    /// for its place.
    pub(crate) fn turns(&self, slices: Slices, load: &Load, seed: u64) -> Turns {
        let (count, slice) = slices.cut(load.duration);
        let of = u32::try_from(self.together.lock().0.len()).unwrap_or(u32::MAX);
        let place = u32::try_from(self.place).unwrap_or(u32::MAX);
        Turns { place, of, settling: slices.settling, slice, slices: count, seed }
    }

    /// The target is in the state that its trial starts from: waits until those of all others are, or
    /// are given up.
    ///
    /// # Errors
    /// [`Failure::stopped`].
    pub(crate) fn stands(&self, stop: &Stop) -> Result<(), Failure> {
        let mut all = self.together.lock();
        self.set(&mut all.0, Stage::Standing);
        self.together.changed.notify_all();
        while all.0.contains(&Stage::Preparing) {
            if stop.is_requested() {
                return Err(Failure::stopped());
            }
            let waited = self.together.changed.wait_timeout(all, POLL_INTERVAL);
            all = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(())
    }

    /// Its load is ready: when that begins, once the others are ready too. To be asked again and again;
    /// loads after the first begin by themselves. `now` is the time of day, `notice` how long whatever
    /// makes this load needs to hear of it.
    pub(crate) fn start(&self, now: UnixMillis, notice: Duration) -> Option<Nanos> {
        let needed = u64::try_from(notice.as_nanos()).unwrap_or(u64::MAX);
        let notice = self.together.notice.fetch_max(needed, Ordering::Relaxed).max(needed);
        let notice = Duration::from_nanos(notice);
        let mut all = self.together.lock();
        let (stages, start) = &mut *all;
        if matches!(stages.get(self.place), Some(Stage::Begun | Stage::Gone) | None) {
            return Some(Clock.now().plus(notice));
        }
        self.set(stages, Stage::Ready);
        if start.is_none() && stages.iter().all(|stage| matches!(stage, Stage::Ready | Stage::Gone))
        {
            let are_ready = stages.iter().enumerate().filter(|(_, stage)| **stage == Stage::Ready);
            let of = are_ready.map(|(place, _)| place).collect();
            let date = UnixMillis(now.0.saturating_add(notice.as_millis() as u64));
            *start = Some(Start { at: Clock.now().plus(notice), date, of });
        }
        let at = start.as_ref()?.at;
        self.set(stages, Stage::Begun);
        Some(at)
    }

    /// # Errors
    /// When what was to be done for all of them did not work.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let failure = self.together.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.clone().map_or(Ok(()), Err)
    }

    /// It is over, whatever came of it.
    pub(crate) fn leaves(&self) {
        let mut all = self.together.lock();
        self.set(&mut all.0, Stage::Gone);
        self.together.changed.notify_all();
    }

    fn set(&self, stages: &mut [Stage], stage: Stage) {
        if let Some(own) = stages.get_mut(self.place) {
            *own = stage;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis(1_000);

    #[test]
    fn loads_begin_at_one_moment_when_the_last_is_ready() {
        let together = Together::new(3);
        let [a, b, c] = [0, 1, 2].map(|place| Member::new(&together, place));
        assert_eq!(a.start(NOW, START_NOTICE), None);
        assert_eq!(b.start(NOW, START_NOTICE), None);
        assert_eq!(a.start(NOW, START_NOTICE), None);
        let at = c.start(NOW, START_NOTICE).unwrap();
        assert_eq!((a.start(NOW, START_NOTICE), b.start(NOW, START_NOTICE)), (Some(at), Some(at)));
        let start = together.start().unwrap();
        assert_eq!((start.of, start.date), (vec![0, 1, 2], UnixMillis(1_250)));
        // The next step of a search waits for nobody.
        assert!(a.start(NOW, START_NOTICE).unwrap() >= at);
    }

    #[test]
    fn all_begin_when_the_farthest_has_heard_of_it() {
        let together = Together::new(2);
        let [near, far] = [0, 1].map(|place| Member::new(&together, place));
        let notice = start_notice(Duration::from_millis(300));
        assert_eq!(notice, Duration::from_millis(1_150));
        assert_eq!(far.start(NOW, notice), None);
        let asked = Clock.now();
        let at = near.start(NOW, start_notice(Duration::ZERO)).unwrap();
        assert!(at >= asked.plus(notice));
        assert_eq!(together.start().unwrap().date, UnixMillis(2_150));
    }

    #[test]
    fn nobody_waits_for_one_that_is_gone() {
        let together = Together::new(3);
        let [a, b, c] = [0, 1, 2].map(|place| Member::new(&together, place));
        assert_eq!(a.start(NOW, START_NOTICE), None);
        b.leaves();
        assert_eq!(a.start(NOW, START_NOTICE), None, "the third is still to come");
        assert!(c.start(NOW, START_NOTICE).is_some() && a.start(NOW, START_NOTICE).is_some());
        assert_eq!(together.start().unwrap().of, [0, 2]);
        // One that failed after the start was there at it.
        c.leaves();
        assert_eq!(together.start().unwrap().of, [0, 2]);
    }

    #[test]
    fn targets_wait_until_all_stand_or_are_given_up_or_somebody_asks_to_stop() {
        let together = Together::new(3);
        let [a, b, c] = [0, 1, 2].map(|place| Member::new(&together, place));
        let stop = Stop::default();
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| a.stands(&stop));
            c.leaves();
            assert!(!waits.is_finished());
            b.stands(&stop).unwrap();
            waits.join().unwrap().unwrap();
        });
        let together = Together::new(2);
        let alone = Member::new(&together, 0);
        stop.request();
        assert!(alone.stands(&stop).is_err());
    }
}
