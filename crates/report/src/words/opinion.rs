//! What another tool measured, as a sentence.

use super::metric::{metric_name, unit};
use crate::numbers;
use analyse::Metric;
use model::{Direction, Failure, Noun};
use stats::Estimate;

/// Whether the tool and weighin agree on a figure, with both figures and their ratio; `counted` is
/// what throughput counts.
pub(super) fn compared(
    tool: &str,
    (part, metric): (Option<Direction>, Metric),
    [weighin, other, ratio]: [&Estimate; 3],
    agrees: Option<bool>,
    counted: Noun,
) -> String {
    let of = match part {
        None => "",
        Some(Direction::Read) => " of reads",
        Some(Direction::Write) => " of writes",
    };
    let (figure, unit) = (format!("{}{of}", metric_name(metric)), unit(metric, counted));
    let verdict = match agrees {
        Some(true) => format!("{tool} agrees on the {figure}"),
        Some(false) => format!("{tool} does not agree on the {figure}"),
        None => format!("whether {tool} agrees on the {figure} is not known"),
    };
    let ratio = numbers::estimate(ratio, "× its figure");
    let consequence = match agrees {
        Some(false) => "; one of the two is wrong, so these trials are suspect",
        Some(true) | None => "",
    };
    format!(
        "{verdict}: weighin measured {} {unit}, {tool} {} {unit}; weighin’s is {ratio}{consequence}",
        numbers::figure(weighin.point),
        numbers::figure(other.point),
    )
}

/// Why there is no second opinion.
pub(super) fn failed(tool: &str, failure: &Failure, times: usize) -> String {
    let times = if times == 1 { String::new() } else { format!(" in {times} trials") };
    let remedy = match failure.remedy.as_str() {
        "" => String::new(),
        remedy => format!(". To mend it: {remedy}"),
    };
    format!("{tool} gave no second opinion{times}: {}{remedy}", failure.message)
}
