//! What another tool measured, as a sentence.

use super::metric::{metric_name, unit};
use crate::numbers;
use analyse::{CrossCheck, Evidence};
use model::{Direction, Failure, Noun, text};

/// Whether the tool and weighin agree on a figure, with both figures and their ratio; `counted` is
/// what throughput counts.
pub(super) fn compared(evidence: &Evidence, counted: Noun) -> String {
    let &Evidence::CrossCheck(CrossCheck {
        ref tool,
        part,
        metric,
        ref weighin,
        ref other,
        ref ratio,
        agrees,
        crowded,
    }) = evidence
    else {
        return String::new();
    };
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
    let consequence = match (agrees, crowded) {
        (Some(false), None) => "; one of the two is wrong, so these trials are suspect".to_owned(),
        (Some(false), Some((threads, processors))) => format!(
            "; {tool} had {} threads on {}, which wait for each other, and that time is in its \
             latencies; whether that is all of the difference is not known, so these trials are \
             suspect",
            numbers::count(threads.into()),
            numbers::counted(processors as usize, "processor"),
        ),
        (Some(true) | None, _) => String::new(),
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
    format!("{tool} gave no second opinion{times}: {}{remedy}", text::message(&failure.message))
}
