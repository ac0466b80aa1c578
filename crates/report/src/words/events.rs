//! What servers did in the background, and what it cost, in words.

use super::metric::metric_name;
use crate::numbers::{self, bytes, count, figure, percent, range};
use analyse::{Change, Changed, EventCost, EventKind, ServerEvent, TriggerWithoutEffect};
use model::TriggerAnswer;
use stats::Estimate;

/// The name of a kind, for tables and drawings.
pub(crate) fn event_kind(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Snapshot => "snapshot",
        EventKind::AofRewrite => "rewrite of the append-only file",
        EventKind::DelayedFsync => "late syncs",
    }
}

/// From when until when, as far as is known: `10.00 s to 12.01–13.01 s`.
pub(crate) fn event_time(event: &ServerEvent) -> String {
    format!("{} to {}", began(event), ended(event))
}

/// When an event began: `10.00–11.00 s`.
pub(crate) fn began(event: &ServerEvent) -> String {
    match event.began {
        (None, latest) => format!("before {latest:.2}\u{a0}s"),
        (Some(earliest), latest) => moment(earliest, latest),
    }
}

/// When it ended.
pub(crate) fn ended(event: &ServerEvent) -> String {
    match event.ended {
        (earliest, None) => format!("after {earliest:.2}\u{a0}s"),
        (earliest, Some(latest)) => moment(earliest, latest),
    }
}

/// Two moments; one where they look the same.
fn moment(earliest: f64, latest: f64) -> String {
    let (from, until) = (format!("{earliest:.2}"), format!("{latest:.2}"));
    if from == until { format!("{from}\u{a0}s") } else { format!("{from}–{until}\u{a0}s") }
}

/// What a figure did in the seconds that an event touched, in a word or two.
pub(crate) fn changed(changed: Changed) -> &'static str {
    match changed {
        Changed::Higher => "higher",
        Changed::Lower => "lower",
        Changed::Same => "same within the margin",
        Changed::Unresolved => "not resolved",
    }
}

/// What one kind of background work cost in a cell.
pub(super) fn background(cost: &EventCost) -> String {
    let (seen, of) = cost.trials;
    let how_often = match cost.event {
        EventKind::Snapshot => numbers::counted(cost.events, "snapshot"),
        EventKind::AofRewrite => {
            format!("{} of the append-only file", numbers::counted(cost.events, "rewrite"))
        }
        EventKind::DelayedFsync => {
            let late = usize::try_from(cost.delayed).unwrap_or(usize::MAX);
            format!("{} of the append-only file", numbers::counted(late, "late sync"))
        }
    };
    let asked = match cost.triggered {
        0 => String::new(),
        all if all == cost.events => ", at weighin’s word".to_owned(),
        some => format!(", {} of them at weighin’s word", count(some as u64)),
    };
    let trials = format!("in {} of {}", count(seen as u64), numbers::counted(of, "trial"));
    let details: Vec<String> =
        [Some(lasted(cost)), forked(cost), copied(cost)].into_iter().flatten().collect();
    format!("{how_often} {trials}{asked}: {}; {}", details.join(", "), effect(cost))
}

/// How long one took. Counters are read once a second, so that this is no exact figure.
fn lasted(cost: &EventCost) -> String {
    let each = if cost.events == 1 { "it took" } else { "each took" };
    match cost.lasted_seconds {
        (_, Some(most)) if cost.event == EventKind::DelayedFsync => {
            format!("within {}\u{a0}s at most", figure(most))
        }
        (least, Some(most)) if least < 0.005 => {
            format!("{each} less than {}\u{a0}s", figure(most))
        }
        (least, Some(most)) => format!("{each} {}\u{a0}s", range(least, most)),
        (least, None) => {
            format!("{each} {}\u{a0}s or more, to beyond the load’s end", figure(least))
        }
    }
}

fn forked(cost: &EventCost) -> Option<String> {
    let (least, most) = cost.fork_ms?;
    Some(format!("the fork {}\u{a0}ms of that", range(least, most)))
}

fn copied(cost: &EventCost) -> Option<String> {
    let (least, most) = cost.cow_bytes.map(|(least, most)| (bytes(least), bytes(most)))?;
    let copied = if least == most { most } else { format!("{least} to {most}") };
    Some(format!("and {copied} of memory was copied because it changed meanwhile"))
}

/// How figures changed in the seconds that were touched.
fn effect(cost: &EventCost) -> String {
    let (touched, quiet) = cost.seconds;
    if touched <= 0.0 || cost.changes.is_empty() {
        return "there is no quiet second of measuring to hold against, so what it cost is not \
                known"
            .to_owned();
    }
    let said = |change: &Change| one_change(change, cost.margin);
    let mut changes: Vec<String> = cost.changes.iter().filter_map(said).collect();
    let unresolved = cost.changes.iter().filter(|change| change.changed == Changed::Unresolved);
    let unresolved: Vec<String> = unresolved
        .map(|change| format!("{} {}", metric_name(change.metric), ratio(&change.ratio)))
        .collect();
    if !unresolved.is_empty() {
        changes.push(format!("whether these changed is not known: {}", numbers::list(&unresolved)));
    }
    let longest = cost.longest_ms.map_or(String::new(), |(during, quiet)| {
        format!(
            "; the longest operation took {}\u{a0}ms, in quiet seconds {}\u{a0}ms",
            figure(during),
            figure(quiet),
        )
    });
    format!(
        "in the {}\u{a0}s that this touched, against {}\u{a0}s that were quiet, {}{longest}",
        figure(touched),
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

/// A trigger that led to nothing that was seen.
pub(super) fn without_effect(trouble: &TriggerWithoutEffect) -> String {
    let command = trouble.work.command();
    match &trouble.answer {
        TriggerAnswer::Refused(line) => {
            // Some of its lines are sentences, and this is the end of one.
            format!("the server refused {command}: {}", line.trim_end_matches('.'))
        }
        TriggerAnswer::Lost(why) => format!("{command} was sent, and no answer came: {why}"),
        TriggerAnswer::Accepted(line) if trouble.would_show => {
            format!(
                "the server answered {command} with “{line}”, and its counters show no such work"
            )
        }
        TriggerAnswer::Accepted(line) => format!(
            "the server answered {command} with “{line}”; its counters do not tell of such work, \
             so what it cost is not known"
        ),
    }
}

/// How background work is found and held against quiet seconds, for the methods.
pub(super) fn method() -> String {
    "Snapshots, rewrites of the append-only file and syncs of it that come late are found in the \
     server’s counters, which are read once a second: when one began and ended is known to lie \
     between two readings, and to the millisecond where weighin gave the command. The seconds that \
     it may have touched, which hold a little of what was quiet, are held against those that \
     nothing of the kind touched, trial by trial, by the rules of comparisons; trials that lost \
     connections or fell behind their rate are left out. The longest operation is what was seen, \
     and more seconds show longer ones."
        .to_owned()
}
