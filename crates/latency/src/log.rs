//! Histograms as other programs write them: HdrHistogram's text form and its interval logs.

use crate::contents::Encoding;
use crate::{Latencies, LatencyDecodeError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use std::collections::BTreeMap;
use std::io::Read;

/// The longest text that is taken for a histogram, in bytes: sixteen times what the finest one of
/// a day in nanoseconds needs.
const LONGEST_TEXT: usize = 1 << 24;

/// What compressed histograms of version 2 begin with, before their length.
const COMPRESSED: [u8; 4] = [0x1c, 0x84, 0x93, 0x14];

/// The histogram without compression.
fn plain(bytes: Vec<u8>) -> Result<Vec<u8>, LatencyDecodeError> {
    let Some(rest) = bytes.strip_prefix(&COMPRESSED) else { return Ok(bytes) };
    let mut inflated = Vec::new();
    ZlibDecoder::new(rest.get(4..).unwrap_or_default())
        .take(LONGEST_TEXT as u64)
        .read_to_end(&mut inflated)
        .map_err(|error| LatencyDecodeError(error.to_string()))?;
    Ok(inflated)
}

/// A histogram of values in a unit that is not written with it.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodedLatencies(Vec<u8>);

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
            .map_err(|_| LatencyDecodeError("it is not base64".to_owned()))?;
        let mut bytes = plain(bytes)?;
        let length = Encoding::read(&bytes)?.bytes.len();
        bytes.truncate(length);
        bytes.shrink_to_fit();
        Ok(Self(bytes))
    }

    fn encoding(&self) -> Encoding<'_> {
        Encoding::read(&self.0).expect("checked when it was made")
    }

    /// The largest value, in the histogram's unit, as its first digits say.
    pub fn largest(&self) -> u64 {
        self.encoding().largest()
    }

    /// The middles of its counters with what they count, ascending.
    fn values(&self) -> impl Iterator<Item = (u64, u64)> {
        let encoding = self.encoding();
        encoding.counts().map(move |(index, count)| (encoding.grain.middle(index), count))
    }

    /// The same as latencies, where the unit has so many nanoseconds. Longer ones than an hour
    /// count as that.
    pub fn in_units_of(&self, nanos: u64) -> Latencies {
        Latencies::kept(self.values().map(|(value, count)| (value.saturating_mul(nanos), count)))
    }
}

/// Histograms added up whose unit is told only when all were read. It takes memory for each different
/// value, however many histograms there were.
#[derive(Clone, Debug, Default)]
pub struct UnitlessLatencies(BTreeMap<u64, u64>);

impl UnitlessLatencies {
    /// Bytes of memory for each different value, at most.
    pub const BYTES_OF_VALUE: u64 = 48;

    /// How many values of a histogram it has not had so far.
    pub fn new_values(&self, histogram: &EncodedLatencies) -> u64 {
        histogram.values().filter(|(value, _)| !self.0.contains_key(value)).count() as u64
    }

    /// Adds all values of a histogram.
    pub fn add(&mut self, histogram: &EncodedLatencies) {
        for (value, count) in histogram.values() {
            let sum = self.0.entry(value).or_default();
            *sum = sum.saturating_add(count);
        }
    }

    /// The same as latencies, where the unit has so many nanoseconds.
    pub fn in_units_of(&self, nanos: u64) -> Latencies {
        Latencies::kept(self.0.iter().map(|(value, count)| (value.saturating_mul(nanos), *count)))
    }
}

/// A distribution of latencies as a line of an interval log has it.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedLatencies {
    /// The largest value at the histogram's grain, in milliseconds; 0 where there is none.
    pub max_ms: f64,
    /// How many values there are.
    pub count: u64,
    /// Base64 of HDR V2, compressed; values are nanoseconds.
    pub histogram: String,
}

impl LoggedLatencies {
    pub(crate) fn from_histogram(histogram: &Histogram<u64>) -> Self {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(histogram, &mut bytes)
            .expect("writing a histogram into memory cannot fail");
        Self {
            max_ms: histogram.max() as f64 / 1e6,
            count: histogram.len(),
            histogram: STANDARD.encode(&bytes),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PackedLatencies;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use std::io::Write;

    fn compressed(plain: &[u8]) -> String {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        packed.write_all(plain).unwrap();
        let packed = packed.finish().unwrap();
        let length = u32::try_from(packed.len()).unwrap().to_be_bytes();
        STANDARD.encode([&COMPRESSED[..], &length, &packed].concat())
    }

    #[test]
    fn a_histogram_is_read_compressed_or_not() {
        let mut latencies = Latencies::new();
        latencies.record_many(1_000, 3);
        let bytes = latencies.to_bytes();
        for text in [STANDARD.encode(&bytes), compressed(&bytes)] {
            let read = EncodedLatencies::from_base64(&text).unwrap();
            assert_eq!(read.in_units_of(1), latencies);
        }
    }

    #[test]
    fn what_is_written_for_a_log_is_read_from_one() {
        let mut latencies = Latencies::new();
        latencies.record_many(1_000_000, 3);
        latencies.record_nanos(2_000_000);
        let packed = PackedLatencies::from(&latencies);
        for logged in [latencies.logged(), packed.logged()] {
            let line = format!("Tag=a/b,1.500,0.250,{:.3},{}", logged.max_ms, logged.histogram);
            let LatencyLogLine::Interval { tag, start_seconds, length_seconds, max, latencies } =
                LatencyLogLine::parse(&line).unwrap()
            else {
                panic!("no interval: {line}");
            };
            assert_eq!((tag.as_str(), start_seconds, length_seconds), ("a/b", 1.5, 0.25));
            assert!((max / 2.0 - 1.0).abs() < 0.01, "{max}");
            let read = latencies.in_units_of(1);
            assert_eq!((read.count(), logged.count), (4, 4));
            assert!((read.percentile_ms(50.0).unwrap() - 1.0).abs() < 0.01);
        }
    }

    #[test]
    fn contents_that_are_shorter_than_they_say_are_refused() {
        let mut bytes = Latencies::new().to_bytes();
        bytes[4..8].copy_from_slice(&u32::MAX.to_be_bytes());
        for text in [STANDARD.encode(&bytes), compressed(&bytes)] {
            let error = EncodedLatencies::from_base64(&text).unwrap_err();
            assert!(error.to_string().contains("shorter"), "{error}");
        }
        assert!(EncodedLatencies::from_base64(&STANDARD.encode(COMPRESSED)).is_err());
        assert!(EncodedLatencies::from_base64("").is_err());
    }
}
