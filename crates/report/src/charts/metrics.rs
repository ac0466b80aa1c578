//! From a test's cells to its charts.

use super::overlays;
use crate::charts::svg::{
    self, HorizontalAxis, IntervalChart, LineChart, Overlays, Point, Repeat, Row, Series, Size,
    Value, VerticalAxis,
};
use crate::level_axis::{LevelAxis, overloaded};
use crate::view::{self, Tally};
use crate::{numbers, words};
use analyse::{Analysis, Cell, Metric, TestAnalysis, Validity};
use maud::{Markup, html};
use model::{Better, Derivation};
use stats::{Estimate, IntervalMethod};

/// Most targets of a crowded test of one level that have a row.
const MOST_ROWS: usize = 10;
/// Most targets of a crowded test that are drawn in colour.
const MAX_COLOURED: usize = 6;

/// A metric with what its chart needs.
struct Chart {
    metric: Metric,
    heading: String,
    unit: String,
    axis: VerticalAxis,
}

impl Chart {
    fn for_metric(test: &TestAnalysis, metric: Metric) -> Self {
        let latency = LevelAxis::for_test(test).latency();
        let heading = match metric.entry().derivation {
            Some(Derivation::Mean) => format!("Mean {latency}"),
            Some(Derivation::Percentile(p)) => format!("{p}th percentile of {latency}"),
            _ => words::capitalised(words::metric_name(metric)),
        };
        let axis = if metric.is_latency() { VerticalAxis::Log } else { VerticalAxis::FromZero };
        Self { metric, heading, unit: words::unit(metric, view::counted(test)), axis }
    }

    fn id(&self, number: usize) -> String {
        format!("{}-{number}", self.metric.entry().id)
    }

    fn hint(&self) -> &'static str {
        match self.metric.better() {
            Better::More => "higher is better",
            Better::Less => "lower is better",
            Better::Neither => "",
        }
    }

    /// Why it is missing although a cell has trials that count.
    fn withheld(&self, cell: &Cell) -> Option<String> {
        overloaded(cell).filter(|_| self.metric.is_latency())
    }
}

/// What is drawn of what a load did while something was done to its target: the other figures stand
/// in a table.
const OF_PARTS: [Metric; 2] = [Metric::ThroughputKept, Metric::LongestBlocked];

/// What is drawn of a test: of a load throughput and one percentile; of other tests what at least
/// two cells have, without what is neither good nor bad and without further percentiles.
fn drawn(analysis: &Analysis, test: &TestAnalysis) -> Vec<Chart> {
    let has_levels = view::has_levels(analysis, test);
    let is_drawn = |metric: &&Metric| match metric {
        Metric::Throughput | Metric::LatencyP95 if has_levels => true,
        Metric::LatencyP50 | Metric::LatencyP99 => false,
        metric if metric.is_of_part() && !OF_PARTS.contains(metric) => false,
        metric if metric.resource().is_some() => false,
        metric => !has_levels && metric.better() != Better::Neither && is_to_see(test, **metric),
    };
    Metric::ALL.iter().filter(is_drawn).map(|&metric| Chart::for_metric(test, metric)).collect()
}

/// Whether several cells have it, and not all of them zero: a table says as much.
fn is_to_see(test: &TestAnalysis, metric: Metric) -> bool {
    let cells = test.cells.iter().filter_map(|cell| cell.estimate(metric));
    let points: Vec<f64> = cells.map(|estimate| estimate.point).collect();
    points.len() > 1 && points.iter().any(|&point| point != 0.0)
}

/// What an operation takes, as far as it is drawn: of few targets, each resource of which several cells tell.
fn drawn_resources(test: &TestAnalysis) -> Vec<Chart> {
    if view::is_crowded(test) {
        return Vec::new();
    }
    let drawn = Metric::of_resources().filter(|&metric| is_to_see(test, metric));
    drawn.map(|metric| Chart::for_metric(test, metric)).collect()
}

/// What an operation takes, each resource in a small chart; `None` where nothing is drawn.
pub(crate) fn resources(analysis: &Analysis, test: &TestAnalysis, number: usize) -> Option<Markup> {
    let charts = drawn_resources(test);
    let levels = numbers_of_levels(test);
    let is_curve = levels.len() > 1;
    let chart = |chart: &Chart| match is_curve {
        true => line_chart(analysis, (test, number), &levels, chart).draw(Size::Narrow),
        false => at_one_level(analysis, test, number, chart),
    };
    (!charts.is_empty()).then(|| {
        html! {
            @if is_curve { (legend(analysis, test, true)) }
            div.multiples {
                @for one in &charts {
                    figure {
                        figcaption {
                            strong { (one.heading) }
                            @if !one.unit.is_empty() { ", " (one.unit) }
                        }
                        (chart(one))
                    }
                }
            }
        }
    })
}

/// The number of the test whose first chart stands on the first screen.
fn main_test(analysis: &Analysis) -> Option<usize> {
    let is_drawn = |test: &TestAnalysis| {
        let metric = drawn(analysis, test).first().map(|chart| chart.metric);
        let known = |metric| test.cells.iter().any(|cell| cell.estimate(metric).is_some());
        test.basis.is_some() && metric.is_some_and(known)
    };
    analysis.tests.iter().position(is_drawn)
}

/// The chart of the first screen.
pub(crate) fn main(analysis: &Analysis) -> Option<Markup> {
    let number = main_test(analysis)?;
    let test = &analysis.tests[number];
    let chart = drawn(analysis, test).into_iter().next()?;
    let name = (analysis.tests.len() > 1).then_some(test.test.as_str());
    Some(figure(analysis, (test, number), &chart, name))
}

/// The charts of the test of that number, but for one that stands on the first screen.
pub(crate) fn charts(analysis: &Analysis, test: &TestAnalysis, number: usize) -> Markup {
    let skipped = usize::from(main_test(analysis) == Some(number));
    html! {
        div.figures {
            @for chart in drawn(analysis, test).iter().skip(skipped) {
                (figure(analysis, (test, number), chart, None))
            }
        }
    }
}

/// A chart with its heading, which names the test where that is not clear.
fn figure(
    analysis: &Analysis,
    (test, number): (&TestAnalysis, usize),
    chart: &Chart,
    name: Option<&str>,
) -> Markup {
    let levels = numbers_of_levels(test);
    html! {
        figure {
            figcaption {
                @if let Some(name) = name { (name) ": " }
                strong { (chart.heading) }
                @if !chart.unit.is_empty() { ", " (chart.unit) }
                @if chart.axis == VerticalAxis::Log && levels.len() > 1 { " " span.scale { "(log scale)" } }
                @if levels.len() == 1 && view::is_crowded(test) { ", the first " (MOST_ROWS) " targets" }
                span.hint { (chart.hint()) }
            }
            @if levels.len() > 1 { (against_level(analysis, test, number, &levels, chart)) }
            @else { (at_one_level(analysis, test, number, chart)) }
        }
    }
}

/// What points, bands and marks mean, of those that there are; `None` where nothing is drawn.
pub(crate) fn how_to_read(analysis: &Analysis) -> Option<String> {
    main_test(analysis)?;
    let tests = || analysis.tests.iter();
    let cells = || tests().flat_map(|test| &test.cells);
    let intervals = || cells().filter_map(|cell| cell.estimate(Metric::Throughput)?.interval);
    let hollow = |cell: &Cell| {
        cell.estimate(Metric::Throughput).is_some() && Tally::for_cells(analysis, [cell]).in_doubt()
    };
    let once = tests().all(|test| !test.ranking.measured_once.is_empty());
    let confidence = numbers::percent(analysis.dataset.study.confidence);
    let bands = format!(
        "Bands and whiskers are {confidence} intervals; one that goes far beyond all points ends in an \
         arrow."
    );
    let by_student = |interval: stats::Interval| interval.method == IntervalMethod::StudentLog;
    let (laws, crossings) = overlays::captions(analysis);
    let empty = |cell: &Cell| view::why_empty(analysis, cell).is_some();
    let said = [
        Some(match once {
            true => "Each point was measured once.".to_owned(),
            false => "Points are medians over the repeats.".to_owned(),
        }),
        intervals().next().map(|_| bands),
        says(cells().any(|cell| cell.trials.len() > 1), "Every repeat is a small dot."),
        intervals().any(by_student).then(|| words::few_repeats(analysis)),
        laws,
        crossings,
        says(
            cells().any(hollow),
            "A hollow mark rests on trials some of which are suspect or were lost.",
        ),
        says(
            cells().any(empty),
            "A cross marks a level at which every trial of a target failed or is void.",
        ),
        says(
            cells().any(|cell| cell.overloaded > 0),
            "A target that fell behind the offered rate has a cross in place of a response time.",
        ),
    ];
    Some(said.into_iter().flatten().collect::<Vec<String>>().join(" "))
}

fn says(holds: bool, sentence: &str) -> Option<String> {
    holds.then(|| sentence.to_owned())
}

fn against_level(
    analysis: &Analysis,
    test: &TestAnalysis,
    number: usize,
    levels: &[u32],
    figure: &Chart,
) -> Markup {
    let chart = line_chart(analysis, (test, number), levels, figure);
    html! {
        (legend(analysis, test, chart.needs_legend()))
        (chart.draw(Size::Wide))
        (chart.draw(Size::Narrow))
    }
}

fn line_chart(
    analysis: &Analysis,
    (test, number): (&TestAnalysis, usize),
    levels: &[u32],
    figure: &Chart,
) -> LineChart {
    let level = LevelAxis::for_test(test);
    let Chart { heading, unit, .. } = figure;
    LineChart {
        id: figure.id(number),
        title: format!("{heading} in {unit} against {}, {}", level.name(), test.test),
        horizontal: HorizontalAxis::Level(level),
        unit: unit.clone(),
        axis: figure.axis,
        levels: levels.iter().copied().map(f64::from).collect(),
        series: analysis
            .dataset
            .study
            .targets
            .iter()
            .map(|target| series(analysis, test, &target.name, figure))
            .collect(),
        overlays: if figure.metric == Metric::Throughput {
            overlays::of_throughput(analysis, test)
        } else {
            Overlays::default()
        },
    }
}

fn series(analysis: &Analysis, test: &TestAnalysis, target: &str, figure: &Chart) -> Series {
    let mut cells: Vec<&Cell> = test.cells.iter().filter(|cell| cell.target == target).collect();
    cells.sort_by_key(|cell| cell.level);
    let point = |cell: &Cell| Point {
        x: LevelAxis::for_test(test).number(cell.level).into(),
        value: cell
            .estimate(figure.metric)
            .map(|estimate| value(analysis, cell, figure.metric, &estimate)),
        gap: view::why_empty(analysis, cell).or_else(|| figure.withheld(cell)),
    };
    let points = cells.into_iter().map(point).collect();
    Series { name: target.to_owned(), points, is_faint: !stands_out(test, target) }
}

/// Whether a target is drawn in colour: of a crowded test the first of the ranking are.
pub(crate) fn stands_out(test: &TestAnalysis, target: &str) -> bool {
    let mut first = view::ranked(test).take(MAX_COLOURED);
    !view::is_crowded(test) || first.any(|place| place.target == target)
}

fn value(analysis: &Analysis, cell: &Cell, metric: Metric, estimate: &Estimate) -> Value {
    let counted = cell.trials.iter().filter(|trial| trial.validity != Validity::Void);
    let once = |point: f64| Estimate { point, interval: None, n: 1 };
    let repeats = counted.filter_map(|trial| {
        Some(Repeat {
            number: trial.repeat,
            y: words::in_unit(metric, &once(*trial.figures.get(&metric)?)).point,
            is_suspect: trial.validity == Validity::Suspect,
        })
    });
    let repeats: Vec<Repeat> = repeats.collect();
    let estimate = words::in_unit(metric, estimate);
    Value {
        y: estimate.point,
        bounds: estimate.interval.map(|i| (i.low, i.high)),
        repeats: if repeats.len() > 1 { repeats } else { Vec::new() },
        doubtful: Tally::for_cells(analysis, [cell]).in_doubt(),
    }
}

/// The cells of a test of one level: of a crowded one those of the first targets.
fn at_one_level_in_order(test: &TestAnalysis) -> Vec<&Cell> {
    if !view::is_crowded(test) {
        return test.cells.iter().collect();
    }
    let of = |target: &str| test.cells.iter().find(|cell| cell.target == target);
    view::ranked(test).take(MOST_ROWS).filter_map(|place| of(&place.target)).collect()
}

/// All targets in one row each: a curve of one point is no curve.
fn at_one_level(analysis: &Analysis, test: &TestAnalysis, number: usize, figure: &Chart) -> Markup {
    let chart = row_chart(analysis, (test, number), figure);
    if chart.rows.is_empty() {
        let mut why = test
            .cells
            .iter()
            .filter_map(|cell| view::why_empty(analysis, cell).or_else(|| figure.withheld(cell)));
        return html! { p.caption { (why.next().unwrap_or_else(|| "no data".to_owned())) } };
    }
    chart.draw()
}

fn row_chart(
    analysis: &Analysis,
    (test, number): (&TestAnalysis, usize),
    figure: &Chart,
) -> IntervalChart {
    let rows = at_one_level_in_order(test).into_iter().filter_map(|cell| {
        let value = value(analysis, cell, figure.metric, &cell.estimate(figure.metric)?);
        Some(Row {
            series: view::series(analysis, &cell.target),
            name: cell.target.clone(),
            value: value.y,
            bounds: value.bounds,
            repeats: value.repeats.iter().map(|repeat| repeat.y).collect(),
            doubtful: value.doubtful,
        })
    });
    IntervalChart {
        id: figure.id(number),
        title: format!("{} in {}, {}", figure.heading, figure.unit, test.test),
        rows: rows.collect(),
    }
}

/// A chart of a metric for a file of its own.
pub(crate) struct Plain {
    pub(crate) heading: String,
    pub(crate) hint: &'static str,
    pub(crate) body: svg::Body,
    pub(crate) needs_legend: bool,
}

/// The metrics that a test has charts of.
pub(crate) fn all(analysis: &Analysis, test: &TestAnalysis) -> Vec<Metric> {
    let resources = drawn_resources(test);
    drawn(analysis, test).iter().chain(&resources).map(|chart| chart.metric).collect()
}

/// The chart of a metric; `None` where nothing is known of it.
pub(crate) fn plain(analysis: &Analysis, test: &TestAnalysis, metric: Metric) -> Option<Plain> {
    let figure = Chart::for_metric(test, metric);
    let levels = numbers_of_levels(test);
    test.cells.iter().find(|cell| cell.estimate(metric).is_some())?;
    let (body, needs_legend) = if levels.len() > 1 {
        let chart = line_chart(analysis, (test, 0), &levels, &figure);
        (chart.body(), chart.needs_legend())
    } else {
        (row_chart(analysis, (test, 0), &figure).body(), false)
    };
    let unit = if figure.unit.is_empty() { String::new() } else { format!(", {}", figure.unit) };
    let is_log = figure.axis == VerticalAxis::Log && levels.len() > 1;
    let scale = if is_log { " (log scale)" } else { "" };
    let heading = format!("{}{unit}{scale}", figure.heading);
    Some(Plain { heading, hint: figure.hint(), body, needs_legend })
}

fn numbers_of_levels(test: &TestAnalysis) -> Vec<u32> {
    let axis = LevelAxis::for_test(test);
    let mut levels: Vec<u32> = test.cells.iter().map(|cell| axis.number(cell.level)).collect();
    levels.sort_unstable();
    levels.dedup();
    levels
}

/// The key to the targets; on wide pages only where the labels beside the lines don't suffice.
pub(super) fn legend(analysis: &Analysis, test: &TestAnalysis, always: bool) -> Markup {
    let targets = analysis.dataset.study.targets.iter().enumerate();
    let (clear, faint): (Vec<_>, Vec<_>) =
        targets.partition(|(_, target)| stands_out(test, &target.name));
    html! {
        ul class={ "legend" @if !always { " narrow" } } {
            @for (i, target) in clear { li data-s=(i) { (svg::key(i)) (target.name) } }
            @if !faint.is_empty() { li data-s="faint" { (faint.len()) " others in grey" } }
        }
    }
}
