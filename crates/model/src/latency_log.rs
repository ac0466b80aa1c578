//! Histograms as other programs write them: HdrHistogram's text form and its interval logs.

use crate::{Latencies, LatencyDecodeError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

/// The longest text that is taken for a histogram, in bytes: sixteen times what the finest one of
/// a day in nanoseconds needs.
const LONGEST_TEXT: usize = 1 << 24;

/// A histogram of values in a unit that is not written with it.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodedLatencies(Histogram<u64>);

impl EncodedLatencies {
    /// Reads base64 of HDR V2, compressed or not.
    ///
    /// # Errors
    /// When it is none.
    pub fn from_base64(text: &str) -> Result<Self, LatencyDecodeError> {
        if text.len() > LONGEST_TEXT {
            return Err(LatencyDecodeError("it is too long".to_owned()));
        }
        let bytes = STANDARD
            .decode(text.trim())
            .map_err(|_| LatencyDecodeError("it is no base64".to_owned()))?;
        Deserializer::new()
            .deserialize(&mut &bytes[..])
            .map(Self)
            .map_err(|error| LatencyDecodeError(error.to_string()))
    }

    /// The largest value, in the histogram's unit, as its first digits say.
    pub fn largest(&self) -> u64 {
        self.0.max()
    }

    /// The same as latencies, where the unit has so many nanoseconds. Longer ones than an hour
    /// count as that.
    pub fn in_units_of(&self, nanos: u64) -> Latencies {
        let mut latencies = Latencies::new();
        for value in self.0.iter_recorded() {
            let value_at = value.value_iterated_to();
            let half = self.0.equivalent_range(value_at) / 2;
            let middle = self.0.lowest_equivalent(value_at).saturating_add(half);
            latencies.record_many(middle.saturating_mul(nanos), value.count_at_value());
        }
        latencies
    }
}

/// A line of an HdrHistogram log.
#[derive(Clone, Debug, PartialEq)]
pub enum LatencyLogLine {
    /// When what is logged began, in seconds since 1970.
    StartTime(f64),
    /// What the starts of intervals are counted from, in seconds since 1970.
    BaseTime(f64),
    /// An interval.
    Interval {
        /// What it is of; empty where nothing is said.
        tag: String,
        /// When it began, in seconds.
        start_seconds: f64,
        /// How long it is, in seconds.
        length_seconds: f64,
        /// The largest value, in the log's unit for them, which is most often the millisecond.
        max: f64,
        /// Its values.
        latencies: EncodedLatencies,
    },
    /// A comment, the heading, an empty line.
    Nothing,
}

impl LatencyLogLine {
    /// Reads a line of a log of versions 1.1 to 1.3.
    ///
    /// # Errors
    /// When the line is none of a log, or its histogram cannot be decoded.
    pub fn parse(line: &str) -> Result<Self, LatencyDecodeError> {
        let line = line.trim();
        if line.is_empty() {
            return Ok(Self::Nothing);
        }
        // The library looks for the end of every line.
        let line = format!("{line}\n");
        match IntervalLogIterator::new(line.as_bytes()).next() {
            None => Ok(Self::Nothing),
            Some(Err(_)) => Err(LatencyDecodeError("no line of a histogram log".to_owned())),
            Some(Ok(LogEntry::StartTime(time))) => Ok(Self::StartTime(time.as_secs_f64())),
            Some(Ok(LogEntry::BaseTime(time))) => Ok(Self::BaseTime(time.as_secs_f64())),
            Some(Ok(LogEntry::Interval(interval))) => Ok(Self::Interval {
                tag: interval.tag().map_or("", |tag| tag.as_str()).to_owned(),
                start_seconds: interval.start_timestamp().as_secs_f64(),
                length_seconds: interval.duration().as_secs_f64(),
                max: interval.max(),
                latencies: EncodedLatencies::from_base64(interval.encoded_histogram())?,
            }),
        }
    }
}
