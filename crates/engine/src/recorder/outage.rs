use crate::Nanos;
use model::Outage;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Losses that are no further apart belong to the same outage: clients notice one by one.
const SAME: Duration = Duration::from_secs(1);

/// An outage as one worker sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Loss {
    /// The first connection lost.
    pub(crate) first_error: Nanos,
    /// The latest one.
    last_error: Nanos,
    /// The first success that began after the latest loss.
    pub(crate) first_success: Option<Nanos>,
    /// When a client was logged in again after it.
    logged_in: Option<Nanos>,
    /// Operations that failed because of it.
    pub(crate) failed: u64,
}

/// The outages of one worker, in order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Losses {
    list: Vec<Loss>,
    /// Whether the last one waits for a success: the only thing that a success must look at.
    open: bool,
}

impl Losses {
    /// A connection was lost with an operation under way, or could not be made anew by a client that
    /// had its last one at `from`.
    pub(crate) fn lost(&mut self, from: Nanos, at: Nanos, operation: bool) {
        let failed = u64::from(operation);
        match self.list.last_mut() {
            Some(loss) if self.open || at < loss.last_error.plus(SAME) => {
                loss.last_error = at;
                (loss.first_success, loss.logged_in) = (None, None);
                loss.failed += failed;
            }
            _ => self.list.push(Loss {
                first_error: from,
                last_error: at,
                first_success: None,
                logged_in: None,
                failed,
            }),
        }
        self.open = true;
    }

    /// A client was logged in.
    pub(crate) fn logged_in(&mut self, at: Nanos) {
        if let Some(loss) = self.list.last_mut().filter(|_| self.open) {
            loss.logged_in.get_or_insert(at);
        }
    }

    /// Nothing has an answer to come any more, and nothing was given up: an outage is over where
    /// clients could log in again and had nothing left to do.
    pub(crate) fn settle(&mut self) {
        if let Some(loss) = self.list.last_mut() {
            loss.first_success = loss.first_success.or(loss.logged_in);
        }
    }

    /// An operation that began then succeeded now.
    #[inline]
    pub(crate) fn succeeded(&mut self, began: Nanos, at: Nanos) {
        if self.open {
            self.close(began, at);
        }
    }

    #[cold]
    fn close(&mut self, began: Nanos, at: Nanos) {
        if let Some(loss) = self.list.last_mut().filter(|loss| began >= loss.last_error) {
            loss.first_success = Some(at);
            self.open = false;
        }
    }

    /// Adds the outages of a worker that ran beside this one: those that overlap, or nearly, are
    /// one.
    pub(crate) fn merge(&mut self, other: Self) {
        self.list.extend(other.list);
        self.list.sort_by_key(|loss| loss.first_error);
        let mut merged: Vec<Loss> = Vec::new();
        for loss in self.list.drain(..) {
            match merged.last_mut() {
                Some(last) if loss.first_error < last.end().plus(SAME) => last.absorb(loss),
                _ => merged.push(loss),
            }
        }
        self.list = merged;
    }

    /// The same with all moments counted from `start`.
    pub(super) fn counted_from(mut self, start: Nanos) -> Self {
        for loss in &mut self.list {
            loss.first_error = loss.first_error.from(start);
            loss.last_error = loss.last_error.from(start);
            loss.first_success = loss.first_success.map(|at| at.from(start));
            loss.logged_in = loss.logged_in.map(|at| at.from(start));
        }
        self
    }

    /// In words of the model, where moments count from the start of the load. `recovered` finds when
    /// throughput was back, given when the outage began and when the first operation succeeded again.
    pub(crate) fn outages(
        &self,
        recovered: impl Fn(Nanos, Nanos) -> Option<Duration>,
    ) -> Vec<Outage> {
        let since_start = |at: Nanos| at.since(Nanos(0));
        let outage = |loss: &Loss| Outage {
            first_error: since_start(loss.first_error),
            first_success: loss.first_success.map(since_start),
            recovered: loss.first_success.and_then(|success| recovered(loss.first_error, success)),
            failed: loss.failed,
        };
        self.list.iter().map(outage).collect()
    }
}

impl Loss {
    fn end(&self) -> Nanos {
        self.first_success.unwrap_or(Nanos::NEVER)
    }

    fn absorb(&mut self, other: Self) {
        self.last_error = self.last_error.max(other.last_error);
        // The service is back for everybody with the first success of anybody.
        self.first_success = match (self.first_success, other.first_success) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.logged_in = self.logged_in.max(other.logged_in);
        self.failed += other.failed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn at(ms: u64) -> Nanos {
        Nanos(ms * MS)
    }

    #[test]
    fn losses_one_after_another_are_one_outage_until_something_begun_later_succeeds() {
        let mut losses = Losses::default();
        losses.lost(at(1_000), at(1_000), true);
        losses.succeeded(at(999), at(1_001));
        losses.lost(at(1_002), at(1_002), true);
        losses.lost(at(1_900), at(1_900), false);
        losses.succeeded(at(1_901), at(1_950));
        losses.succeeded(at(1_951), at(1_960));
        let outages = losses.outages(|_, _| None);
        assert_eq!(outages.len(), 1);
        assert_eq!(outages[0].downtime(), Some(Duration::from_millis(950)));
        assert_eq!(outages[0].failed, 2);
    }

    #[test]
    fn a_relapse_within_a_second_reopens_an_outage_and_a_later_loss_is_another() {
        let mut losses = Losses::default();
        losses.lost(at(1_000), at(1_000), true);
        losses.succeeded(at(1_100), at(1_200));
        losses.lost(at(1_500), at(1_500), true);
        losses.succeeded(at(1_600), at(1_700));
        losses.lost(at(9_000), at(9_000), true);
        let outages = losses.outages(|_, _| None);
        let ends: Vec<_> = outages.iter().map(|outage| outage.first_success).collect();
        assert_eq!(ends, [Some(Duration::from_millis(1_700)), None]);
        assert_eq!(outages[1].downtime(), None);
    }

    #[test]
    fn workers_see_the_same_outage_and_the_first_success_of_any_ends_it() {
        let (mut a, mut b) = (Losses::default(), Losses::default());
        a.lost(at(1_000), at(1_000), true);
        a.succeeded(at(3_000), at(3_010));
        b.lost(at(1_005), at(1_005), true);
        b.succeeded(at(2_900), at(2_950));
        a.merge(b);
        let outages = a.counted_from(at(500)).outages(|_, _| None);
        assert_eq!(outages.len(), 1);
        assert_eq!(outages[0].first_error, Duration::from_millis(500));
        assert_eq!(outages[0].first_success, Some(Duration::from_millis(2_450)));
        assert_eq!(outages[0].failed, 2);
    }
}
