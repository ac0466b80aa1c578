//! Check 7: what another tool measured.

use stats::Estimate;
use crate::Severity;
use serde::Serialize;
use super::run;
use crate::kind::{FindingKind, Group};
use crate::numbers::{self, count, counted};
use crate::names::{metric_name, unit};
use model::{Direction, Metric, Failure};

/// Check 7: another tool ran the same load, before or after the trials of a cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrossCheck {
    pub tool: String,
    /// Of what, where not of everything: the reads or the writes of a load on storage.
    pub part: Option<Direction>,
    pub metric: Metric,
    pub weighin: Estimate,
    pub other: Estimate,
    /// weighin ÷ other, paired by repeat.
    pub ratio: Estimate,
    /// Whether the interval of the ratio lies within the margin, or holds 1 and lies within
    /// 10 %; absent where it holds 1 and is wider, and without an interval.
    pub agrees: Option<bool>,
    /// Of a latency: threads of the other tool, and the processors that they had to share, where
    /// these are fewer.
    pub crowded: Option<(u32, u32)>,
}

impl FindingKind for CrossCheck {
    const HEADING: &'static str = "Cross-checks";

    fn severity(&self) -> Severity {
        match self.agrees {
            Some(true) => Severity::Passed,
            Some(false) => Severity::Warning,
            None => Severity::Notice,
        }
    }

    fn say(found: &Group<'_, Self>) -> String {
        let Self { tool, part, metric, weighin, other, ratio, agrees, crowded } = found.first;
        let of = match part {
            None => "",
            Some(Direction::Read) => " of reads",
            Some(Direction::Write) => " of writes",
        };
        let (figure, unit) =
            (format!("{}{of}", metric_name(*metric)), unit(*metric, found.counted));
        let verdict = match agrees {
            Some(true) => format!("{tool} agrees on the {figure}"),
            Some(false) => format!("{tool} does not agree on the {figure}"),
            None => format!("it is not known whether {tool} agrees on the {figure}"),
        };
        let consequence = match (agrees, crowded) {
            (Some(false), None) => {
                "; one of the two is wrong, so these trials are suspect".to_owned()
            }
            (Some(false), Some((threads, processors))) => format!(
                "; {tool} ran {} threads on {}: they wait for each other, and that time is part of \
                 its latencies; it is not known whether that explains all of the difference, so \
                 these trials are suspect",
                count((*threads).into()),
                counted(*processors as usize, "processor"),
            ),
            (Some(true) | None, _) => String::new(),
        };
        format!(
            "{verdict}: weighin measured {} {unit}, {tool} {} {unit}; weighin’s figure is \
             {}{consequence}",
            numbers::figure(weighin.point),
            numbers::figure(other.point),
            numbers::times(ratio, "that of the tool"),
        )
    }
}

/// Check 7: the cross-check tool failed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrossCheckFailed {
    pub tool: String,
    /// Why, the first time.
    pub failure: Failure,
    /// How often in the cell.
    pub times: usize,
}

impl FindingKind for CrossCheckFailed {
    const HEADING: &'static str = "Failed cross-checks";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn say(found: &Group<'_, Self>) -> String {
        let Self { tool, failure, times } = found.first;
        let trials = if *times == 1 { String::new() } else { format!(" in {times} trials") };
        format!("the cross-check with {tool} failed{trials}: {}", run::with_fix(failure))
    }
}
