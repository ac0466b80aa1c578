//! Figures by the names that they have in their source: all that imported results print, and what a
//! task measures that is not in the registry of metrics.

use crate::cell::CellData;
use model::{Figure, FigureValue, Level, Metric, TrialRecord};
use serde::Serialize;
use stats::{Estimate, Sample};

/// A figure by its name, target by target.
#[derive(Clone, Debug, Serialize)]
pub struct NamedFigure {
    /// Its name in the source, or that the task gives it.
    pub metric: String,
    /// Its unit as printed or measured; empty where there is none.
    pub unit: String,
    /// One for each cell that has it, in the order of the study.
    pub values: Vec<NamedValue>,
}

/// A named figure of one cell.
#[derive(Clone, Debug, Serialize)]
pub struct NamedValue {
    pub target: String,
    pub level: Level,
    /// The median over the repeats; absent where it is no number.
    pub estimate: Option<Estimate>,
    /// What is said, of each repeat, where it is no number.
    pub text: Vec<String>,
}

/// Every name and unit in the order in which they first appear.
pub(crate) fn figures(cells: &[CellData], confidence: f64) -> Vec<NamedFigure> {
    let mut figures: Vec<NamedFigure> = Vec::new();
    for cell in cells {
        for figure in cell.records().flat_map(named) {
            let (metric, unit) = (&figure.metric, &figure.unit);
            if !figures.iter().any(|known| known.metric == *metric && known.unit == *unit) {
                let (metric, unit) = (metric.clone(), unit.clone());
                figures.push(NamedFigure { metric, unit, values: Vec::new() });
            }
        }
    }
    for figure in &mut figures {
        let (metric, unit) = (&figure.metric, &figure.unit);
        figure.values =
            cells.iter().filter_map(|cell| value(cell, metric, unit, confidence)).collect();
    }
    figures
}

/// The figures of a trial that are shown by their names.
fn named(record: &TrialRecord) -> impl Iterator<Item = &Figure> {
    let printed = record.imported().is_some();
    let figures = record.outcome().into_iter().flat_map(|outcome| &outcome.figures);
    figures.filter(move |figure| printed || Metric::of_figure(&figure.metric).is_none())
}

fn value(cell: &CellData, metric: &str, unit: &str, confidence: f64) -> Option<NamedValue> {
    let (mut numbers, mut text) = (Vec::new(), Vec::new());
    for record in cell.records() {
        match named(record).find(|f| f.metric == metric && f.unit == unit).map(|f| &f.value) {
            Some(FigureValue::Number(number)) => numbers.push(number.value),
            Some(FigureValue::Text(said)) => text.push(said.clone()),
            None => {}
        }
    }
    let estimate = of_cell(cell, metric, unit, &numbers, confidence).or_else(|| {
        let sample = Sample::new(numbers).ok()?;
        Some(Estimate::of_median(&sample, confidence))
    });
    let (target, level) = (cell.target.to_owned(), cell.level);
    (estimate.is_some() || !text.is_empty()).then_some(NamedValue { target, level, estimate, text })
}

/// The estimate of the cell, where the figure is one of its metrics: one figure has one interval, in
/// whichever table it stands.
fn of_cell(
    cell: &CellData,
    name: &str,
    unit: &str,
    numbers: &[f64],
    confidence: f64,
) -> Option<Estimate> {
    let metric = Metric::of_figure(name)?;
    let factor = metric.unit().factor_from(unit)?;
    let series = cell.series(metric);
    // A trial that is void has its figure as printed, and none in the cell; and of several rates of one
    // trial one alone is the metric.
    let is_same = |(printed, own): (&f64, f64)| (printed * factor - own).abs() <= own.abs() * 1e-9;
    let same = numbers.len() == series.values().count()
        && numbers.iter().zip(series.values()).all(is_same);
    same.then(|| series.estimate(confidence)).flatten().map(|own| own.map(|value| value / factor))
}
