//! What happened within each trial over time.

use super::disk_panels::{self, DiskExtent, middle};
use super::drawn::{self, Drawn, cells_of, is_drawn, is_known};
use super::evidence::Evidence;
use super::{events, heat_maps};
use crate::charts::svg::{Band, Body, Frames, Line, Panel, PanelChart};
use crate::numbers;
use crate::view;
use crate::words;
use analyse::{
    Analysis, Cell, TestAnalysis, TrialAssessment, TrialEvents, Validity, percentile_ms,
};
use maud::{Markup, html};
use model::{Interval, LoadResult, Mark, Outage, Sample, Test, TrialRecord, UnitName, signal};
use std::time::Duration;

/// Points that the lines of all trials may have together, so that the page stays light.
const POINTS_OF_ALL: usize = 120_000;
/// Points of a line at the most.
const MOST_POINTS: usize = 240;
/// Lines of one trial.
const LINES: usize = 6 + disk_panels::LINES;
/// What the shades of heat maps are, from the palest.
const SHADES: [&str; 5] = ["h1", "h2", "h3", "h4", "h5"];

/// One trial of each target over time, where something runs beside the load for its own sake: the
/// first that counts. The others are in the section of all trials.
pub(crate) fn of_work(analysis: &Analysis, test: &TestAnalysis) -> Markup {
    let described = analysis.dataset.study.test(&test.test);
    if described.is_none_or(Test::is_of_load) {
        return html! {};
    }
    let first = |cell: &Cell| {
        let counts = cell.trials.iter().find(|trial| trial.validity != Validity::Void)?;
        let record = analysis.dataset.trials.get(counts.record).filter(|r| r.load().is_some())?;
        let seen = test.events.trials.iter().find(|seen| seen.record == counts.record);
        Some((record, seen))
    };
    let trials: Vec<(&TrialRecord, Option<&TrialEvents>)> =
        test.cells.iter().filter_map(first).take(drawn::MOST).collect();
    let records: Vec<&TrialRecord> = trials.iter().map(|(record, _)| *record).collect();
    let tail = Some(Tail { confidence: analysis.dataset.study.confidence });
    let extent = Extent::for_records(&records, tail);
    html! {
        (key(&records))
        div.timelines tabindex="0" {
            @for (record, seen) in trials {
                figure {
                    figcaption {
                        strong { (record.key.target) }
                        @if test.cells.iter().any(|cell| cell.level != record.key.level) {
                            ", " (record.key.level)
                        }
                        ", repeat " (record.key.repeat)
                    }
                    (chart((record, seen), &extent, view::counted(test), MOST_POINTS, None))
                }
            }
        }
    }
}

pub(crate) fn has_marks(record: &TrialRecord) -> bool {
    record.outcome().is_some_and(|outcome| !outcome.marks.is_empty())
}

/// What the shades of heat maps mean; nothing where there is none.
pub(crate) fn heat_key(analysis: &Analysis) -> Markup {
    html! {
        @if analysis.dataset.trials.iter().any(has_latencies) {
            p.caption {
                "Latency: how many operations of a second took how long (log scale), from one "
                @for shade in SHADES { span class={ "patch heat " (shade) } { "\u{a0}\u{a0}" } }
                " to the most of its trial; the shade follows the logarithm of the number."
            }
        }
    }
}

/// Whether the latencies of its seconds are known.
fn has_latencies(record: &TrialRecord) -> bool {
    let known =
        |load: &LoadResult| load.intervals.iter().any(|of| !of.latencies.recorded_ms().is_empty());
    record.load().is_some_and(known)
}

/// The trials of a test at a level, drawn.
pub(crate) struct DrawnLevel {
    /// Which level, and how many trials.
    pub(crate) title: String,
    pub(crate) charts: Markup,
}

/// The chosen trials of a test at a level; `None` where none of them can be drawn.
pub(crate) fn at_level(
    analysis: &Analysis,
    test: &TestAnalysis,
    level: model::Level,
    chosen: &Drawn,
    frames: &mut Frames,
    evidence: &Evidence,
) -> Option<DrawnLevel> {
    let drawn = chosen.count(analysis.dataset.trials.len());
    let most_points = (POINTS_OF_ALL / (LINES * drawn.max(1))).clamp(16, MOST_POINTS);
    let cells: Vec<&Cell> = cells_of(test).filter(|cell| cell.level == level).collect();
    let find = |trial: &TrialAssessment| {
        let record = analysis.dataset.trials.get(trial.record)?;
        let seen = test.events.trials.iter().find(|seen| seen.record == trial.record);
        Some((record, seen))
    };
    let trials: Vec<(&TrialRecord, Option<&TrialEvents>)> = cells
        .iter()
        .flat_map(|cell| &cell.trials)
        .filter(|trial| chosen.has(trial.record))
        .filter_map(find)
        .filter(|(record, _)| is_drawn(record))
        .collect();
    let records: Vec<&TrialRecord> = trials.iter().map(|(record, _)| *record).collect();
    if records.is_empty() {
        return None;
    }
    let eventful = trials.iter().any(|(_, seen)| seen.is_some());
    let latencies = eventful.then_some(Tail { confidence: analysis.dataset.study.confidence });
    let extent = Extent::for_records(&records, latencies);
    let all: usize = cells.iter().map(|cell| cell.trials.len()).sum();
    let some = match records.len() {
        drawn if drawn < all => format!("{} of ", numbers::count(drawn as u64)),
        _ => String::new(),
    };
    let charts = html! {
        (key(&records))
        div.timelines tabindex="0" {
            @for (record, seen) in trials {
                figure id=[evidence.drawing(record.position)] {
                    figcaption {
                        strong { (record.key.target) } ", "
                        @if let Some(row) = evidence.row(record.position) {
                            a href={ "#" (row) } { "repeat " (record.key.repeat) }
                        } @else { "repeat " (record.key.repeat) }
                    }
                    @if let Some(failure) = record.failure() {
                        @if failure.is_not_offered() {
                            p { "Not offered" }
                        } @else {
                            p.bad { "✕ " a href="#findings" { "failed" } ": " (words::failure_kind(failure.kind)) }
                        }
                    }
                    @if is_known(record) {
                        (chart((record, seen), &extent, view::counted(test), most_points, Some(frames)))
                    }
                }
            }
        }
    };
    Some(DrawnLevel { title: format!("{level}, {some}{}", numbers::counted(all, "trial")), charts })
}

/// What stands beside the words of a key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KeySample {
    /// A line of this class.
    Line(&'static str),
    /// A stretch of time, of this class on a page and of that one in a drawing.
    Stretch(&'static str, &'static str),
    /// The shades of a heat map, of which a page says more.
    Shades,
}

/// What the lines and shades of these charts are; of one line in a panel its heading says it.
pub(crate) fn key_entries(records: &[&TrialRecord]) -> Vec<(KeySample, &'static str)> {
    let any = |of: &dyn Fn(&TrialRecord) -> bool| records.iter().any(|record| of(record));
    let has_processors =
        any(&|record| record.sampling.target_samples().iter().any(|sample| sample.cpu.is_known()));
    let has_disks = any(&|record| !record.sampling.target_disks().is_empty());
    let has_outage = any(&|record| record.load().is_some_and(|load| !load.outages.is_empty()));
    let entries = [
        (true, KeySample::Stretch("warm", "warmup"), "warm-up"),
        (any(&has_latencies), KeySample::Shades, "latency: the darker, the more operations"),
        (has_processors, KeySample::Line("busy"), "processors in use"),
        (has_processors, KeySample::Line("iowait"), "waiting for IO"),
        (has_disks, KeySample::Line("write"), "writes, mean %util"),
        (has_disks, KeySample::Line("read"), "reads, busiest disk"),
        (has_outage, KeySample::Stretch("down", "outage"), "outage"),
        (any(&has_marks), KeySample::Stretch("mark-of", "moment"), "intervention or other mark"),
    ];
    entries
        .into_iter()
        .filter_map(|(is_there, sample, text)| is_there.then_some((sample, text)))
        .collect()
}

/// The same on a page.
fn key(records: &[&TrialRecord]) -> Markup {
    html! {
        ul.legend {
            @for (sample, text) in key_entries(records) {
                @match sample {
                    KeySample::Line(class) => li { span class={ "swatch " (class) } {} " " (text) },
                    KeySample::Stretch(class, _) => li { span class={ "patch " (class) } {} " " (text) },
                    KeySample::Shades => {}
                }
            }
        }
    }
}

/// What the axes of trials at one level have in common.
struct Extent {
    seconds: f64,
    throughput: f64,
    disks: DiskExtent,
    dirty: f64,
    lag: f64,
    /// Where background work was seen, which shows in the longest latencies.
    tail: Option<Tail>,
    p99: f64,
    longest: f64,
    /// The shortest and the longest latency, in milliseconds.
    latency: Option<(f64, f64)>,
}

/// How the longest latencies of a second are read.
#[derive(Clone, Copy)]
struct Tail {
    /// With which a percentile must have an interval.
    confidence: f64,
}

impl Tail {
    fn p99(self, interval: &Interval) -> Option<f64> {
        percentile_ms(&interval.latencies.unpack(), 99.0, self.confidence)
    }

    fn longest(self, interval: &Interval) -> Option<f64> {
        interval.latencies.unpack().max_ms()
    }
}

impl Extent {
    fn for_records(records: &[&TrialRecord], tail: Option<Tail>) -> Self {
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let loads = || records.iter().filter_map(|record| record.load());
        let intervals = || loads().flat_map(|load| &load.intervals);
        let samples = || records.iter().flat_map(|record| &record.sampling.samples);
        // Sampling goes on a little after a load. Of imported trials nothing but samples is known.
        let sampled = records.iter().filter(|record| record.load().is_none());
        let sampled = sampled.flat_map(|record| &record.sampling.samples);
        let mut ends = intervals()
            .map(|i| (i.start + i.length).as_secs_f64())
            .chain(sampled.map(|sample| sample.at_seconds));
        Self {
            seconds: largest(&mut ends),
            throughput: largest(&mut intervals().filter_map(rate)),
            dirty: largest(&mut samples().filter_map(dirty_mib)),
            lag: largest(&mut samples().filter_map(lag_seconds)),
            p99: largest(&mut intervals().filter_map(|i| tail?.p99(i))),
            longest: largest(&mut intervals().filter_map(|i| tail?.longest(i))),
            tail,
            latency: heat_maps::extent(records),
            disks: DiskExtent::for_records(records),
        }
    }
}

/// Operations per second of an interval; none for the sliver that may end a phase, whose rate
/// would be mostly chance.
fn rate(interval: &Interval) -> Option<f64> {
    let seconds = interval.length.as_secs_f64();
    (seconds >= 0.25).then(|| interval.transactions as f64 / seconds)
}

/// Changed data that the target has yet to write, in MiB: a backlog that a trial may leave behind.
fn dirty_mib(sample: &Sample) -> Option<f64> {
    let bytes = sample.counters.as_ref()?.get(signal::DIRTY_BYTES)?;
    Some(*bytes as f64 / f64::from(1 << 20))
}

/// How far the replica that is furthest behind is behind its primary, in seconds.
fn lag_seconds(sample: &Sample) -> Option<f64> {
    let millis = sample.counters.as_ref()?.get(signal::REPLICA_LAG)?;
    Some(*millis as f64 / 1e3)
}

fn chart(
    (record, seen): (&TrialRecord, Option<&TrialEvents>),
    extent: &Extent,
    counted: UnitName,
    most_points: usize,
    frames: Option<&mut Frames>,
) -> Markup {
    panel_chart((record, seen), extent, counted, most_points).draw(frames)
}

/// The panels of a trial for a file of their own.
pub(crate) fn plain(analysis: &Analysis, test: &TestAnalysis, record: usize) -> Option<Body> {
    let seen = test.events.trials.iter().find(|seen| seen.record == record);
    let record = analysis.dataset.trials.get(record).filter(|record| is_known(record))?;
    let tail = seen.map(|_| Tail { confidence: analysis.dataset.study.confidence });
    let extent = Extent::for_records(&[record], tail);
    Some(panel_chart((record, seen), &extent, view::counted(test), MOST_POINTS).body())
}

fn panel_chart(
    (record, seen): (&TrialRecord, Option<&TrialEvents>),
    extent: &Extent,
    counted: UnitName,
    most_points: usize,
) -> PanelChart {
    let mut panels = Vec::new();
    let mut shown = Vec::new();
    let mut bands = seen.map(events::bands).unwrap_or_default();
    let mut unmeasured = Vec::new();
    if let Some(load) = record.load() {
        panels.push(throughput(load, extent, counted));
        panels.extend(heat(load, extent));
        panels.extend(extent.tail.map(|tail| latencies(load, extent, tail)).into_iter().flatten());
        shown.push("throughput and latency");
        unmeasured = heat_maps::unmeasured(load);
        bands.extend(load.outages.iter().map(|outage| down(outage, extent)));
    }
    let marks = record.outcome().map_or(&[][..], |outcome| &outcome.marks);
    bands.extend(marks.iter().map(marked));
    shown.push("processors and disks");
    panels.extend(sampled_panels(record, extent));
    // Nothing is drawn of what is not known.
    panels.retain(|panel| {
        panel.heat.is_some() || panel.lines.iter().any(|line| !line.points.is_empty())
    });
    PanelChart {
        title: format!("{}: {} over time", record.key, shown.join(", ")),
        time: (0.0, extent.seconds),
        unmeasured,
        bands,
        panels,
        most_points,
    }
}

fn throughput(load: &LoadResult, extent: &Extent, counted: UnitName) -> Panel {
    per_second(load, &format!("{counted}/s"), extent.throughput, &rate)
}

/// How many operations took how long; nothing where none succeeded.
fn heat(load: &LoadResult, extent: &Extent) -> Option<Panel> {
    let map = heat_maps::heat_map(load, extent.seconds, extent.latency?, heat_maps::OF_PANEL)?;
    Some(Panel { heading: "latency, ms".to_owned(), heat: Some(map), ..Panel::default() })
}

/// The longest latencies of each second: a stall of a few milliseconds shows in nothing else.
fn latencies(load: &LoadResult, extent: &Extent, tail: Tail) -> [Panel; 2] {
    [
        per_second(load, "p99 latency, ms", extent.p99, &|interval| tail.p99(interval)),
        per_second(load, "longest operation, ms", extent.longest, &|i| tail.longest(i)),
    ]
}

fn per_second(
    load: &LoadResult,
    heading: &str,
    largest: f64,
    of: &dyn Fn(&Interval) -> Option<f64>,
) -> Panel {
    let mut lines: Vec<Line> = Vec::new();
    let mut end = Duration::ZERO;
    for interval in &load.intervals {
        // While others had their turn, it did nothing.
        if lines.is_empty() || interval.start > end {
            lines.push(Line { class: "load", points: Vec::new() });
        }
        end = interval.start + interval.length;
        let middle = interval.start.as_secs_f64() + interval.length.as_secs_f64() / 2.0;
        if let (Some(line), Some(value)) = (lines.last_mut(), of(interval)) {
            line.points.push((middle, value));
        }
    }
    Panel { heading: heading.to_owned(), largest, lines, heat: None }
}

/// From when until when nothing succeeded; to the end of the axis where that is how it stayed.
fn down(outage: &Outage, extent: &Extent) -> Band {
    let from = outage.first_error.as_secs_f64();
    let until = outage.first_success.map_or(extent.seconds, |at| at.as_secs_f64());
    let title = format!("outage, {from:.2}–{until:.2} s");
    Band { class: "outage", time: (from, until), letter: None, title }
}

/// A moment is as wide as can be seen.
pub(super) fn marked(mark: &Mark) -> Band {
    let from = mark.at_seconds;
    let until = mark.until_seconds.unwrap_or(from);
    Band { class: "moment", time: (from, until), letter: None, title: words::mark(mark) }
}

/// Panels of what may have been sampled.
fn sampled_panels(record: &TrialRecord, extent: &Extent) -> Vec<Panel> {
    // Counters are read from the machine that makes the load, processors where the target is.
    let of = |samples: &[Sample], class, of: &dyn Fn(&Sample) -> Option<f64>| Line {
        class,
        points: samples.iter().filter_map(|s| Some((middle(s), of(s)?))).collect(),
    };
    let line = |class, figure: &dyn Fn(&Sample) -> Option<f64>| {
        of(&record.sampling.samples, class, figure)
    };
    let on_target = |class, figure: &dyn Fn(&Sample) -> Option<f64>| {
        of(&record.sampling.target_samples(), class, figure)
    };
    let mut panels = vec![Panel {
        heading: "replication lag, s".to_owned(),
        largest: extent.lag,
        lines: vec![line("load", &lag_seconds)],
        heat: None,
    }];
    panels.push(Panel {
        heading: "processors, %".to_owned(),
        largest: 100.0,
        lines: vec![
            on_target("iowait", &|s| s.cpu.is_known().then_some(s.cpu.iowait * 100.0)),
            on_target("busy", &|s| s.cpu.is_known().then_some(s.cpu.busy() * 100.0)),
        ],
        heat: None,
    });
    panels.extend(extent.disks.panels(record));
    panels.push(Panel {
        heading: "dirty data, MiB".to_owned(),
        largest: extent.dirty,
        lines: vec![line("load", &dirty_mib)],
        heat: None,
    });
    // Sampling goes on a little after the load.
    let lines = panels.iter_mut().flat_map(|panel| &mut panel.lines);
    lines.for_each(|line| line.points.retain(|(at, _)| (0.0..=extent.seconds).contains(at)));
    panels
}
