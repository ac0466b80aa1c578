//! What happens beside a load while it is measured: interventions, and what a server does in the
//! background: snapshots, rewrites of its append-only file, syncs of it that come late. Found in the
//! marks of the trial and in the server's counters (`seen`); background work is held against the
//! seconds in which nothing of the kind happened (`cost`).

pub(crate) mod cost;
mod detect;
mod readings;
mod trial;

pub(crate) use cost::{findings, of_test};
pub(crate) use detect::{events, kind_of, would_show};
pub use trial::{TrialBackground, TrialSeconds};

use findings::{EventCost, EventKind};
use model::{Interval, Level, Sample};
use serde::Serialize;

/// An intervention, or background work that showed in the counters of a trial. Counters are read
/// about once a second, so that the ends of background work are known to lie between two readings.
/// Seconds count from the start of the load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ServerEvent {
    pub kind: EventKind,
    /// When it began, at the earliest and at the latest; with no earliest where it was under way
    /// when the counters were first read.
    pub began: (Option<f64>, f64),
    /// When it ended, at the earliest and at the latest; with no latest where it was still under
    /// way when they were last read.
    pub ended: (f64, Option<f64>),
    /// The intervention that it is of. When it began is known to the millisecond then.
    pub intervention: Option<String>,
    /// How long the server stood still to fork, in milliseconds; absent where nothing was forked,
    /// or several forks came between two readings.
    pub fork_ms: Option<f64>,
    /// Memory that had to be copied because it was changed meanwhile, in bytes; absent while it
    /// is not over.
    pub cow_bytes: Option<u64>,
    /// Syncs that came late; 0 for other kinds.
    pub delayed: u64,
}

impl ServerEvent {
    /// The earliest moment at which it may have begun.
    pub fn from(&self) -> f64 {
        self.began.0.unwrap_or(f64::NEG_INFINITY)
    }

    /// The latest moment at which it may have ended.
    pub fn until(&self) -> f64 {
        self.ended.1.unwrap_or(f64::INFINITY)
    }

    /// How much of a stretch of time it may have taken, in seconds.
    fn overlap(&self, (from, until): (f64, f64)) -> f64 {
        (until.min(self.until()) - from.max(self.from())).max(0.0)
    }

    /// Whether something is at work that takes processors and disk: a child process of the server, or
    /// an intervention.
    fn disturbs(&self) -> bool {
        self.kind != EventKind::DelayedSync
    }
}

/// What was seen in one trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrialEvents {
    pub target: String,
    pub level: Level,
    pub repeat: u32,
    /// In order of kind, then of time; those before and after the measured phase included.
    pub events: Vec<ServerEvent>,
    /// Index in the dataset's trials.
    pub record: usize,
}

/// What was seen in the trials of a test, and what it cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TestEvents {
    /// The trials in which anything was seen or done, in the order of the study.
    pub trials: Vec<TrialEvents>,
    /// One for each kind of background work that was seen in the measured phase of a cell's trials.
    pub costs: Vec<EventCost>,
}

/// An interval of this share of its length may touch an event without being counted among its
/// seconds: intervals and readings of counters are not quite in step.
const OUT_OF_STEP: f64 = 0.05;

/// Begin and end of an interval, in seconds.
fn stretch(interval: &Interval) -> (f64, f64) {
    let begin = interval.start.as_secs_f64();
    (begin, begin + interval.length.as_secs_f64())
}

/// Which of these intervals an event may have touched: at least one, if half of the time that it
/// may have taken lies in one.
fn touched(event: &ServerEvent, intervals: &[&Interval]) -> Vec<bool> {
    let overlaps: Vec<f64> =
        intervals.iter().map(|interval| event.overlap(stretch(interval))).collect();
    let mostly_in = |overlap: f64| overlap > 0.0 && overlap >= (event.until() - event.from()) / 2.0;
    let enough = |(interval, &overlap): (&&Interval, &f64)| {
        overlap > OUT_OF_STEP * interval.length.as_secs_f64() || mostly_in(overlap)
    };
    intervals.iter().zip(&overlaps).map(enough).collect()
}

/// The intervals that nothing disturbed.
pub(crate) fn undisturbed<'a>(
    events: &[ServerEvent],
    intervals: Vec<&'a Interval>,
) -> Vec<&'a Interval> {
    let mut free = vec![true; intervals.len()];
    for event in events.iter().filter(|event| event.disturbs()) {
        for (free, touched) in free.iter_mut().zip(touched(event, &intervals)) {
            *free &= !touched;
        }
    }
    let mut free = free.into_iter();
    intervals.into_iter().filter(|_| free.next().unwrap_or(true)).collect()
}

/// Whether something may have disturbed the time that a sample covers.
pub(crate) fn in_sample(events: &[ServerEvent], sample: &Sample) -> bool {
    let stretch = (sample.at_seconds - sample.length.as_secs_f64(), sample.at_seconds);
    events.iter().any(|event| event.disturbs() && event.overlap(stretch) > 0.0)
}
