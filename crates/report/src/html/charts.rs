//! From a test's cells to its charts.

use super::overlays;
use crate::level_axis::{LevelAxis, overloaded};
use crate::svg::{
    self, IntervalChart, LineChart, Overlays, Point, Row, Series, Size, Value, VerticalAxis,
};
use crate::view::{self, Tally};
use crate::{numbers, words};
use analyse::{Analysis, Cell, TestAnalysis};
use maud::{Markup, html};
use stats::{Estimate, IntervalMethod};

/// A figure that is drawn against level.
struct Figure {
    id: &'static str,
    heading: fn(LevelAxis) -> String,
    unit: fn(&TestAnalysis) -> String,
    axis: VerticalAxis,
    better: &'static str,
    of: fn(&Cell) -> Option<Estimate>,
    /// Why it is missing although the cell has trials that count.
    withheld: fn(&Cell) -> Option<String>,
}

const FIGURES: [Figure; 2] = [
    Figure {
        id: "throughput",
        heading: |_| "Throughput".to_owned(),
        unit: |test| format!("{}/s", view::counted(test)),
        axis: VerticalAxis::FromZero,
        better: "higher is better",
        of: |cell| cell.throughput,
        withheld: |_| None,
    },
    Figure {
        id: "latency",
        heading: |axis| format!("95th percentile of {}", axis.latency()),
        unit: |_| "ms".to_owned(),
        axis: VerticalAxis::Log,
        better: "lower is better",
        of: |cell| cell.latency_p95_ms,
        withheld: overloaded,
    },
];

/// Figures that only imported results have, or that they may have in place of the others.
const IMPORTED: [Figure; 2] = [
    Figure {
        id: "elapsed",
        heading: |_| "Time taken".to_owned(),
        unit: |_| "s".to_owned(),
        axis: VerticalAxis::FromZero,
        better: "lower is better",
        of: |cell| cell.elapsed_s,
        withheld: |_| None,
    },
    Figure {
        id: "mean-latency",
        heading: |axis| format!("Mean {}", axis.latency()),
        unit: |_| "ms".to_owned(),
        axis: VerticalAxis::Log,
        better: "lower is better",
        of: |cell| cell.latency_mean_ms,
        withheld: |_| None,
    },
];

/// What is drawn of a test: of imported results what they have of at least two cells.
fn drawn(analysis: &Analysis, test: &TestAnalysis) -> Vec<&'static Figure> {
    let several =
        |figure: &&Figure| test.cells.iter().filter_map(|cell| (figure.of)(cell)).count() > 1;
    if view::imported(analysis) {
        FIGURES.iter().chain(&IMPORTED).filter(several).collect()
    } else {
        FIGURES.iter().collect()
    }
}

/// The main charts of the test of that number.
pub(super) fn charts(analysis: &Analysis, test: &TestAnalysis, number: usize) -> Markup {
    let axis = LevelAxis::of(test);
    let mut levels: Vec<u32> = test.cells.iter().map(|cell| axis.number(cell.level)).collect();
    levels.sort_unstable();
    levels.dedup();
    let figures = drawn(analysis, test);
    if figures.is_empty() {
        return html! {};
    }
    html! {
        div.figures {
            @for figure in figures {
                figure {
                    figcaption {
                        strong { ((figure.heading)(axis)) } ", " ((figure.unit)(test))
                        @if figure.axis == VerticalAxis::Log && levels.len() > 1 { " (log scale)" }
                        span.hint { (figure.better) }
                    }
                    @if levels.len() > 1 { (against_level(analysis, test, number, &levels, figure)) }
                    @else { (at_one_level(analysis, test, number, figure)) }
                }
            }
        }
        (caption(analysis, test))
    }
}

/// What points, bands and marks mean, of those that there are.
fn caption(analysis: &Analysis, test: &TestAnalysis) -> Markup {
    let intervals = || test.cells.iter().filter_map(|cell| cell.throughput?.interval);
    let hollow = |cell: &Cell| cell.throughput.is_some() && Tally::of(analysis, [cell]).in_doubt();
    html! {
        p.caption {
            @if !test.ranking.as_printed.is_empty() {
                "Points are figures as printed. "
            } @else {
                "Points are medians over the repeats. "
            }
            @if intervals().next().is_some() {
                "Bands and whiskers are " (numbers::percent(analysis.dataset.study.confidence))
                " intervals. "
            }
            @if intervals().any(|interval| interval.method == IntervalMethod::StudentLog) {
                (words::few_repeats(analysis)) " "
            }
            (overlays::caption(analysis, test))
            @if test.cells.iter().any(hollow) {
                "A hollow mark rests on trials of which some are suspect, or were lost. "
            }
            @if test.cells.iter().any(|cell| view::why_empty(analysis, cell).is_some()) {
                "A cross marks a level at which every trial of a target failed or is void. "
            }
            @if test.cells.iter().any(|cell| cell.overloaded > 0) {
                "A target that fell behind the offered rate has a cross in place of a response time."
            }
        }
    }
}

fn against_level(
    analysis: &Analysis,
    test: &TestAnalysis,
    number: usize,
    levels: &[u32],
    figure: &Figure,
) -> Markup {
    let level = LevelAxis::of(test);
    let (heading, unit) = ((figure.heading)(level), (figure.unit)(test));
    let chart = LineChart {
        id: format!("{}-{number}", figure.id),
        title: format!("{heading} in {unit} against {}, {}", level.name(), test.test),
        level,
        unit,
        axis: figure.axis,
        levels: levels.iter().copied().map(f64::from).collect(),
        series: analysis
            .dataset
            .study
            .targets
            .iter()
            .map(|target| series(analysis, test, &target.name, figure))
            .collect(),
        overlays: if figure.id == "throughput" {
            overlays::of_throughput(analysis, test)
        } else {
            Overlays::default()
        },
    };
    html! {
        (legend(analysis, chart.needs_legend()))
        (chart.draw(Size::Wide))
        (chart.draw(Size::Narrow))
    }
}

fn series(analysis: &Analysis, test: &TestAnalysis, target: &str, figure: &Figure) -> Series {
    let mut cells: Vec<&Cell> = test.cells.iter().filter(|cell| cell.target == target).collect();
    cells.sort_by_key(|cell| cell.level);
    let point = |cell: &Cell| Point {
        x: LevelAxis::of(test).number(cell.level).into(),
        value: (figure.of)(cell).map(|estimate| value(analysis, cell, &estimate)),
        gap: view::why_empty(analysis, cell).or_else(|| (figure.withheld)(cell)),
    };
    Series { name: target.to_owned(), points: cells.into_iter().map(point).collect() }
}

fn value(analysis: &Analysis, cell: &Cell, estimate: &Estimate) -> Value {
    Value {
        y: estimate.point,
        bounds: estimate.interval.map(|i| (i.low, i.high)),
        doubtful: Tally::of(analysis, [cell]).in_doubt(),
    }
}

/// All targets in one row each: a curve of one point is no curve.
fn at_one_level(
    analysis: &Analysis,
    test: &TestAnalysis,
    number: usize,
    figure: &Figure,
) -> Markup {
    let rows = test.cells.iter().filter_map(|cell| {
        let value = value(analysis, cell, &(figure.of)(cell)?);
        Some(Row {
            series: view::series(analysis, &cell.target),
            name: cell.target.clone(),
            value: value.y,
            bounds: value.bounds,
            doubtful: value.doubtful,
        })
    });
    let rows: Vec<Row> = rows.collect();
    if rows.is_empty() {
        let mut why = test
            .cells
            .iter()
            .filter_map(|cell| view::why_empty(analysis, cell).or_else(|| (figure.withheld)(cell)));
        return html! { p.caption { (why.next().unwrap_or_else(|| "no data".to_owned())) } };
    }
    IntervalChart {
        id: format!("{}-{number}", figure.id),
        title: format!(
            "{} in {}, {}",
            (figure.heading)(LevelAxis::of(test)),
            (figure.unit)(test),
            test.test
        ),
        rows,
    }
    .draw()
}

/// The key to the targets; on wide pages only where the labels beside the lines don't suffice.
fn legend(analysis: &Analysis, always: bool) -> Markup {
    html! {
        ul class={ "legend" @if !always { " narrow" } } {
            @for (i, target) in analysis.dataset.study.targets.iter().enumerate() {
                li { (svg::key(i)) (target.name) }
            }
        }
    }
}
