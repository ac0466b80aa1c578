use super::{DIGITS, HIGHEST_NS, Latencies, LatencyDecodeError, decoded, encoded, ms, with_bounds};
use crate::contents::Encoding;
use crate::log::LoggedLatencies;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use serde::{Deserialize, Serialize};

/// Decimal digits that packed values keep: enough for a line over time.
const PACKED_DIGITS: u8 = 2;

/// [`Latencies`] in a few hundred bytes instead of a few hundred thousand, to two significant
/// digits: how intervals keep them, of which a long trial has many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedLatencies(Vec<u8>);

impl PackedLatencies {
    /// By how much a value read from one may be off, relative to itself.
    pub const ROUNDING: f64 = 1e-2;

    /// The distribution.
    pub fn unpack(&self) -> Latencies {
        Latencies::from_encoding(&self.encoding())
    }

    /// Every value in milliseconds, at the grain of two digits, with how often it was recorded; in
    /// ascending order. Takes a tenth of the work of [`Self::unpack`].
    pub fn recorded_ms(&self) -> Vec<(f64, u64)> {
        let encoding = self.encoding();
        let middle = |index| ms(encoding.grain.middle(index));
        encoding.counts().map(|(index, count)| (middle(index), count)).collect()
    }

    /// As a line of an interval log has it.
    pub fn logged(&self) -> LoggedLatencies {
        LoggedLatencies::from_histogram(&self.coarse())
    }

    fn encoding(&self) -> Encoding<'_> {
        Encoding::read(&self.0).expect("checked when it was made")
    }

    fn coarse(&self) -> Histogram<u64> {
        Deserializer::new().deserialize(&mut &self.0[..]).expect("checked when it was made")
    }

    /// The HDR V2 encoding.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Takes what [`Self::as_bytes`] or [`Latencies::to_bytes`] gave.
    ///
    /// # Errors
    /// When the bytes are not an HDR V2 histogram.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, LatencyDecodeError> {
        let encoding = Encoding::read(&bytes)?;
        // Finer ones have bounds that may not fit.
        if encoding.digits >= DIGITS.into() {
            return Ok(Self::from(&Latencies::from_encoding(&encoding)));
        }
        let length = encoding.bytes.len();
        let mut bytes = bytes;
        bytes.truncate(length);
        bytes.shrink_to_fit();
        Ok(Self(bytes))
    }
}

impl From<&Latencies> for PackedLatencies {
    fn from(latencies: &Latencies) -> Self {
        let mut coarse = coarse();
        for (value, count) in latencies.recorded() {
            coarse.saturating_record_n(value, count);
        }
        Self(encoded(&coarse))
    }
}

/// [`PackedLatencies`] added up, at their grain.
#[derive(Clone, Debug)]
pub struct PackedSum(Histogram<u64>);

impl Default for PackedSum {
    fn default() -> Self {
        Self(coarse())
    }
}

impl PackedSum {
    pub fn add(&mut self, packed: &PackedLatencies) {
        let encoding = packed.encoding();
        for (index, count) in encoding.counts() {
            self.0.saturating_record_n(encoding.grain.highest(index), count);
        }
    }

    pub fn pack(&self) -> PackedLatencies {
        PackedLatencies(encoded(&self.0))
    }
}

fn coarse() -> Histogram<u64> {
    with_bounds(HIGHEST_NS, PACKED_DIGITS)
}

impl Serialize for PackedLatencies {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for PackedLatencies {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_bytes(decoded(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_latencies_are_small_and_true_to_two_digits() {
        let mut latencies = Latencies::new();
        (1..=100_000u64).for_each(|i| latencies.record_nanos(20_000 + i * 499));
        let packed = PackedLatencies::from(&latencies);
        assert!(packed.as_bytes().len() < 3_000, "{}", packed.as_bytes().len());
        let unpacked = packed.unpack();
        assert_eq!(unpacked.count(), latencies.count());
        for percentile in [1.0, 50.0, 95.0, 99.9] {
            let [was, is] = [&latencies, &unpacked].map(|l| l.percentile_ms(percentile).unwrap());
            assert!((is / was - 1.0).abs() < 0.01, "p{percentile}: {is} for {was}");
        }
        assert_eq!(PackedLatencies::from(&unpacked), packed, "packing again loses nothing");
        let mut sum = PackedSum::default();
        sum.add(&packed);
        assert_eq!(sum.pack(), packed, "and adding it up");
        sum.add(&packed);
        assert_eq!(sum.pack().unpack().count(), 2 * latencies.count());
        let json = serde_json::to_string(&packed).unwrap();
        assert_eq!(serde_json::from_str::<PackedLatencies>(&json).unwrap(), packed);
        let more = [packed.as_bytes(), &[7; 1 << 20]].concat();
        assert_eq!(PackedLatencies::from_bytes(more).unwrap(), packed, "what follows is not kept");
        let fine = PackedLatencies::from_bytes(latencies.to_bytes()).unwrap();
        assert_eq!(fine, packed, "whatever it was made of");
        let recorded = packed.recorded_ms();
        assert_eq!(recorded.iter().map(|(_, count)| count).sum::<u64>(), latencies.count());
        assert!(recorded.is_sorted_by(|a, b| a.0 < b.0));
        assert!((recorded[0].0 / 0.020_5 - 1.0).abs() < 0.01, "{:?}", recorded[0]);
    }
}
