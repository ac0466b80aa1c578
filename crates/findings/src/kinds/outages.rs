//! Lost connections, and offered rates that the server fell behind.

use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{self, count, figure, number_of};
use std::time::Duration;

/// Connections were lost in the course of a trial, and made anew.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConnectionsLost {
    /// When the first connection was lost, counted from the start of the load.
    pub first_error: Duration,
    /// From then on until an operation succeeded again; absent where none did.
    pub downtime: Option<Duration>,
    /// From the first loss until throughput was back at 95 %; absent where it never was, or
    /// nothing is known of before.
    pub back_after: Option<Duration>,
    /// Operations that failed because of it.
    pub failed: u64,
}

impl FindingKind for ConnectionsLost {
    const HEADING: &'static str = "Lost connections";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let failed = number_of(found.total(|outage| outage.failed), found.counted);
        let what =
            if found.is_one() { one(found.first, found.counted.one) } else { several(found) };
        format!("{what}; {failed} failed with them")
    }
}

fn one(outage: &ConnectionsLost, operation: &str) -> String {
    let recovery = match (outage.downtime, outage.back_after) {
        (None, _) => format!("no {operation} succeeded after that"),
        (Some(down), back) => {
            let back = match back {
                Some(back) => format!(
                    ", and throughput was back at 95\u{a0}% of its earlier level after {}",
                    seconds(back)
                ),
                None => ", and throughput was not seen back at 95\u{a0}% of its earlier level"
                    .to_owned(),
            };
            format!("the next {operation} succeeded after {}{back}", seconds(down))
        }
    };
    format!("connections were lost {} into the load: {recovery}", seconds(outage.first_error))
}

fn several(found: &Group<'_, ConnectionsLost>) -> String {
    let longest = found.iter().filter_map(|outage| outage.downtime).max();
    let longest =
        longest.map_or(String::new(), |longest| format!(", for at most {}", seconds(longest)));
    let lasting = match found.iter().filter(|outage| outage.downtime.is_none()).count() {
        0 => String::new(),
        n => format!(", {} of them until the end", count(n as u64)),
    };
    let outages = numbers::counted(found.all.len(), "outage");
    format!("connections were lost in {outages}{longest}{lasting}")
}

/// Hundredths of seconds, as a reader needs them of an outage.
fn seconds(time: Duration) -> String {
    format!("{:.2}\u{a0}s", time.as_secs_f64())
}

/// Open loop: the server fell behind the offered rate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overloaded {
    /// Operations per second that were offered.
    pub rate: f64,
    /// The share of those that were due in the measured phase, and were answered in it: 0 to 1. What
    /// was due before and answered late makes up for none of them.
    pub in_time: f64,
    /// Operations that were never begun, because too many waited already.
    pub dropped: u64,
}

impl FindingKind for Overloaded {
    const HEADING: &'static str = "Overload";

    fn is_like(&self, other: &Self) -> bool {
        self.rate == other.rate
    }

    fn say(found: &Group<'_, Self>) -> String {
        let dropped = match found.total(|load| load.dropped) {
            0 => String::new(),
            dropped => format!("; {} were dropped", count(dropped)),
        };
        format!(
            "overloaded: {} {}/s were offered, and {} of those due were answered in \
             time{dropped}; response times depend on how long the load lasted and do not describe \
             the server at this rate",
            figure(found.first.rate),
            found.counted,
            numbers::percents(found.range(|load| load.in_time)),
        )
    }
}
