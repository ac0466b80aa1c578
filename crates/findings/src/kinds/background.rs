//! What servers did in the background and what it cost, and what came of interventions.

use serde::Serialize;
use std::time::Duration;
use crate::kind::{FindingKind, Group};
use crate::numbers::{self, bytes, count, counted, figure, percent, range};
use crate::names::target_name;
use crate::names::metric_name;
use model::{BackgroundWork, Level, Metric};
use stats::Estimate;

/// What one kind of background work cost in the trials of one cell that conclusions may rest on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventCost {
    pub target: String,
    pub level: Level,
    pub event: EventKind,
    /// Trials in which it touched the measured phase, of how many.
    pub trials: (usize, usize),
    /// How often it did, in all of them together.
    pub events: usize,
    /// How many of these an intervention asked for.
    pub by_intervention: usize,
    /// Syncs that came late in them, over all trials; 0 for other kinds.
    pub delayed: u64,
    /// The least and the most that a fork took, in milliseconds, where any is known.
    pub fork_ms: Option<(f64, f64)>,
    /// The least and the most that had to be copied, in bytes, where any is known.
    pub cow_bytes: Option<(u64, u64)>,
    /// The shortest that one can have taken and the longest, in seconds; the latter is absent where
    /// one was not over.
    pub lasted_seconds: (f64, Option<f64>),
    /// Seconds that it touched and quiet ones, in the trials that have both; both 0 where none
    /// has: nothing can be held against anything then.
    pub seconds: (f64, f64),
    /// The longest operation in the seconds that it touched and in quiet ones, in milliseconds.
    pub longest_ms: Option<(f64, f64)>,
    /// How figures changed, of those that there are.
    pub changes: Vec<Change>,
    /// The study's margin, 0.03 being 3 %.
    pub margin: f64,
}

impl FindingKind for EventCost {
    const HEADING: &'static str = "Background work of the servers";

    fn say(found: &Group<'_, Self>) -> String {
        let cost = found.first;
        let (seen, of) = cost.trials;
        let how_often = match cost.event {
            EventKind::Snapshot => counted(cost.events, "snapshot"),
            EventKind::LogRewrite => {
                format!("{} of the append-only file", counted(cost.events, "rewrite"))
            }
            EventKind::DelayedSync => {
                let late = usize::try_from(cost.delayed).unwrap_or(usize::MAX);
                format!("{} of the append-only file", counted(late, "late sync"))
            }
            EventKind::Intervention => counted(cost.events, "intervention"),
        };
        let asked_for = match cost.by_intervention {
            0 => String::new(),
            all if all == cost.events => ", as interventions".to_owned(),
            some => format!(", {} of them as interventions", count(some as u64)),
        };
        let forked = cost
            .fork_ms
            .map(|(least, most)| format!("including {}\u{a0}ms for the fork", range(least, most)));
        let copied = cost.cow_bytes.map(|(least, most)| (bytes(least), bytes(most)));
        let copied = copied.map(|(least, most)| {
            let copied = if least == most { most } else { format!("{least} to {most}") };
            format!("and {copied} of memory was copied because it changed meanwhile")
        });
        let details: Vec<String> =
            [Some(length(cost)), forked, copied].into_iter().flatten().collect();
        format!(
            "{how_often} in {} of {}{asked_for}: {}; {}",
            count(seen as u64),
            counted(of, "trial"),
            details.join(", "),
            effect(cost)
        )
    }
}

/// Kinds of what happens beside a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A child process writes all data to a file.
    Snapshot,
    /// A child process writes the append-only file anew.
    LogRewrite,
    /// A write waited because a sync of the append-only file was still under way.
    DelayedSync,
    /// An act of an intervention that is no background work of the server, or none that its counters
    /// show.
    Intervention,
}

impl EventKind {
    /// Those that servers do by themselves.
    pub const BACKGROUND: [Self; 3] = [Self::Snapshot, Self::LogRewrite, Self::DelayedSync];
}

/// A figure in the seconds that an event touched, against quiet seconds of the same trials.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    pub metric: Metric,
    /// In quiet seconds.
    pub quiet: Estimate,
    /// touched ÷ quiet, paired by trial.
    pub ratio: Estimate,
    /// What follows, given all changes of this figure in the test.
    pub changed: Changed,
}

/// What a ratio of touched to quiet seconds says, by the rules of comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Changed {
    /// More in the seconds that were touched.
    Higher,
    /// Less.
    Lower,
    /// The same, within the study's margin.
    Same,
    /// Not known.
    Unresolved,
}

/// How long one took. Counters are read once a second, so that this is no exact figure.
fn length(cost: &EventCost) -> String {
    let each = if cost.events == 1 { "it took" } else { "each took" };
    match cost.lasted_seconds {
        (_, Some(most)) if cost.event == EventKind::DelayedSync => {
            format!("within at most {}\u{a0}s", figure(most))
        }
        (least, Some(most)) if least < 0.005 => {
            format!("{each} less than {}\u{a0}s", figure(most))
        }
        (least, Some(most)) => format!("{each} {}\u{a0}s", range(least, most)),
        (least, None) => {
            format!("{each} {}\u{a0}s or more and outlasted the load", figure(least))
        }
    }
}

/// How figures changed in the seconds that were affected.
fn effect(cost: &EventCost) -> String {
    let (affected, quiet) = cost.seconds;
    if affected <= 0.0 {
        return "no trial has seconds with it and without it that could be compared, so its cost is not \
                known"
            .to_owned();
    }
    if cost.changes.is_empty() {
        return "in at least one trial nothing succeeded in the seconds with it, or in those \
                without, so no ratio can be taken"
            .to_owned();
    }
    let said = |change: &Change| one_change(change, cost.margin);
    let mut changes: Vec<String> = cost.changes.iter().filter_map(said).collect();
    let unresolved = cost.changes.iter().filter(|change| change.changed == Changed::Unresolved);
    let unresolved: Vec<String> = unresolved
        .map(|change| format!("{} {}", metric_name(change.metric), ratio(&change.ratio)))
        .collect();
    if !unresolved.is_empty() {
        let unresolved = numbers::list(&unresolved);
        changes.push(format!("no conclusion about {unresolved}"));
    }
    let longest = cost.longest_ms.map_or(String::new(), |(during, quiet)| {
        format!(
            "; the longest operation took {}\u{a0}ms, in quiet seconds {}\u{a0}ms",
            figure(during),
            figure(quiet),
        )
    });
    format!(
        "in the {}\u{a0}s affected, against {}\u{a0}s without it, {}{longest}",
        figure(affected),
        figure(quiet),
        changes.join(", "),
    )
}

/// A change that is resolved, or that there surely is none; `None` of others.
fn one_change(change: &Change, margin: f64) -> Option<String> {
    let (name, ratio) = (metric_name(change.metric), ratio(&change.ratio));
    match change.changed {
        Changed::Higher | Changed::Lower => Some(format!("{name} was {ratio}")),
        Changed::Same => Some(format!("{name} was the same within {} ({ratio})", percent(margin))),
        Changed::Unresolved => None,
    }
}

/// `0.81 × (95 % interval 0.75–0.88)`; a single trial has no interval.
fn ratio(ratio: &Estimate) -> String {
    match ratio.interval {
        Some(_) => numbers::estimate(ratio, "×"),
        None => format!("{} × (one trial, no interval)", figure(ratio.point)),
    }
}

/// An intervention failed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InterventionFailed {
    /// Its name.
    pub intervention: String,
    /// Why.
    pub message: String,
}

impl FindingKind for InterventionFailed {
    const HEADING: &'static str = "Interventions that failed";

    fn is_like(&self, other: &Self) -> bool {
        self == other
    }

    fn say(found: &Group<'_, Self>) -> String {
        let Self { intervention, message } = found.first;
        // Some of a server's lines are sentences, and this is the end of one.
        let message = message.trim_end_matches('.');
        format!("the intervention {} failed: {message}", target_name(intervention))
    }
}

/// The load was over before the moment of an intervention.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InterventionNotBegun {
    /// Its name.
    pub intervention: String,
    /// When it was due, counted from the start of measuring.
    pub at: Duration,
}

impl FindingKind for InterventionNotBegun {
    const HEADING: &'static str = "Interventions that never began";

    fn is_like(&self, other: &Self) -> bool {
        self == other
    }

    fn say(found: &Group<'_, Self>) -> String {
        format!(
            "the load was over before the intervention {}, due {} into the measurement: name an \
             earlier time, or measure more",
            target_name(&found.first.intervention),
            numbers::duration(found.first.at),
        )
    }
}

/// An intervention was still under way when the load ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InterventionCutOff {
    /// Its name.
    pub intervention: String,
    /// Whether it is background work, which goes on; weighin has ended any other act.
    pub goes_on: bool,
    /// How long it had taken by then.
    pub seconds: f64,
}

impl FindingKind for InterventionCutOff {
    const HEADING: &'static str = "Interventions that were cut off";

    fn is_like(&self, other: &Self) -> bool {
        (&self.intervention, self.goes_on) == (&other.intervention, other.goes_on)
    }

    fn say(found: &Group<'_, Self>) -> String {
        let (least, most) = found.range(|cut| cut.seconds);
        let ended = match found.first.goes_on {
            true => "the server goes on with it",
            false => "weighin ended it",
        };
        format!(
            "the intervention {} was still under way when the load ended, {}\u{a0}s after it began; \
             {ended}, so that how long it takes is not known: a longer `duration` may show it",
            target_name(&found.first.intervention),
            range(least, most),
        )
    }
}

/// Background work that a server says it did, and that its counters do not show.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkNotSeen {
    /// The name of the intervention.
    pub intervention: String,
    pub work: BackgroundWork,
    /// What the server said.
    pub answer: Option<String>,
    /// Whether its counters would have shown it.
    pub would_show: bool,
}

impl FindingKind for WorkNotSeen {
    const HEADING: &'static str = "Background work that was not seen";

    fn is_like(&self, other: &Self) -> bool {
        self == other
    }

    fn say(found: &Group<'_, Self>) -> String {
        let Self { intervention, work, answer, would_show } = found.first;
        let work = match work {
            BackgroundWork::Snapshot => "a snapshot",
            BackgroundWork::LogRewrite => "a rewrite of its log",
        };
        let answer = answer.as_ref().map_or(String::new(), |said| format!(" with “{said}”"));
        let counters = match would_show {
            true => "show no such work",
            false => "do not report such work, so its cost is not known",
        };
        format!(
            "the server answered the intervention {}, {work},{answer}, but its counters {counters}",
            target_name(intervention)
        )
    }
}
