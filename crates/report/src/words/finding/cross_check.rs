//! Check 7: what another tool measured.

use super::{Group, Words, run};
use crate::numbers::{self, count, counted};
use crate::words::metric::{metric_name, unit};
use analyse::{CrossCheck, CrossCheckFailed};
use model::Direction;

impl Words for CrossCheck {
    const HEADING: &'static str = "Cross-checks";

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

impl Words for CrossCheckFailed {
    const HEADING: &'static str = "Failed cross-checks";

    fn say(found: &Group<'_, Self>) -> String {
        let Self { tool, failure, times } = found.first;
        let trials = if *times == 1 { String::new() } else { format!(" in {times} trials") };
        format!("the cross-check with {tool} failed{trials}: {}", run::with_fix(failure))
    }
}
