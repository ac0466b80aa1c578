//! What a load did before, during and after what was done to its target.

use crate::{ActResult, BackgroundWork, Interval, Latencies, LoadResult, Phase};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A named moment or span on a trial's time line, such as the start and the end of an ALTER.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// What happened, in a word or two.
    pub name: String,
    /// When it began, in seconds from the trial's origin: where there is a load, from its start.
    pub at_seconds: f64,
    /// When it ended, likewise; `None` for a moment. Of an intervention that was cut off when weighin
    /// ended it, or turned away from work that goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_seconds: Option<f64>,
    /// What came of it, where it is an intervention.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<ActResult>,
    /// The background work that the intervention asked for, where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<BackgroundWork>,
    /// What is to be said of it: of an intervention that failed why, of others the answer of the
    /// server or the last words of a command. As it came: not to be shown without [`crate::text`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Mark {
    /// A moment that is no intervention.
    pub fn moment(name: impl Into<String>, at_seconds: f64) -> Self {
        Self { until_seconds: None, ..Self::span(name, at_seconds, at_seconds) }
    }

    /// A span that is no intervention.
    pub fn span(name: impl Into<String>, at_seconds: f64, until_seconds: f64) -> Self {
        Self {
            name: name.into(),
            at_seconds,
            until_seconds: Some(until_seconds),
            result: None,
            work: None,
            note: None,
        }
    }
}

/// A part of the measured phase of a load, by what was done to its target meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Around {
    /// The whole seconds before it began.
    Before,
    /// The seconds that it touched, from its beginning to its end.
    During,
    /// The whole seconds after it had ended.
    After,
}

/// Seconds of a load together.
#[derive(Clone, Debug)]
pub struct Stretch {
    pub length: Duration,
    /// Transactions that succeeded in them.
    pub transactions: u64,
    /// Of these.
    pub latencies: Latencies,
}

impl Stretch {
    /// Transactions per second.
    pub fn rate(&self) -> f64 {
        self.transactions as f64 / self.length.as_secs_f64()
    }
}

impl Around {
    /// That part of a load's measured phase; `None` where it has no second in it, and where nothing
    /// was done. Background work that the target did by itself, though it was told to, counts as
    /// nothing done: where that begins and ends, its own counters say.
    pub fn stretch_of(self, load: &LoadResult, marks: &[Mark]) -> Option<Stretch> {
        let done = span(marks)?;
        let mut stretch =
            Stretch { length: Duration::ZERO, transactions: 0, latencies: Latencies::new() };
        for interval in measured(load).filter(|interval| self == Self::at(interval, done)) {
            stretch.length += interval.length;
            stretch.transactions += interval.transactions;
            stretch.latencies.merge(&interval.latencies.unpack());
        }
        (!stretch.length.is_zero()).then_some(stretch)
    }

    fn at(interval: &Interval, (began, ended): (f64, f64)) -> Self {
        let (from, until) = ends(interval);
        if until <= began {
            Self::Before
        } else if from >= ended {
            Self::After
        } else {
            Self::During
        }
    }
}

/// The longest time that a statement of the load took which was under way while something was done
/// to the target, in seconds; `None` where statements were not timed one by one.
///
/// A statement that waited for the end is answered in a second after it: such a second counts if
/// its longest statement must have begun before the end.
pub fn longest_statement(load: &LoadResult, marks: &[Mark]) -> Option<f64> {
    let (began, ended) = span(marks)?;
    let of_interval = |interval: &Interval| {
        let longest = interval.longest_statement?.as_secs_f64();
        let (from, until) = ends(interval);
        (until > began && (from < ended || until - longest <= ended)).then_some(longest)
    };
    let in_measure = load.intervals.iter().filter(|interval| interval.phase == Phase::Measure);
    in_measure.filter_map(of_interval).reduce(f64::max)
}

/// From when until when something was done.
fn span(marks: &[Mark]) -> Option<(f64, f64)> {
    let acts = || marks.iter().filter(|mark| mark.result.is_some() && mark.work.is_none());
    let began = acts().map(|mark| mark.at_seconds).reduce(f64::min)?;
    let ended = acts().filter_map(|mark| mark.until_seconds).reduce(f64::max)?;
    Some((began, ended))
}

fn ends(interval: &Interval) -> (f64, f64) {
    let from = interval.start.as_secs_f64();
    (from, from + interval.length.as_secs_f64())
}

/// The intervals of the measured phase; without the last where it was cut off.
fn measured(load: &LoadResult) -> impl Iterator<Item = &Interval> {
    let of_phase = || load.intervals.iter().filter(|interval| interval.phase == Phase::Measure);
    let longest = of_phase().map(|interval| interval.length).max().unwrap_or_default();
    of_phase().filter(move |interval| {
        !interval.length.is_zero() && interval.length.saturating_mul(2) > longest
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ActResult, Metric, Outcome};

    /// A load of so many seconds, with so many transactions and so long a statement in each.
    fn load(seconds: &[(u64, f64)]) -> LoadResult {
        let interval = |(second, &(transactions, longest)): (usize, &(u64, f64))| {
            let mut latencies = Latencies::new();
            latencies.record_many(2_000_000, transactions);
            Interval {
                phase: Phase::Measure,
                start: Duration::from_secs(second as u64),
                length: Duration::from_secs(1),
                transactions,
                queries: 0,
                errors: 0,
                moved: Default::default(),
                longest_statement: Some(Duration::from_secs_f64(longest)),
                latencies: (&latencies).into(),
            }
        };
        let intervals = seconds.iter().enumerate().map(interval).collect();
        LoadResult { intervals, ..LoadResult::default() }
    }

    fn act(from: f64, until: f64) -> Mark {
        Mark { result: Some(ActResult::Done), ..Mark::span("act", from, until) }
    }

    #[test]
    fn seconds_are_before_during_or_after() {
        let load = load(&[(100, 0.001), (100, 0.001), (40, 0.5), (60, 0.9), (90, 1.6), (100, 0.3)]);
        let marks = [act(2.2, 3.9)];
        let rates = [Around::Before, Around::During, Around::After]
            .map(|part| part.stretch_of(&load, &marks));
        let rates = rates.map(|stretch| stretch.map(|stretch| stretch.rate()));
        assert_eq!(rates, [Some(100.0), Some(50.0), Some(95.0)]);
        // It began before the end, and was answered after it.
        assert_eq!(longest_statement(&load, &marks), Some(1.6));
        let outcome = Outcome { marks: marks.into(), ..Outcome::of_load(load) };
        let kept = outcome.metric(Metric::ThroughputKept).unwrap();
        assert_eq!(kept.value, 0.5);
    }

    #[test]
    fn a_long_statement_that_began_later_does_not_count() {
        let load = load(&[(100, 0.001), (100, 0.2), (100, 0.1), (100, 0.7)]);
        assert_eq!(longest_statement(&load, &[act(1.2, 1.3)]), Some(0.2));
    }

    #[test]
    fn where_nothing_was_done_there_is_no_before_and_after() {
        let load = load(&[(100, 0.001)]);
        let moment = Mark { result: None, ..act(0.2, 0.3) };
        assert!(Around::During.stretch_of(&load, std::slice::from_ref(&moment)).is_none());
        assert_eq!(longest_statement(&load, &[moment]), None);
    }
}
