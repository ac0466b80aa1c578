//! How latencies are distributed: percentile by percentile, up to the rarest that is known.

use super::metrics::{legend, stands_out};
use crate::charts::svg::{
    HorizontalAxis, LineChart, Overlays, Point, Repeat, Series, Size, Value, VerticalAxis,
};
use crate::level_axis::LevelAxis;
use crate::tables;
use analyse::{Analysis, Cell, Metric, TestAnalysis, TrialAssessment, Validity, percentile_ms};
use maud::{Markup, html};
use model::Level;

/// Those that are drawn, where enough operations support them.
const PERCENTILES: [f64; 7] = [50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99];

/// The latencies of all targets at the level of the recommendation; nothing where fewer than two
/// percentiles are known.
pub(crate) fn figure(analysis: &Analysis, test: &TestAnalysis, number: usize) -> Option<Markup> {
    let (chart, at) = chart(analysis, test, number)?;
    let axis = LevelAxis::for_test(test);
    Some(html! {
        figure {
            figcaption {
                strong { (crate::words::capitalised(axis.latency())) " by percentile" } (at) ", ms " span.scale { "(log scale)" }
                span.hint { "lower is better" }
            }
            (legend(analysis, test, chart.needs_legend()))
            (chart.draw(Size::Wide))
            (chart.draw(Size::Narrow))
        }
    })
}

/// The chart, and at which level it is.
pub(crate) fn chart(
    analysis: &Analysis,
    test: &TestAnalysis,
    number: usize,
) -> Option<(LineChart, String)> {
    let level = tables::decision_level(test)?;
    let axis = LevelAxis::for_test(test);
    let targets = analysis.dataset.study.targets.iter();
    let series: Vec<Series> =
        targets.map(|target| of_target(analysis, test, &target.name, level)).collect();
    let is_known = |percent: &&f64| {
        let at = HorizontalAxis::percentile(**percent);
        series.iter().flat_map(|one| &one.points).any(|point| point.x == at)
    };
    let levels: Vec<f64> = PERCENTILES
        .iter()
        .filter(is_known)
        .map(|&percent| HorizontalAxis::percentile(percent))
        .collect();
    if levels.len() < 2 {
        return None;
    }
    let at = if level.search.is_some() { String::new() } else { crate::words::at(level) };
    let chart = LineChart {
        id: format!("percentiles-{number}"),
        title: format!("Percentiles of {}{at} in ms, {}", axis.latency(), test.test),
        unit: "ms".to_owned(),
        horizontal: HorizontalAxis::Percentile(axis.latency()),
        axis: VerticalAxis::Log,
        levels,
        series,
        overlays: Overlays::default(),
    };
    Some((chart, at))
}

fn of_target(analysis: &Analysis, test: &TestAnalysis, target: &str, level: Level) -> Series {
    let mut cells = test.cells.iter();
    let cell = cells.find(|cell| cell.target == target && cell.level == level);
    let cell = cell.filter(|cell| cell.overloaded == 0);
    let points = PERCENTILES.iter().filter_map(|&percent| point(analysis, cell?, percent));
    Series {
        name: target.to_owned(),
        points: points.collect(),
        is_faint: !stands_out(test, target),
    }
}

/// The median over the trials that count; nothing where one of them has too few operations.
fn point(analysis: &Analysis, cell: &Cell, percent: f64) -> Option<Point> {
    let confidence = analysis.dataset.study.confidence;
    let counted = cell.trials.iter().filter(|trial| trial.validity != Validity::Void);
    let repeat = |trial: &TrialAssessment| {
        let load = analysis.dataset.trials.get(trial.record)?.load()?;
        Some(Repeat {
            number: trial.repeat,
            y: percentile_ms(&load.latencies, percent, confidence)?,
            is_suspect: trial.validity == Validity::Suspect,
        })
    };
    let repeats: Vec<Repeat> = counted.map(repeat).collect::<Option<_>>()?;
    let known = match percent {
        50.0 => cell.estimate(Metric::LatencyP50),
        95.0 => cell.estimate(Metric::LatencyP95),
        99.0 => cell.estimate(Metric::LatencyP99),
        _ => None,
    };
    let value = Value {
        y: known.map_or_else(|| median(&repeats), |estimate| Some(estimate.point))?,
        bounds: known.and_then(|estimate| estimate.interval).map(|i| (i.low, i.high)),
        repeats: if repeats.len() > 1 { repeats } else { Vec::new() },
        doubtful: false,
    };
    Some(Point { x: HorizontalAxis::percentile(percent), value: Some(value), gap: None })
}

fn median(repeats: &[Repeat]) -> Option<f64> {
    let mut sorted: Vec<f64> = repeats.iter().map(|repeat| repeat.y).collect();
    sorted.sort_by(f64::total_cmp);
    let (low, high) =
        (sorted.get((sorted.len().checked_sub(1)?) / 2)?, sorted.get(sorted.len() / 2)?);
    Some(f64::midpoint(*low, *high))
}
