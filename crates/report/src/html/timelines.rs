//! What happened within each trial, second by second.

use crate::numbers;
use crate::svg::{Line, Panel, PanelChart};
use analyse::{Analysis, Cell, TestAnalysis};
use maud::{Markup, html};
use model::{LoadResult, Phase, Sample, TrialRecord};

/// Points that the lines of all trials may have together, so that the page stays light.
const POINTS_OF_ALL: usize = 120_000;
/// Lines of one trial.
const LINES: usize = 4;

/// The section of all trials over time.
pub(super) fn section(analysis: &Analysis) -> Markup {
    let lines = LINES * analysis.dataset.trials.len().max(1);
    let most_points = (POINTS_OF_ALL / lines).clamp(16, 240);
    html! {
        section #time {
            h2 { "Over time" }
            p.caption {
                "Each trial second by second, warm-up shaded. Trials at one level share their axes, \
                 so that they compare by eye. Processors and disks are those of the host that \
                 weighin ran on: "
                span.swatch.busy {} " in use, " span.swatch.iowait {} " waiting for IO."
            }
            @for test in &analysis.tests {
                @if analysis.tests.len() > 1 { h3 { (test.test) } }
                @for level in levels(test) { (at_level(analysis, test, level, most_points)) }
            }
        }
    }
}

fn levels(test: &TestAnalysis) -> Vec<model::Level> {
    let mut levels: Vec<model::Level> = test.cells.iter().map(|cell| cell.level).collect();
    levels.sort_unstable();
    levels.dedup();
    levels
}

fn at_level(
    analysis: &Analysis,
    test: &TestAnalysis,
    level: model::Level,
    most_points: usize,
) -> Markup {
    let cells: Vec<&Cell> = test.cells.iter().filter(|cell| cell.level == level).collect();
    let records: Vec<&TrialRecord> = cells
        .iter()
        .flat_map(|cell| &cell.trials)
        .filter_map(|trial| analysis.dataset.trials.get(trial.record))
        .collect();
    let extent = Extent::of(&records);
    html! {
        details {
            summary { (level) ", " (numbers::counted(records.len(), "trial")) }
            div.timelines {
                @for record in records {
                    figure {
                        figcaption { strong { (record.key.target) } ", repeat " (record.key.repeat) }
                        @match record.load() {
                            Some(load) => (chart(record, load, &extent, most_points)),
                            None => p.bad { "✕ failed: " (record.failure().map_or("", |f| &f.message)) }
                        }
                    }
                }
            }
        }
    }
}

/// How far the axes of trials at one level reach.
struct Extent {
    seconds: f64,
    throughput: f64,
    writes: f64,
}

impl Extent {
    fn of(records: &[&TrialRecord]) -> Self {
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let intervals =
            || records.iter().filter_map(|record| record.load()).flat_map(|l| &l.intervals);
        Self {
            seconds: largest(&mut intervals().map(|i| (i.start + i.length).as_secs_f64())),
            throughput: largest(&mut intervals().filter_map(rate)),
            writes: largest(&mut records.iter().flat_map(|r| &r.sampling.samples).map(writes)),
        }
    }
}

/// Transactions per second of an interval; none for the sliver that may end a phase, whose rate
/// would be mostly chance.
fn rate(interval: &model::Interval) -> Option<f64> {
    let seconds = interval.length.as_secs_f64();
    (seconds >= 0.25).then(|| interval.transactions as f64 / seconds)
}

fn writes(sample: &Sample) -> f64 {
    sample.disks.iter().map(|disk| disk.writes).sum()
}

fn chart(record: &TrialRecord, load: &LoadResult, extent: &Extent, most_points: usize) -> Markup {
    let throughput = load.intervals.iter().filter_map(|interval| {
        let middle = interval.start.as_secs_f64() + interval.length.as_secs_f64() / 2.0;
        Some((middle, rate(interval)?))
    });
    let warm = load.intervals.iter().filter(|interval| interval.phase == Phase::Warmup);
    let sampled = |of: fn(&Sample) -> f64| -> Vec<(f64, f64)> {
        let samples = record.sampling.samples.iter();
        let middle = |sample: &Sample| sample.at_seconds - sample.length.as_secs_f64() / 2.0;
        samples
            .map(|sample| (middle(sample), of(sample)))
            .filter(|(at, _)| (0.0..=extent.seconds).contains(at))
            .collect()
    };
    let panel =
        |heading: &str, largest, lines| Panel { heading: heading.to_owned(), largest, lines };
    let mut panels = vec![panel(
        "transactions/s",
        extent.throughput,
        vec![Line { class: "load", points: throughput.collect() }],
    )];
    if !record.sampling.samples.is_empty() {
        panels.push(panel(
            "processors, %",
            100.0,
            vec![
                Line { class: "iowait", points: sampled(|s| s.cpu.iowait * 100.0) },
                Line { class: "busy", points: sampled(|s| s.cpu.busy() * 100.0) },
            ],
        ));
        panels.push(panel(
            "disk writes/s, all disks",
            extent.writes,
            vec![Line { class: "load", points: sampled(writes) }],
        ));
    }
    PanelChart {
        title: format!("{}: throughput, processors and disk writes over time", record.key),
        time: (0.0, extent.seconds),
        warmup_until: warm.map(|i| (i.start + i.length).as_secs_f64()).fold(0.0, f64::max),
        panels,
        most_points,
    }
    .draw()
}
