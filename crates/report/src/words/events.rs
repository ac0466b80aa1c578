//! What happened beside loads, and what background work cost, in words.

use analyse::{Changed, EventKind, ServerEvent};
use model::{ActResult, Mark, text};

/// The name of a kind, for tables and drawings.
pub(crate) fn event_kind(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Snapshot => "snapshot",
        EventKind::LogRewrite => "rewrite of the append-only file",
        EventKind::DelayedSync => "late syncs",
        EventKind::Intervention => "intervention",
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

/// What came of an intervention, in a word or two.
pub(crate) fn act_result(result: ActResult) -> &'static str {
    match result {
        ActResult::Done => "done",
        ActResult::Failed => "failed",
        ActResult::CutOff => "cut off at the end of the load",
    }
}

/// A mark with its time, what came of it, and what is to be said of it.
pub(crate) fn mark(mark: &Mark) -> String {
    let ended = mark.until_seconds.map_or(String::new(), |until| format!("–{until:.2}"));
    let result = mark.result.filter(|result| *result != ActResult::Done);
    let result = result.map_or(String::new(), |result| format!(", {}", act_result(result)));
    let note = mark.note.as_ref().map_or(String::new(), |note| format!(": {}", text::line(note)));
    format!("{}, {:.2}{ended} s{result}{note}", text::line(&mark.name), mark.at_seconds)
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
