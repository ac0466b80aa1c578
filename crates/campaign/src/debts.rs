//! Whether the debts of a target are level: a pure function of its counters, second by second.

use model::{Debt, DebtChange, Load, ServerCounters};
use std::collections::VecDeque;
use std::time::Duration;

/// Time between two readings that count: closer ones are too much alike to tell a trend.
const STEP: f64 = 1.0;
/// By how much the moments of samples may miss the step.
const JITTER: f64 = 0.05;
/// A debt may change over the measured phase by so much of what the target takes of it.
const TOLERANCE: f64 = 0.1;
/// The same of a debt without a limit, of its own size.
const OWN_TOLERANCE: f64 = 0.25;
/// How much of a debt without a limit is of no account.
const LEAST: f64 = 10_000.0;
/// A target that tells of no debt for so many readings tells of none.
const UNTOLD: usize = 5;

/// The debts of a target while a load runs.
#[derive(Debug)]
pub(crate) struct Debts {
    /// How long the load will be measured, in seconds.
    horizon: f64,
    /// For how long they must be level, in seconds.
    window: f64,
    /// Those of the last readings, as many as the window takes.
    times: VecDeque<f64>,
    courses: Vec<Course>,
    readings: usize,
}

/// One of them.
#[derive(Debug)]
struct Course {
    debt: Debt,
    first: u64,
    limit: Option<u64>,
    last: VecDeque<f64>,
    highest: f64,
    /// Whether it was paid once under this load after it had grown: a whole cycle is seen.
    has_cycled: bool,
}

impl Debts {
    /// For a load that will be measured for so long.
    pub(crate) fn over(measured: Duration) -> Self {
        let horizon = measured.as_secs_f64();
        let window = Load::settling_window(measured).as_secs_f64();
        Self { horizon, window, times: VecDeque::new(), courses: Vec::new(), readings: 0 }
    }

    /// Adds a reading, if there has been none for a second.
    pub(crate) fn take(&mut self, at: f64, counters: Option<&ServerCounters>) {
        if self.times.back().is_some_and(|last| at < last + STEP - JITTER) {
            return;
        }
        self.readings += 1;
        let Some(counters) = counters else { return };
        for debt in Debt::ALL.into_iter().filter(|debt| !debt.is_of_rest()) {
            let Some(amount) = debt.amount(counters) else { continue };
            let limit = debt.limit(counters);
            match self.courses.iter_mut().find(|course| course.debt == debt) {
                Some(course) => course.take(amount, limit),
                None => self.courses.push(Course::new(debt, amount, limit)),
            }
        }
        self.times.push_back(at);
        let from = at - self.window - JITTER;
        while self.times.front().is_some_and(|&time| time < from) {
            self.times.pop_front();
        }
        for course in &mut self.courses {
            while course.last.len() > self.times.len() {
                course.last.pop_front();
            }
        }
    }

    /// Whether the target told of none again and again.
    pub(crate) fn are_untold(&self) -> bool {
        self.courses.is_empty() && self.readings >= UNTOLD
    }

    /// Whether all that it told of are level.
    pub(crate) fn are_level(&self) -> bool {
        !self.courses.is_empty() && self.courses.iter().all(|course| self.is_level(course))
    }

    fn is_level(&self, course: &Course) -> bool {
        let (Some(first), Some(last)) = (self.times.front(), self.times.back()) else {
            return false;
        };
        let seen = last - first;
        if seen < self.window - 2.0 * STEP {
            return false;
        }
        if course.debt.is_work() {
            return course.last.back() == Some(&0.0);
        }
        let values: Vec<f64> = course.last.iter().copied().collect();
        let steps = self.horizon / seen * (self.times.len() - 1) as f64;
        course.has_cycled || stats::is_level(&values, steps, course.tolerance())
    }

    /// How each has changed.
    pub(crate) fn changes(&self) -> Vec<DebtChange> {
        let change = |course: &Course| DebtChange {
            debt: course.debt,
            from: course.first,
            to: course.last.back().map_or(course.first, |&last| last as u64),
            limit: course.limit,
            is_level: self.is_level(course),
        };
        self.courses.iter().map(change).collect()
    }
}

impl Course {
    fn new(debt: Debt, amount: u64, limit: Option<u64>) -> Self {
        let value = amount as f64;
        Self {
            debt,
            first: amount,
            limit,
            last: VecDeque::from([value]),
            highest: value,
            has_cycled: false,
        }
    }

    fn take(&mut self, amount: u64, limit: Option<u64>) {
        let value = amount as f64;
        self.limit = limit.or(self.limit);
        let grew = self.highest - self.first as f64 > self.tolerance();
        self.has_cycled |= grew && value < self.highest / 2.0;
        self.highest = self.highest.max(value);
        self.last.push_back(value);
    }

    /// By how much it may change over the measured phase.
    fn tolerance(&self) -> f64 {
        match self.limit {
            Some(limit) => TOLERANCE * limit as f64,
            None => (OWN_TOLERANCE * self.last.back().copied().unwrap_or_default()).max(LEAST),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::signal;

    const LIMIT: i64 = 100_000_000;

    /// When a load that is measured for 60 s is found level, in seconds; `None` where it is not in 10
    /// minutes. `age` is the age of the checkpoint at a second, in per cent of the limit.
    fn level_after(age: impl Fn(u32) -> f64, others: &[(&str, i64)]) -> Option<u32> {
        let mut debts = Debts::over(Duration::from_secs(60));
        (1..600).find(|&second| {
            let age = (age(second) * LIMIT as f64 / 100.0) as i64;
            let own = [(signal::CHECKPOINT_AGE, age), (signal::CHECKPOINT_AGE_LIMIT, LIMIT)];
            let counters = own.into_iter().chain(others.iter().copied());
            let counters = counters.map(|(name, value)| (name.to_owned(), value)).collect();
            debts.take(f64::from(second), Some(&counters));
            debts.are_level()
        })
    }

    /// Noise of a few per cent that has no trend.
    fn noise(second: u32) -> f64 {
        f64::from(second * 7919 % 13) / 6.0 - 1.0
    }

    #[test]
    fn a_log_that_fills_is_level_when_it_fills_no_more() {
        // Full after 300 s, where flushing keeps up.
        let fills = |second: u32| (f64::from(second) * 0.25).min(75.0) + noise(second);
        let after = level_after(fills, &[]).expect("it ends to grow");
        assert!((300..345).contains(&after), "{after}");
        assert_eq!(level_after(|second| f64::from(second) * 0.2, &[]), None);
    }

    #[test]
    fn what_was_level_from_the_start_takes_the_window_alone() {
        let after = level_after(|second| 40.0 + noise(second), &[]).unwrap();
        assert!((28..40).contains(&after), "{after}");
    }

    #[test]
    fn debt_that_is_being_paid_is_not_level() {
        let falls = |second: u32| (80.0 - f64::from(second) * 0.4).max(10.0);
        let after = level_after(falls, &[]).unwrap();
        assert!((175..205).contains(&after), "{after}");
    }

    #[test]
    fn a_debt_that_comes_and_goes_is_level_once_it_was_paid() {
        // A checkpoint every 90 s.
        let saw = |second: u32| f64::from(second % 90);
        assert_eq!(level_after(saw, &[]), Some(90));
    }

    #[test]
    fn a_snapshot_under_way_is_waited_for() {
        let running = [(signal::SNAPSHOT_RUNNING, 1)];
        assert_eq!(level_after(|_| 1.0, &running), None);
        assert!(level_after(|_| 1.0, &[(signal::SNAPSHOT_RUNNING, 0)]).is_some());
        // A checkpoint that is spread over time is what a steady state consists of.
        assert!(level_after(|_| 1.0, &[(signal::CHECKPOINTS_RUNNING, 1)]).is_some());
    }

    #[test]
    fn of_a_debt_without_a_limit_small_changes_are_of_no_account() {
        let level = |each: i64| {
            let mut debts = Debts::over(Duration::from_secs(20));
            (1..60).any(|second: u32| {
                let counters = [(signal::OLD_VERSIONS.to_owned(), i64::from(second) * each)];
                debts.take(f64::from(second), Some(&counters.into_iter().collect()));
                debts.are_level()
            })
        };
        assert!(level(100) && !level(100_000));
    }

    #[test]
    fn a_target_that_tells_of_nothing_is_not_waited_for() {
        let mut debts = Debts::over(Duration::from_secs(60));
        for second in 1..10 {
            debts.take(f64::from(second), None);
        }
        assert!(debts.are_untold() && !debts.are_level() && debts.changes().is_empty());
    }

    #[test]
    fn frequent_samples_count_once_a_second() {
        let mut debts = Debts::over(Duration::from_secs(20));
        let counters = [(signal::DEAD_ROWS.to_owned(), 5)].into_iter().collect();
        for tenth in 0..80 {
            debts.take(f64::from(tenth) / 10.0, Some(&counters));
        }
        assert!(!debts.are_level(), "eight seconds are no window");
        assert_eq!(debts.times.len(), 8);
    }
}
