//! What waited in vain, and what was lost unnoticed.

use crate::Severity;
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{counted, figure, number_of};

/// Operations were never answered, while others were: a part of the server or of the storage hung.
/// Where nothing was answered any more the trial failed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unanswered {
    /// Operations that began and were never answered.
    pub operations: u64,
    /// What could be under way at once.
    pub clients: u32,
    /// How long the longest of them waited, in seconds, until they were given up.
    pub longest_seconds: f64,
}

impl FindingKind for Unanswered {
    const HEADING: &'static str = "Never answered";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        format!(
            "{} were never answered while others were: a part of the target hung. Each was given \
             up after at most {}\u{a0}s. They count as errors, and latencies include how long \
             they waited",
            number_of(found.total(|one| one.operations), found.counted),
            figure(found.most(|one| one.longest_seconds)),
        )
    }
}

/// Operations that failed in the measured phase, or succeeded only after it, waited far longer than any
/// that succeeded in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LongWaits {
    pub operations: u64,
    /// The longest of them, in seconds.
    pub longest_seconds: f64,
    /// The longest that succeeded in the phase, in seconds; absent where none did.
    pub longest_success_seconds: Option<f64>,
}

impl FindingKind for LongWaits {
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

/// Connections were lost while they had nothing to do, and made anew: nobody waited for them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IdleConnectionsLost {
    pub connections: u64,
}

impl FindingKind for IdleConnectionsLost {
    const HEADING: &'static str = "Idle connections lost";
    const TOGETHER: bool = true;

    fn severity(&self) -> Severity {
        Severity::Notice
    }

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

/// The time of day was set while the trial ran, or the machine was suspended. Latencies and rates are
/// by another clock, which is never set; what is found by the time of day may be wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClockJumped {
    /// By how much, in seconds; above 0 where it was set forward.
    pub seconds: f64,
}

impl FindingKind for ClockJumped {
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
