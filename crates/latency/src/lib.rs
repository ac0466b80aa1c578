//! Distributions of latencies: HDR histograms, as they are recorded, merged, kept and written for
//! other programs.

mod contents;
mod grain;
mod log;
mod packed;
mod summary;

pub use self::log::{EncodedLatencies, LatencyLogLine, LoggedLatencies, UnitlessLatencies};
pub use self::packed::{PackedLatencies, PackedSum};

use self::contents::{Contents, Encoding, GRAIN};
use self::grain::Grain;
use self::summary::{KEPT, Summary};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2Serializer};
use serde::de::Visitor;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

/// Shortest latency told apart from zero, in nanoseconds.
const LOWEST_NS: u64 = 100;
/// Longest latency that keeps its value, in nanoseconds (one hour); longer ones count as this.
const HIGHEST_NS: u64 = 3_600_000_000_000;
/// Decimal digits that every recorded value keeps.
const DIGITS: u8 = 3;
/// Why a latency can be recorded.
const ROOM: &str = "there is room for counters up to an hour";

/// A distribution of latencies: an HDR histogram from 100 ns to 1 h with three significant
/// digits.
///
/// All instances have the same bounds, so any two can be merged; percentiles of several trials
/// come from the merged histogram and are never averaged.
#[derive(Clone, Debug)]
pub struct Latencies {
    counts: Counters,
    /// Absent while nothing was asked for since the last value.
    known: OnceLock<Box<Summary>>,
}

/// The counters of a distribution.
#[derive(Clone, Debug)]
enum Counters {
    /// To be counted in. There are some up to the longest latency so far: those of a trial are a few
    /// tens of kilobytes, where counters up to an hour take two hundred, of which every copy and sum
    /// would go through all.
    Open(Box<Histogram<u64>>),
    /// As it was read. It takes as much memory as it has contents, whatever the longest latency is: a
    /// file from elsewhere may hold many.
    Kept(Contents),
}

/// Bytes that are not a latency histogram written by [`Latencies::to_bytes`].
#[derive(Debug, thiserror::Error)]
#[error("not a latency histogram: {0}")]
pub struct LatencyDecodeError(pub(crate) String);

impl PartialEq for Latencies {
    fn eq(&self, other: &Self) -> bool {
        // Not by how many counters there are, which is no part of what was recorded.
        self.count() == other.count() && self.recorded().eq(other.recorded())
    }
}

impl Default for Latencies {
    fn default() -> Self {
        Self::new()
    }
}

impl Latencies {
    /// By how much a value read from a distribution may be off, relative to itself.
    pub const ROUNDING: f64 = 1e-3;

    /// Milliseconds that longer values count as: of a value as long as this it is known only that it
    /// was as long at least.
    pub const LONGEST_MS: f64 = HIGHEST_NS as f64 / 1e6;

    /// An empty distribution.
    pub fn new() -> Self {
        let mut histogram = with_bounds(2 * LOWEST_NS, DIGITS);
        histogram.auto(true);
        Self { counts: Counters::Open(Box::new(histogram)), known: OnceLock::new() }
    }

    /// Of values in nanoseconds with how often each was recorded, ascending. Longer ones than an hour
    /// count as one. It takes as much memory as there are different values.
    fn kept(values: impl Iterator<Item = (u64, u64)>) -> Self {
        Self::from_contents(Contents::from_values(values))
    }

    fn from_contents(contents: Contents) -> Self {
        Self { counts: Counters::Kept(contents), known: OnceLock::new() }
    }

    /// The counters, of which nothing is known any more.
    #[inline]
    fn changed(&mut self) -> &mut Histogram<u64> {
        if self.known.get().is_some() {
            self.known = OnceLock::new();
        }
        if let Counters::Kept(_) = self.counts {
            self.open();
        }
        match &mut self.counts {
            Counters::Open(histogram) => histogram,
            Counters::Kept(_) => unreachable!("it was opened"),
        }
    }

    #[cold]
    fn open(&mut self) {
        let mut opened = Self::new();
        opened.merge(self);
        *self = opened;
    }

    /// The least value of each counter that counts anything, ascending, with what it counts.
    fn recorded(&self) -> Box<dyn Iterator<Item = (u64, u64)> + '_> {
        match &self.counts {
            Counters::Open(histogram) => Box::new(histogram.iter_recorded().map(|at| {
                (histogram.lowest_equivalent(at.value_iterated_to()), at.count_at_value())
            })),
            Counters::Kept(contents) => {
                Box::new(contents.counts().map(|(index, count)| (GRAIN.lowest(index), count)))
            }
        }
    }

    fn known(&self) -> &Summary {
        let summary = || match &self.counts {
            Counters::Open(histogram) => {
                let recorded = histogram.iter_recorded();
                let counts =
                    recorded.map(|at| (GRAIN.index(at.value_iterated_to()), at.count_at_value()));
                Summary::from_counts(histogram.len(), counts)
            }
            Counters::Kept(contents) => Summary::from_counts(contents.values(), contents.counts()),
        };
        self.known.get_or_init(|| Box::new(summary()))
    }

    /// Records one latency. Values above one hour are recorded as one hour.
    #[inline]
    pub fn record(&mut self, latency: Duration) {
        self.record_nanos(u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Records one latency given in nanoseconds. Values above one hour are recorded as one hour.
    #[inline]
    pub fn record_nanos(&mut self, nanos: u64) {
        self.changed().record(nanos.min(HIGHEST_NS)).expect(ROOM);
    }

    /// Records one latency in nanoseconds many times over. Values above one hour are recorded as
    /// one hour.
    pub fn record_many(&mut self, nanos: u64, count: u64) {
        self.changed().record_n(nanos.min(HIGHEST_NS), count).expect(ROOM);
    }

    /// Adds all values of `other`.
    pub fn merge(&mut self, other: &Self) {
        match &other.counts {
            Counters::Open(histogram) => {
                let added = self.changed().add(&**histogram);
                added.expect("all latency histograms have the same bounds");
            }
            Counters::Kept(contents) => {
                let own = self.changed();
                for (index, count) in contents.counts() {
                    own.record_n(GRAIN.lowest(index), count).expect(ROOM);
                }
            }
        }
    }

    /// The values that are longer than all of `other`; all where that is empty.
    pub fn longer_than(&self, other: &Self) -> Self {
        let mut longer = Self::new();
        let longest = other.recorded().last().map(|(at, _)| at);
        for (at, count) in self.recorded().filter(|(at, _)| longest.is_none_or(|end| *at > end)) {
            longer.record_many(at, count);
        }
        longer
    }

    /// The values without those of `part`, which are among them; a value that is not is passed over.
    pub fn without(&self, part: &Self) -> Self {
        let mut rest = Self::new();
        let mut taken = part.recorded().peekable();
        for (at, count) in self.recorded() {
            while taken.next_if(|(other, _)| *other < at).is_some() {}
            let out = taken.next_if(|(other, _)| *other == at).map_or(0, |(_, count)| count);
            if count > out {
                rest.record_many(at, count - out);
            }
        }
        rest
    }

    /// Forgets all values and keeps the memory.
    pub fn clear(&mut self) {
        self.changed().reset();
    }

    /// How many values were recorded.
    pub fn count(&self) -> u64 {
        match &self.counts {
            Counters::Open(histogram) => histogram.len(),
            Counters::Kept(contents) => contents.values(),
        }
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// How much memory its values take, in bytes.
    pub fn memory(&self) -> u64 {
        let counters = match &self.counts {
            Counters::Open(histogram) => histogram.distinct_values() * size_of::<u64>(),
            Counters::Kept(contents) => contents.bytes(),
        };
        counters as u64
    }

    /// The value at a percentile in 0 to 100, in milliseconds; `None` when empty.
    pub fn percentile_ms(&self, percentile: f64) -> Option<f64> {
        let counted = || match &self.counts {
            Counters::Open(histogram) => histogram.value_at_percentile(percentile),
            Counters::Kept(contents) => contents.quantile(percentile / 100.0),
        };
        (!self.is_empty()).then(|| match KEPT.iter().position(|kept| *kept == percentile) {
            Some(place) => ms(self.known().percentiles[place]),
            None => ms(counted()),
        })
    }

    /// Smallest value in milliseconds; `None` when empty.
    pub fn min_ms(&self) -> Option<f64> {
        (!self.is_empty()).then(|| ms(self.known().least))
    }

    /// Largest value in milliseconds, to the grain as percentiles are, so that none of them is above it;
    /// `None` when empty.
    pub fn max_ms(&self) -> Option<f64> {
        match &self.counts {
            Counters::Open(histogram) => {
                let most = || ms(histogram.highest_equivalent(histogram.max()));
                (!histogram.is_empty()).then(most)
            }
            Counters::Kept(_) => (!self.is_empty()).then(|| ms(self.known().most)),
        }
    }

    /// Arithmetic mean in milliseconds; `None` when empty.
    pub fn mean_ms(&self) -> Option<f64> {
        (!self.is_empty()).then(|| self.known().mean / 1e6)
    }

    /// Every value in milliseconds, at the histogram's grain, with how often it was recorded; in
    /// ascending order.
    pub fn recorded_ms(&self) -> Vec<(f64, u64)> {
        let shown = |lowest| ms(GRAIN.highest(GRAIN.index(lowest)));
        self.recorded().map(|(lowest, count)| (shown(lowest), count)).collect()
    }

    /// As a line of an interval log has it.
    pub fn logged(&self) -> LoggedLatencies {
        LoggedLatencies::from_histogram(&self.with_all_counters())
    }

    /// The HDR V2 encoding (uncompressed), the field's interchange format.
    pub fn to_bytes(&self) -> Vec<u8> {
        match &self.counts {
            Counters::Open(_) => encoded(&self.with_all_counters()),
            Counters::Kept(contents) => contents.encoded(),
        }
    }

    /// The same with counters up to an hour: what is written says the bounds that all instances have.
    fn with_all_counters(&self) -> Histogram<u64> {
        let mut all = with_bounds(HIGHEST_NS, DIGITS);
        match &self.counts {
            Counters::Open(histogram) => all.add(&**histogram).expect(ROOM),
            Counters::Kept(_) => {
                self.recorded().for_each(|(value, count)| all.record_n(value, count).expect(ROOM));
            }
        }
        all
    }

    /// Reads what [`Self::to_bytes`] wrote, or any HDR V2 encoding without compression. Takes as much
    /// memory as the bytes, whatever bounds they say.
    ///
    /// # Errors
    /// When the bytes are not an HDR V2 histogram.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LatencyDecodeError> {
        Encoding::read(bytes).map(|encoding| Self::from_encoding(&encoding))
    }

    fn from_encoding(encoding: &Encoding<'_>) -> Self {
        if let Some(contents) = Contents::as_encoded(encoding) {
            return Self::from_contents(contents);
        }
        let grain = encoding.grain;
        let is_fine = encoding.digits >= DIGITS.into() && encoding.largest() <= HIGHEST_NS;
        // A coarse bucket's values lie around its middle.
        let value = if is_fine { Grain::lowest } else { Grain::middle };
        Self::kept(encoding.counts().map(|(index, count)| (value(grain, index), count)))
    }
}

/// The HDR V2 encoding.
fn encoded(histogram: &Histogram<u64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    V2Serializer::new()
        .serialize(histogram, &mut bytes)
        .expect("writing a histogram into memory cannot fail");
    bytes
}

/// An empty histogram with counters from [`LOWEST_NS`] to `highest`, in nanoseconds.
fn with_bounds(highest: u64, digits: u8) -> Histogram<u64> {
    Histogram::new_with_bounds(LOWEST_NS, highest, digits)
        .expect("the bounds are constants that hdrhistogram accepts")
}

fn decoded<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    deserializer.deserialize_str(Base64)
}

/// Reads base64 without a copy of the text.
struct Base64;

impl Visitor<'_> for Base64 {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a histogram in base64")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Vec<u8>, E> {
        STANDARD.decode(text).map_err(|_| E::custom("a histogram must be base64"))
    }
}

fn ms(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}

impl Serialize for Latencies {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(self.to_bytes()))
    }
}

impl<'de> Deserialize<'de> for Latencies {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_bytes(&decoded(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_percentiles_come_from_all_values() {
        let mut fast = Latencies::new();
        let mut slow = Latencies::new();
        (0..99).for_each(|_| fast.record(Duration::from_millis(1)));
        slow.record(Duration::from_millis(100));
        fast.merge(&slow);
        assert_eq!(fast.count(), 100);
        assert!((fast.percentile_ms(50.0).unwrap() - 1.0).abs() < 0.01);
        assert!((fast.max_ms().unwrap() - 100.0).abs() < 0.2);
    }

    #[test]
    fn bytes_and_json_round_trip() {
        let mut latencies = Latencies::new();
        for nanos in [0, 99, 100, 1_000, 123_456, 7_000_000_000, u64::MAX] {
            latencies.record_nanos(nanos);
        }
        assert_eq!(Latencies::from_bytes(&latencies.to_bytes()).unwrap(), latencies);
        let json = serde_json::to_string(&latencies).unwrap();
        assert_eq!(serde_json::from_str::<Latencies>(&json).unwrap(), latencies);
    }

    #[test]
    fn counters_grow_with_what_is_recorded_and_change_no_value() {
        let mut all = Histogram::<u64>::new_with_bounds(LOWEST_NS, HIGHEST_NS, DIGITS).unwrap();
        let mut short = Latencies::new();
        let mut long = Latencies::new();
        for exponent in 0..36 {
            for nanos in [1u64, 50, 99].map(|part| (part << exponent).min(HIGHEST_NS)) {
                all.record_n(nanos, 3).unwrap();
                if exponent < 12 { short.record_many(nanos, 3) } else { long.record_many(nanos, 3) }
            }
        }
        let counters = |latencies: &Latencies| latencies.memory() as usize / size_of::<u64>();
        assert!(counters(&short) < counters(&long) && counters(&long) <= all.distinct_values());
        let [mut one, mut other] = [short.clone(), long.clone()];
        one.merge(&long);
        other.merge(&short);
        assert_eq!(one, other, "in whichever order they are added");
        assert_eq!(
            one.to_bytes(),
            encoded(&all),
            "as if there had been all counters from the beginning"
        );
        for percentile in [0.0, 1.0, 50.0, 99.9, 100.0] {
            let of_all = ms(all.value_at_percentile(percentile));
            assert_eq!(one.percentile_ms(percentile), Some(of_all), "p{percentile}");
        }
        // Cleared, it has more counters than what it is compared with.
        long.clear();
        long.merge(&short);
        assert_eq!(long, short);
        assert_eq!(short, long);
        short.record_nanos(1);
        assert_ne!(long, short);
    }

    #[test]
    fn what_others_wrote_of_longer_than_an_hour_counts_as_an_hour() {
        let mut days = Histogram::<u64>::new_with_bounds(1, 100 * HIGHEST_NS, DIGITS).unwrap();
        days.record_n(48 * HIGHEST_NS, 2).unwrap();
        days.record_n(1_000_000, 3).unwrap();
        let read = Latencies::from_bytes(&encoded(&days)).unwrap();
        let hour = HIGHEST_NS as f64 / 1e6;
        assert_eq!(read.count(), 5);
        assert!((read.max_ms().unwrap() / hour - 1.0).abs() < Latencies::ROUNDING);
        assert_eq!(Latencies::from_bytes(&read.to_bytes()).unwrap(), read);
    }

    #[test]
    fn what_was_asked_for_is_forgotten_with_every_further_value() {
        let asked = |latencies: &Latencies| {
            let percentiles = [50.0, 90.0, 95.0, 99.0, 99.9].map(|p| latencies.percentile_ms(p));
            (latencies.mean_ms(), percentiles)
        };
        let [mut kept, mut other] = [Latencies::new(), Latencies::new()];
        other.record_nanos(9_000_000);
        let changes: [&dyn Fn(&mut Latencies); 5] = [
            &|latencies| latencies.record_nanos(1_000),
            &|latencies| latencies.record(Duration::from_millis(3)),
            &|latencies| latencies.record_many(500_000, 2_000),
            &|latencies| latencies.merge(&other),
            &|latencies| latencies.clear(),
        ];
        let mut before = asked(&kept);
        for change in changes {
            change(&mut kept);
            let fresh = Latencies::from_bytes(&kept.to_bytes()).unwrap();
            assert_eq!(asked(&kept), asked(&fresh));
            assert_ne!(asked(&kept), before);
            before = asked(&kept);
        }
    }

    #[test]
    fn what_was_read_takes_memory_for_its_contents_and_not_for_its_longest_value() {
        let mut hour = Latencies::new();
        hour.record_nanos(u64::MAX);
        let read = Latencies::from_bytes(&hour.to_bytes()).unwrap();
        assert!(hour.memory() > 100_000 && read.memory() < 100, "{}", read.memory());
        assert_eq!(read.recorded_ms(), hour.recorded_ms());
        assert_eq!((read.min_ms(), read.max_ms()), (hour.min_ms(), hour.max_ms()));
        assert_eq!((read.to_bytes(), read.logged()), (hour.to_bytes(), hour.logged()));
    }

    #[test]
    fn an_empty_distribution_has_no_statistics() {
        let empty = Latencies::new();
        assert_eq!(empty.percentile_ms(95.0), None);
        assert_eq!(empty.mean_ms(), None);
        assert_eq!(empty.max_ms(), None);
    }

    #[test]
    fn garbage_is_refused() {
        assert!(Latencies::from_bytes(b"not a histogram").is_err());
        assert!(serde_json::from_str::<Latencies>("\"zz\"").is_err());
    }

    /// A histogram of three digits from 100 ns to an hour that says its contents are so long.
    fn with_contents(length: u32, contents: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x1c, 0x84, 0x93, 0x13];
        bytes.extend(length.to_be_bytes());
        bytes.extend(0u32.to_be_bytes());
        bytes.extend(u32::from(DIGITS).to_be_bytes());
        bytes.extend(LOWEST_NS.to_be_bytes());
        bytes.extend(HIGHEST_NS.to_be_bytes());
        bytes.extend(1f64.to_be_bytes());
        bytes.extend(contents);
        bytes
    }

    #[test]
    fn what_is_said_in_more_bytes_is_kept_in_as_few_as_it_takes() {
        let bytes = |contents: &[u8]| with_contents(contents.len() as u32, contents);
        // Counts are twice themselves, and so many counters that are skipped twice as many less one.
        let forms: [(&[u8], &[u8]); 6] = [
            (&[0, 0, 2], &[3, 2]),
            (&[1, 1, 2], &[3, 2]),
            (&[5, 0, 2], &[7, 2]),
            (&[1, 2], &[0, 2]),
            (&[2, 0], &[2]),
            (&[], &[0]),
        ];
        for (long, short) in forms {
            for contents in [long, short] {
                let read = Latencies::from_bytes(&bytes(contents)).unwrap();
                assert_eq!(read.to_bytes(), bytes(short), "{contents:?}");
            }
        }
    }

    #[test]
    fn lengths_and_counts_that_lie_are_refused() {
        let one = Latencies::from_bytes(&with_contents(1, &[2])).unwrap();
        assert_eq!(one.count(), 1);
        // 4 GiB of contents of which there is one byte: nothing is allocated for them.
        assert!(Latencies::from_bytes(&with_contents(u32::MAX, &[2])).is_err());
        // The number whose negation does not fit, and one that is cut off.
        assert!(Latencies::from_bytes(&with_contents(9, &[0xff; 9])).is_err());
        assert!(Latencies::from_bytes(&with_contents(2, &[0xff; 2])).is_err());
        // As many values as fit into 62 bits, twice over.
        let huge = [&[0xfe; 8][..], &[0x7f]].concat();
        assert!(Latencies::from_bytes(&with_contents(9, &huge)).is_err());
    }
}
