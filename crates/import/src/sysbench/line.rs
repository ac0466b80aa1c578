//! One line of the report that ends a run.

use crate::figures::with_unit;
use crate::printed_number;
use model::FigureNumber;

/// What a line is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Read,
    Write,
    Other,
    Total,
    Transactions,
    Queries,
    /// `ignored errors`, or `deadlocks` in version 0.4.
    Errors,
    Reconnects,
    Elapsed,
    Events,
    /// Of tests without transactions.
    EventsPerSecond,
    Min,
    Mean,
    Max,
    Percentile(u32),
    Sum,
    ReadsPerSecond,
    WritesPerSecond,
    FsyncsPerSecond,
    ReadMebibytes,
    WrittenMebibytes,
}

/// A line that is known, and what it says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'a> {
    pub(super) key: Key,
    value: &'a str,
}

/// Reads a line of versions 0.4 to 1.1; `None` for any other.
pub(super) fn entry(line: &str) -> Option<Entry<'_>> {
    let (key, value) = line.split_once(':')?;
    let key = match key.trim() {
        "read" => Key::Read,
        "write" => Key::Write,
        "other" => Key::Other,
        "total" => Key::Total,
        "transactions" => Key::Transactions,
        "queries" => Key::Queries,
        "ignored errors" | "deadlocks" => Key::Errors,
        "reconnects" => Key::Reconnects,
        // Version 1.1 calls it by the second name.
        "total time" | "time elapsed" => Key::Elapsed,
        "total number of events" => Key::Events,
        "events per second" | "events/s (eps)" => Key::EventsPerSecond,
        "min" => Key::Min,
        "avg" => Key::Mean,
        "max" => Key::Max,
        "sum" | "total time taken by event execution" => Key::Sum,
        "reads/s" => Key::ReadsPerSecond,
        "writes/s" => Key::WritesPerSecond,
        "fsyncs/s" => Key::FsyncsPerSecond,
        "read, MiB/s" => Key::ReadMebibytes,
        "written, MiB/s" => Key::WrittenMebibytes,
        key => Key::Percentile(percentile_rank(key)?),
    };
    Some(Entry { key, value: value.trim() })
}

impl<'a> Entry<'a> {
    /// The number that it begins with, as printed.
    pub(super) fn count(&self) -> &'a str {
        self.value.split_whitespace().next().unwrap_or_default()
    }

    /// The number in `4175   (1386.79 per sec.)` that is a rate.
    pub(super) fn rate(&self) -> Option<&'a str> {
        let (_, rate) = self.value.split_once('(')?;
        rate.split_whitespace().next()
    }

    /// A time with its unit: without one in 1.0, which prints milliseconds; with `ms`, or with
    /// `s` in the oldest versions.
    pub(super) fn time(&self) -> Option<(FigureNumber, &'static str)> {
        let (number, unit) = with_unit(self.value);
        let unit = match (unit, self.key) {
            ("s", _) => "s",
            ("ms", _) => "ms",
            // Every version prints the elapsed time with its unit.
            ("", Key::Elapsed) => return None,
            ("", Key::Sum) if self.in_seconds() => "s",
            ("", _) => "ms",
            _ => return None,
        };
        Some((printed_number(number)?, unit))
    }

    /// Version 0.4's sum has four decimals and no unit; that of 1.0 is in milliseconds with two.
    fn in_seconds(&self) -> bool {
        self.value.split_once('.').is_some_and(|(_, decimals)| decimals.len() == 4)
    }
}

/// `95` of `95th percentile` (1.0) and of `approx.  95 percentile` (0.4 and 0.5).
fn percentile_rank(key: &str) -> Option<u32> {
    let key = key.strip_suffix("percentile")?.trim_end();
    let key = key.strip_prefix("approx.").unwrap_or(key).trim_start();
    key.strip_suffix("th").unwrap_or(key).parse().ok()
}
