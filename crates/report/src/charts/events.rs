//! What servers did in the background, in drawings.

use crate::charts::svg::Band;
use crate::words;
use analyse::{Analysis, EventKind, TrialEvents};
use maud::{Markup, html};

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
pub(crate) fn legend(analysis: &Analysis) -> Markup {
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
