//! What figures are called, and how they read with their units.

use crate::numbers;
use crate::view;
use analyse::{Analysis, Metric, TestAnalysis};
use findings::names::{metric_name, target_name, unit};
use model::{MetricUnit, UnitName};
use stats::Estimate;
use std::time::Duration;

/// An estimate in the unit that is shown.
pub(crate) fn in_unit(metric: Metric, estimate: &Estimate) -> Estimate {
    match metric.unit() {
        MetricUnit::Bytes => estimate.map(|bytes| bytes / 1e6),
        _ => *estimate,
    }
}

/// A metric with its unit, for headings: `time taken, s`.
pub(crate) fn with_unit(metric: Metric, counted: UnitName) -> String {
    match unit(metric, counted) {
        unit if unit.is_empty() => metric_name(metric).to_owned(),
        unit => format!("{}, {unit}", metric_name(metric)),
    }
}

/// A figure that was measured once and printed by others: seven digits of it, lengths of time in
/// the unit that suits them.
pub(crate) fn exactly(metric: Metric, value: f64, counted: UnitName) -> String {
    match (metric.unit(), Duration::try_from_secs_f64(value)) {
        (MetricUnit::Seconds, Ok(length)) => numbers::full_duration(length),
        (MetricUnit::Bytes, _) => format!("{} bytes", numbers::tick(value)),
        _ => format!("{} {}", numbers::at_most_seven(value), unit(metric, counted))
            .trim_end()
            .to_owned(),
    }
}

/// An estimate with its unit and its interval.
pub(crate) fn figure_of(metric: Metric, estimate: &Estimate, counted: UnitName) -> String {
    numbers::estimate(&in_unit(metric, estimate), &unit(metric, counted))
}

/// By what the targets of a test are ranked, for a heading.
pub(crate) fn ranked_by(test: &TestAnalysis) -> String {
    match test.basis.map(|basis| basis.metric) {
        Some(Metric::Throughput) if view::is_at_rates(test) => {
            format!("{} per second answered at most", view::counted(test))
        }
        Some(Metric::Throughput) => format!("{} per second at the peak", view::counted(test)),
        Some(metric) => {
            format!("{}, in {}", metric_name(metric), unit(metric, view::counted(test)))
        }
        None => "nothing to rank by".to_owned(),
    }
}

/// The unit of what the targets of a test are ranked by, for the end of a number.
pub(crate) fn short_unit(test: &TestAnalysis) -> &'static str {
    match test.basis.map(|basis| basis.metric.unit()) {
        None | Some(MetricUnit::PerSecond) => "/s",
        Some(MetricUnit::Seconds) => " s",
        Some(MetricUnit::Milliseconds) => " ms",
        Some(MetricUnit::Microseconds) => " µs",
        Some(MetricUnit::Bytes) => " MB",
        Some(MetricUnit::BytesEach) => " bytes",
        Some(MetricUnit::SecondsPerSecond) => " s/s",
        Some(MetricUnit::Percent) => " %",
        Some(MetricUnit::Count | MetricUnit::Ratio) => "",
    }
}

/// How to read the matrix of many targets.
pub(crate) fn matrix(analysis: &Analysis, test: &TestAnalysis) -> String {
    let margin = numbers::percent(analysis.dataset.study.margin);
    let over = match test.overall.is_empty() {
        true => String::new(),
        false => " over all levels together (geometric means, with equal weights)".to_owned(),
    };
    let metric = test.basis.map_or("", |basis| metric_name(basis.metric));
    format!(
        "By {metric}{over}; targets stand in the order of their places. ▲ the target of the row is \
         better than that of the column, ▼ worse, = the same within {margin}, · not resolved. \
         Ratios of all pairs at all levels are in the JSON report."
    )
}

/// How to read the ratios of many targets to the first.
pub(crate) fn against_first(test: &TestAnalysis, first: &str) -> String {
    let metric = test.basis.map_or("", |basis| metric_name(basis.metric));
    format!(
        "Ratios of {metric}: each target ÷ {}, repeat by repeat where repeats make pairs. A faint \
         ratio is not resolved.",
        target_name(first)
    )
}

/// What the summary of first and second places rests on.
pub(crate) fn summary(analysis: &Analysis) -> String {
    let tests = || analysis.summary.iter().flat_map(|summary| &summary.tests);
    if tests().all(|top_two| top_two.measured_once) {
        "Places follow the figures, each measured once: it is not known who is really \
         ahead."
            .to_owned()
    } else if tests().any(|top_two| top_two.measured_once) {
        "Targets that cannot be told apart share a place. Where each figure was measured only \
         once, places just follow the figures."
            .to_owned()
    } else {
        let share = "A place is one more than the number of targets that are clearly better.";
        let confidence = numbers::percent(analysis.dataset.study.confidence);
        let doubtful: Vec<&str> = tests()
            .filter(|top_two| !top_two.first.is_empty() && !top_two.first_holds_over_tests)
            .map(|top_two| top_two.test.as_str())
            .collect();
        if tests().all(|top_two| top_two.first.is_empty()) {
            return share.to_owned();
        }
        let together = if doubtful.is_empty() {
            "all first places stand when the tests are held together as well".to_owned()
        } else {
            format!("held together, they leave open who is first in {}", numbers::list(&doubtful))
        };
        format!("{share} Each test is judged by itself at {confidence} confidence; {together}.")
    }
}

/// What is said of the tests that have no figure to judge by; `None` where all have.
pub(crate) fn nothing_ranked(analysis: &Analysis) -> Option<String> {
    let without: Vec<&str> = analysis
        .tests
        .iter()
        .filter(|test| test.basis.is_none())
        .map(|test| test.test.as_str())
        .collect();
    let which = match without.as_slice() {
        [] => return None,
        all if all.len() == analysis.tests.len() => "Nothing is ranked".to_owned(),
        some => format!("Nothing is ranked in {}", numbers::list(some)),
    };
    Some(format!(
        "{which}: the results print neither throughput nor time taken nor a latency of whole \
         operations. What they print is below."
    ))
}

/// Stands in place of an answer where there is no test.
pub(crate) const NO_TEST: &str =
    "There are no measurements. What is known of the targets is below.";
