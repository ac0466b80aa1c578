//! The reports that a run prints at checkpoints, after each of which it counts anew.

use crate::figures::{Figures, reckoned};
use model::{FigureNumber, FigureValue};

/// What counts up from one report to the next checkpoint.
const COUNTS: [&str; 8] = [
    "reads", "writes", "other_statements", "queries", "transactions", "errors", "reconnects",
    "events",
];
const NOTE: &str = "of all checkpoints together";

/// By how much times of the same stretch may differ as a share.
const NEAR: f64 = 0.02;

/// The figures of a whole run from those of its reports.
/// Percentiles do not add up, and are left out.
pub(super) fn together(reports: &[Figures]) -> Figures {
    let number = |report: &Figures, metric: &str| -> Option<FigureNumber> {
        let figure = report.0.iter().find(|figure| figure.metric == metric)?;
        let FigureValue::Number(FigureNumber { value, resolution }) = figure.value else {
            return None;
        };
        // Versions 0.4 and 0.5 have their sum in seconds.
        let factor = if figure.unit == "s" && metric != "elapsed" { 1e3 } else { 1.0 };
        Some(FigureNumber { value: value * factor, resolution: resolution * factor })
    };
    let all = |metric: &str| -> Option<Vec<FigureNumber>> {
        reports.iter().map(|report| number(report, metric)).collect()
    };
    let sum = |metric: &str| -> Option<FigureNumber> {
        let values = all(metric)?;
        Some(FigureNumber {
            value: values.iter().map(|number| number.value).sum(),
            resolution: values.iter().map(|number| number.resolution).sum(),
        })
    };
    let mut whole = Figures::default();
    let Some(last) = reports.last() else { return whole };
    // Version 1.0 prints the time from the beginning, 0.5 that since the checkpoint before.
    let since = number(last, "transactions").zip(number(last, "transactions_per_s"));
    let since =
        since.filter(|(_, rate)| rate.value > 0.0).map(|(all, rate)| all.value / rate.value);
    let of_last = number(last, "elapsed");
    let own = since.zip(of_last).is_some_and(|(since, last)| last.value < since * (1.0 + NEAR));
    let elapsed = if own { sum("elapsed") } else { of_last };
    let elapsed = elapsed.filter(|elapsed| elapsed.value > 0.0);
    for metric in COUNTS {
        let Some(count) = sum(metric) else { continue };
        whole.noted(metric, count, "", NOTE, 0);
        let rate = format!("{metric}_per_s");
        if let (Some(elapsed), Some(_)) = (elapsed, number(last, &rate)) {
            let value = count.value / elapsed.value;
            let resolution = value * elapsed.resolution / elapsed.value;
            whole.noted(&rate, reckoned(value, resolution), "1/s", NOTE, 0);
        }
    }
    if let Some(elapsed) = elapsed {
        whole.number("elapsed", elapsed, "s", 0);
    }
    let by_value = |a: &FigureNumber, b: &FigureNumber| a.value.total_cmp(&b.value);
    let min = all("latency_min").and_then(|all| all.into_iter().min_by(by_value));
    let max = all("latency_max").and_then(|all| all.into_iter().max_by(by_value));
    let total = sum("latency_sum");
    let mean = total.zip(sum("events")).filter(|(_, events)| events.value > 0.0);
    let mean =
        mean.map(|(sum, events)| reckoned(sum.value / events.value, sum.resolution / events.value));
    for (metric, value) in
        [("latency_min", min), ("latency_avg", mean), ("latency_max", max), ("latency_sum", total)]
    {
        if let Some(value) = value {
            whole.noted(metric, value, "ms", NOTE, 0);
        }
    }
    whole
}
