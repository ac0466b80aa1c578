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
    let sample = Sample::new(numbers).ok();
    let estimate = sample.map(|sample| Estimate::of_median(&sample, confidence));
    let (target, level) = (cell.target.to_owned(), cell.level);
    (estimate.is_some() || !text.is_empty()).then_some(NamedValue { target, level, estimate, text })
}
