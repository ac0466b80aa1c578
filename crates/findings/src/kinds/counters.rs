//! Counters of servers and devices against weighin's own counts.

use crate::Evidence;
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{bytes, count};

/// Check 2: a server counter differs from weighin's own count of statements.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CounterMismatch {
    pub counter: String,
    /// What the server counted over the load.
    pub server: i64,
    /// What weighin counted over the load.
    pub weighin: u64,
}

impl FindingKind for CounterMismatch {
    const HEADING: &'static str = "Server counters disagree";

    fn is_like(&self, other: &Self) -> bool {
        // Differences of both signs would cancel out in their sum.
        let more = |found: &Self| i128::from(found.server) > i128::from(found.weighin);
        self.counter == other.counter && more(self) == more(other)
    }

    fn say(found: &Group<'_, Self>) -> String {
        let server = found.total(|mismatch| i128::from(mismatch.server));
        let weighin = found.total(|mismatch| i128::from(mismatch.weighin));
        let digits = |value: i128| count(u64::try_from(value.unsigned_abs()).unwrap_or(u64::MAX));
        format!(
            "during the load the server counted {}{} for {}, {} {} than the {} that weighin counted",
            if server < 0 { "−" } else { "" },
            digits(server),
            found.first.counter,
            digits(server - weighin),
            if server < weighin { "fewer" } else { "more" },
            digits(weighin),
        )
    }
}

/// Check 2 could not be made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CountersUnavailable;

impl FindingKind for CountersUnavailable {
    const HEADING: &'static str = "Server counters not available";
    const TOGETHER: bool = true;

    fn of_cell(&self, _trials: &[&Evidence]) -> Option<Evidence> {
        Some(self.clone().into())
    }

    fn say(_found: &Group<'_, Self>) -> String {
        "the server’s counters could not be read, so they were not compared with weighin’s counts"
            .to_owned()
    }
}

/// Bytes that block devices counted over a whole load, and those of its reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceBytes {
    /// Whether of writes, and not of reads.
    pub writes: bool,
    /// What the devices counted.
    pub device: u64,
    /// What weighin read or wrote.
    pub weighin: u64,
}

impl FindingKind for DeviceBytes {
    const HEADING: &'static str = "Device counters differ";

    fn is_like(&self, other: &Self) -> bool {
        let more = |found: &Self| found.device > found.weighin;
        self.writes == other.writes && more(self) == more(other)
    }

    fn say(found: &Group<'_, Self>) -> String {
        let (device, weighin) = (found.total(|b| b.device), found.total(|b| b.weighin));
        let verb = if found.first.writes { "wrote" } else { "read" };
        let (device_says, own) = (bytes(device), bytes(weighin));
        if device > weighin {
            format!(
                "the block devices {verb} {device_says} while weighin {verb} {own}: file systems \
                 and other users of these devices account for the rest, so it is not known whether \
                 the counts agree"
            )
        } else {
            format!(
                "the block devices {verb} only {device_says} while weighin {verb} {own}: something \
                 between them, such as a cache or compression, took the rest"
            )
        }
    }
}
