//! A deadline for work that has no place to say that its time is over: a page of a report is made by
//! hundreds of functions that give text and cannot fail.
//!
//! [`ReadBudget::bound`] runs such work, and [`look`], which whatever such work consists of calls for each
//! of its rows, figures and shapes, unwinds it once the time is over. It is no panic: nothing is printed,
//! and nothing else is caught.

use crate::{OverBudget, ReadBudget};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

/// How many calls there are between two looks at the clock, which may take a microsecond.
const CALLS: u32 = 64;

/// When the work under way has to be over.
#[derive(Clone, Copy, Debug)]
struct Deadline {
    ends: Duration,
    clock: fn() -> Duration,
    over: OverBudget,
}

thread_local! {
    static DEADLINE: Cell<Option<Deadline>> = const { Cell::new(None) };
    static CALLS_LEFT: Cell<u32> = const { Cell::new(0) };
}

/// Puts back what was there, also where the work is unwound.
struct Outer(Option<Deadline>);

impl Drop for Outer {
    fn drop(&mut self) {
        DEADLINE.set(self.0);
    }
}

impl ReadBudget {
    /// Does work of this thread for as long as the budget has time; it must leave nothing half done that
    /// anybody sees.
    ///
    /// # Errors
    /// When it took longer, and when the budget was overdrawn before.
    pub fn bound<T>(&self, work: impl FnOnce() -> T) -> Result<T, OverBudget> {
        self.charge(0)?;
        let limit = self.limit();
        let over = OverBudget::Time(limit.time);
        let deadline = self.ends().map(|ends| Deadline { ends, clock: limit.clock, over });
        let outer = Outer(DEADLINE.replace(deadline));
        CALLS_LEFT.set(0);
        let done = catch_unwind(AssertUnwindSafe(work));
        drop(outer);
        match done {
            // What the clock says has the last word.
            Ok(done) => self.charge(0).map(|()| done),
            Err(thrown) => match thrown.downcast::<OverBudget>() {
                Ok(over) => Err(*over),
                Err(panic) => resume_unwind(panic),
            },
        }
    }
}

/// Ends the work under way if its time is over ([`ReadBudget::bound`]).
#[inline]
pub fn look() {
    let left = CALLS_LEFT.get();
    if left > 0 {
        CALLS_LEFT.set(left - 1);
        return;
    }
    CALLS_LEFT.set(CALLS);
    if let Some(Deadline { ends, clock, over }) = DEADLINE.get()
        && clock() > ends
    {
        resume_unwind(Box::new(over));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReadLimit;

    thread_local! {
        static NOW: Cell<u64> = const { Cell::new(0) };
    }

    fn limit() -> ReadLimit {
        let clock = || Duration::from_secs(NOW.get());
        ReadLimit { time: Duration::from_secs(2), clock, ..ReadLimit::NONE }
    }

    #[test]
    fn work_without_end_ends_with_the_budget() {
        let endless = || -> () {
            loop {
                NOW.set(NOW.get() + 1);
                (0..=CALLS).for_each(|_| look());
            }
        };
        let over = OverBudget::Time(Duration::from_secs(2));
        assert_eq!(limit().budget().bound(endless), Err(over));
        // One within another ends with its own, and the outer one has its say then.
        let patient = ReadLimit { time: Duration::from_secs(100), ..limit() };
        assert_eq!(patient.budget().bound(|| limit().budget().bound(endless)), Ok(Err(over)));
        assert_eq!(limit().budget().bound(|| patient.budget().bound(endless)), Err(over));
        // Nothing is left of it.
        NOW.set(NOW.get() + 100);
        (0..=CALLS).for_each(|_| look());
    }

    #[test]
    fn work_that_is_soon_done_is_done_and_panics_stay_panics() {
        assert_eq!(limit().budget().bound(|| 7), Ok(7));
        let panicking = || limit().budget().bound(|| resume_unwind(Box::new("a panic")));
        let thrown = catch_unwind(AssertUnwindSafe(panicking)).map(drop).unwrap_err();
        assert_eq!(thrown.downcast_ref::<&str>(), Some(&"a panic"));
    }

    #[test]
    fn work_that_never_looked_is_not_taken_where_it_took_too_long() {
        let late = limit().budget().bound(|| NOW.set(NOW.get() + 3));
        assert_eq!(late, Err(OverBudget::Time(Duration::from_secs(2))));
    }
}
