//! What waited in vain, and what was lost unnoticed.

use super::{Group, Words};
use crate::numbers::{counted, figure, number_of};
use analyse::{ClockJumped, IdleConnectionsLost, LongWaits, Unanswered};

impl Words for Unanswered {
    const HEADING: &'static str = "Never answered";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        format!(
            "{} were never answered, and waited for up to {}\u{a0}s until they were given up, while \
             others were answered: a part of the target hung. They count as errors, and latencies \
             include how long they waited",
            number_of(found.total(|one| one.operations), found.counted),
            figure(found.most(|one| one.longest_seconds)),
        )
    }
}

impl Words for LongWaits {
    const HEADING: &'static str = "Long waits";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let operations = number_of(found.total(|one| one.operations), found.counted);
        let longest = figure(found.most(|one| one.longest_seconds));
        let than = found.most(|one| one.longest_success_seconds.unwrap_or_default());
        let than = match than > 0.0 {
            true => format!("the longest that succeeded in it took {}\u{a0}s", figure(than)),
            false => "none succeeded in it".to_owned(),
        };
        format!(
            "{operations} of the measured phase failed, or succeeded only after it, and took up to \
             {longest}\u{a0}s; {than}. Latencies include them"
        )
    }
}

impl Words for IdleConnectionsLost {
    const HEADING: &'static str = "Idle connections lost";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let connections = found.total(|one| one.connections) as usize;
        format!(
            "{} lost while idle and made again, without an operation lost: this is no outage. The \
             server or a proxy closes idle connections (wait_timeout, timeout)",
            match connections {
                1 => "1 connection was".to_owned(),
                several => format!("{} were", counted(several, "connection")),
            }
        )
    }
}

impl Words for ClockJumped {
    const HEADING: &'static str = "Clock";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let most = found.iter().map(|one| one.seconds).max_by(|a, b| a.abs().total_cmp(&b.abs()));
        let seconds = most.unwrap_or_default();
        let way = if seconds < 0.0 { "back" } else { "forward" };
        let suspended = if seconds < 0.0 { "" } else { ", or the machine was suspended" };
        format!(
            "the clock of the machine that ran weighin was set {way} by {}\u{a0}s during the \
             trial{suspended}. Rates and latencies are measured with a clock that is never set; \
             times of day in the report may be wrong by as much",
            figure(seconds.abs()),
        )
    }
}
