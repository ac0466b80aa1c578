//! Lost connections, and offered rates that the server fell behind.

use super::{Group, Words};
use crate::numbers::{self, count, figure, number_of};
use analyse::{ConnectionsLost, Overloaded};
use std::time::Duration;

impl Words for ConnectionsLost {
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

impl Words for Overloaded {
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
