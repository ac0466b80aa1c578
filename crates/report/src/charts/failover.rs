//! Writes around the loss of a primary, trial by trial.

use super::timelines::marked;
use crate::charts::svg::{Band, Line, Panel, PanelChart};
use crate::{numbers, tables};
use analyse::{Analysis, TestAnalysis};
use maud::{Markup, html};
use model::{Metric, TimeSeries, TrialRecord};

/// Trials that are drawn openly; further ones stand folded.
const OPEN: usize = 6;
/// Seconds drawn before the primary was taken away.
const BEFORE: f64 = 2.0;
/// Points that a line may have.
const MOST_POINTS: usize = 400;

/// What the probe of each trial saw; `None` of other tests.
pub(crate) fn figures(analysis: &Analysis, test: &TestAnalysis) -> Option<Markup> {
    let trials = tables::failovers(analysis, test);
    let (open, folded) = trials.split_at(trials.len().min(OPEN));
    (!trials.is_empty()).then(|| {
        html! {
            p.caption {
                "Writes of the probe in steps of a tenth of a second; seconds from the start of the \
                 trial. Shaded in the colour of failures: the downtime, from the last write that was \
                 acknowledged before to the first one after. Grey: what was done, and when; each is \
                 named where the pointer rests on it."
            }
            div.timelines { @for record in open { (figure(record, &trials)) } }
            @if !folded.is_empty() {
                details {
                    summary { (numbers::counted(folded.len(), "further trial")) }
                    div.timelines { @for record in folded { (figure(record, &trials)) } }
                }
            }
        }
    })
}

fn figure(record: &TrialRecord, all: &[&TrialRecord]) -> Markup {
    html! {
        figure {
            figcaption { strong { (record.key.target) } ", repeat " (record.key.repeat) }
            (chart(record, all))
        }
    }
}

fn chart(record: &TrialRecord, all: &[&TrialRecord]) -> Markup {
    let from = (tables::taken_away(record) - BEFORE).max(0.0);
    let until = series(record).iter().map(TimeSeries::until_seconds).fold(from, f64::max);
    let mut bands: Vec<Band> = downtime(record).into_iter().collect();
    let marks = record.outcome().map_or(&[][..], |outcome| &outcome.marks);
    bands.extend(marks.iter().map(marked));
    let panel = |of: &TimeSeries| Panel {
        heading: format!("{}, {}", of.name, of.unit),
        largest: largest(all, &of.name),
        lines: vec![Line { class: class(of), points: of.points().collect() }],
        heat: None,
    };
    let mut panels: Vec<Panel> = series(record).iter().map(panel).collect();
    for line in panels.iter_mut().flat_map(|panel| &mut panel.lines) {
        line.points.retain(|(at, _)| (from..=until).contains(at));
    }
    PanelChart {
        title: format!("{}: writes around the failover", record.key),
        time: (from, until),
        unmeasured: Vec::new(),
        bands,
        panels,
        most_points: MOST_POINTS,
    }
    .draw(None)
}

fn class(series: &TimeSeries) -> &'static str {
    if series.name.starts_with("failed") { "failed" } else { "load" }
}

/// So that the panels of all trials compare by eye.
fn largest(all: &[&TrialRecord], name: &str) -> f64 {
    let named = all.iter().flat_map(|record| series(record)).filter(|series| series.name == name);
    named.flat_map(|series| series.values.iter().flatten().copied()).fold(0.0, f64::max)
}

fn series(record: &TrialRecord) -> &[TimeSeries] {
    record.outcome().map_or(&[], |outcome| &outcome.series)
}

fn downtime(record: &TrialRecord) -> Option<Band> {
    let outcome = record.outcome()?;
    let length = outcome.metric(Metric::Downtime)?.value;
    let until = tables::taken_away(record) + outcome.metric(Metric::FirstAccepted)?.value;
    let title = format!("downtime, {length:.3} s");
    Some(Band { class: "outage", time: (until - length, until), letter: None, title })
}
