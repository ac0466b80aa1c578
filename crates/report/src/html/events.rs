//! Interventions, and what servers did in the background.

use super::layer::Layer;
use super::table;
use crate::svg::Band;
use crate::tables;
use crate::words;
use analyse::{Analysis, EventKind, TrialEvents};
use maud::{Markup, html};

/// Rows of single events that stand open; more are folded.
const MAX_OPEN: usize = 8;

/// The section; empty where nothing was seen.
pub(super) fn section(analysis: &Analysis) -> Markup {
    let Some(all) = tables::events(analysis) else { return html! {} };
    let content = html! {
            @if let Some(costs) = tables::event_costs(analysis) {
                p.caption {
                    "What figures did in the seconds that an event touched, against the quiet \
                     seconds of the same trials: a ratio below 1 is less."
                }
                (table::table(&costs))
            }
            @if all.rows.len() <= MAX_OPEN {
                h3 { "Every event" }
                (table::table(&all))
            } @else {
                details { summary { "All " (all.rows.len()) " events" } (table::table(&all)) }
            }
            p.caption {
                "Seconds count from the start of the load. A server’s counters are read about once \
                 a second, so that most beginnings and ends are known to lie between two readings."
            }
    };
    Layer::new("background", tables::EVENTS, "and what it cost").around(&content)
}

/// The class and the letter of a kind in drawings.
fn look(kind: EventKind) -> (&'static str, &'static str) {
    match kind {
        EventKind::Snapshot => ("event snapshot", "S"),
        EventKind::LogRewrite => ("event rewrite", "R"),
        EventKind::DelayedSync => ("event late", "F"),
        EventKind::Intervention => ("moment", "I"),
    }
}

/// The bands of the background work of a trial: the time that one may have taken, and over it the
/// time that it surely took. Interventions are marks.
pub(super) fn bands(trial: &TrialEvents) -> Vec<Band> {
    let mut bands = Vec::new();
    let work = trial.events.iter().filter(|event| event.kind != EventKind::Intervention);
    for event in work {
        let (class, letter) = look(event.kind);
        let title = format!("{}, {}", words::event_kind(event.kind), words::event_time(event));
        let time = (event.from(), event.until());
        bands.push(Band { class, time, letter: Some(letter), title: title.clone() });
        let surely = (event.began.1, event.ended.0);
        if surely.1 > surely.0 {
            bands.push(Band { class, time: surely, letter: None, title });
        }
    }
    bands
}

/// What the bands mean, of those kinds that there are.
pub(super) fn legend(analysis: &Analysis) -> Markup {
    let seen = |kind: EventKind| {
        let trials = analysis.tests.iter().flat_map(|test| &test.events.trials);
        trials.flat_map(|trial| &trial.events).any(|event| event.kind == kind)
    };
    let kinds: Vec<EventKind> =
        EventKind::BACKGROUND.into_iter().filter(|&kind| seen(kind)).collect();
    html! {
        @if !kinds.is_empty() {
            p.caption {
                "Background work of the server: "
                @for (number, &kind) in kinds.iter().enumerate() {
                    @let (class, letter) = look(kind);
                    @if number > 0 { ", " }
                    span class={ "patch " (class) } { (letter) } " " (words::event_kind(kind))
                }
                "; pale where it may have been running, darker where it was."
            }
        }
    }
}
