//! Figures that stand where sysbench knows none.

use crate::figures::{Bounded, Figures};
use model::{FigureNumber, FigureValue};

/// Where its histogram ends: what is longer counts as this. Versions 0.4 and 0.5 end at 10,000 s.
const CEILINGS_MS: [f64; 2] = [100_000.0, 10_000_000.0];
/// By how much the last bucket's value may be off as a share.
const GRAIN: f64 = 0.02;

/// Says of times that are none that they are not known, and what is known of percentiles beyond the histogram's end.
pub(super) fn mark(figures: &mut Figures) {
    let value = |figures: &Figures, metric: &str| {
        let figure = figures.0.iter().find(|figure| figure.metric == metric)?;
        match &figure.value {
            FigureValue::Number(FigureNumber { value, .. }) if figure.unit == "s" => {
                Some(value * 1e3)
            }
            FigureValue::Number(FigureNumber { value, .. }) => Some(*value),
            FigureValue::Text(_) => None,
        }
    };
    let (min, max) = (value(figures, "latency_min"), value(figures, "latency_max"));
    let none = value(figures, "events") == Some(0.0);
    for figure in &mut figures.0 {
        let FigureValue::Number(number) = &figure.value else { continue };
        let is_percentile = figure.metric.starts_with("latency_p");
        // Without any event it prints zeros.
        let of_none = none && figure.metric.starts_with("latency_");
        let placeholder = is_percentile && number.value == 0.0 && min.is_some_and(|min| min > 0.0);
        if of_none || placeholder {
            figure.unknown("what sysbench prints where it knows none");
            continue;
        }
        let ms = if figure.unit == "s" { number.value * 1e3 } else { number.value };
        let is_ceiling = CEILINGS_MS.iter().any(|ceiling| (ms / ceiling - 1.0).abs() <= 1e-6);
        let beyond = max.is_none_or(|max| max >= ms * (1.0 - GRAIN));
        if is_percentile && is_ceiling && beyond {
            let value = number.value;
            figure.at_least(value, "where sysbench's histogram ends");
        }
    }
}
