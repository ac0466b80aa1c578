//! Units as people print them.

/// What a unit measures, and so which base unit it converts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dimension {
    /// Seconds.
    Time,
    /// Things; also figures without a unit.
    Count,
    /// Things per second.
    Rate,
    /// Bytes.
    Data,
    /// Bytes per second.
    DataRate,
    /// Hundredths.
    Percent,
    /// Anything else, such as `1/s/GB`: comparable only with the same unit.
    Other,
}

/// A unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unit {
    /// What it measures.
    pub(super) dimension: Dimension,
    /// How many base units it is.
    pub(super) factor: f64,
    /// How many base units it is when read as a power of 1024, where people write the same letters
    /// for both; equal to `factor` elsewhere.
    pub(super) binary: f64,
}

/// The unit of that name. Names differ by their case in one respect: `B` are bytes, `b` bits.
pub(super) fn parse(text: &str) -> Unit {
    let unit = |dimension, factor| Unit { dimension, factor, binary: factor };
    let text = text.trim();
    if let Some(data) = text.strip_suffix("/s").or_else(|| text.strip_suffix("ps")).and_then(data) {
        return Unit { dimension: Dimension::DataRate, ..data };
    }
    match text.to_ascii_lowercase().as_str() {
        "ns" => unit(Dimension::Time, 1e-9),
        "us" | "µs" | "usec" => unit(Dimension::Time, 1e-6),
        "ms" | "msec" => unit(Dimension::Time, 1e-3),
        "s" | "sec" | "seconds" => unit(Dimension::Time, 1.0),
        "min" | "minutes" => unit(Dimension::Time, 60.0),
        "h" | "hours" => unit(Dimension::Time, 3600.0),
        "d" | "days" => unit(Dimension::Time, 86_400.0),
        "" | "count" => unit(Dimension::Count, 1.0),
        "1/s" | "/s" | "per s" | "per sec" | "iops" | "tps" | "qps" | "ops/s" => {
            unit(Dimension::Rate, 1.0)
        }
        "1/min" | "/min" | "tpm" => unit(Dimension::Rate, 1.0 / 60.0),
        "percent" | "%" => unit(Dimension::Percent, 1.0),
        _ => data(text).unwrap_or(unit(Dimension::Other, 1.0)),
    }
}

/// An amount of data: a prefix, and bytes or bits.
fn data(text: &str) -> Option<Unit> {
    let (prefix, bytes) = if let Some(prefix) = text.strip_suffix("bit") {
        (prefix, 0.125)
    } else if let Some(prefix) = text.strip_suffix('B') {
        (prefix, 1.0)
    } else {
        (text.strip_suffix('b')?, 0.125)
    };
    let (prefix, said_binary) = match prefix.strip_suffix('i') {
        Some(prefix) => (prefix, true),
        None => (prefix, false),
    };
    let power = match prefix.to_ascii_uppercase().as_str() {
        "" => 0,
        "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        _ => return None,
    };
    let binary = bytes * 1024_f64.powi(power);
    let factor = if said_binary { binary } else { bytes * 1000_f64.powi(power) };
    Some(Unit { dimension: Dimension::Data, factor, binary })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(text: &str) -> (Dimension, f64, f64) {
        let unit = parse(text);
        (unit.dimension, unit.factor, unit.binary)
    }

    #[test]
    fn units_convert_to_their_base() {
        assert_eq!(base("ms"), (Dimension::Time, 1e-3, 1e-3));
        assert_eq!(base("min"), (Dimension::Time, 60.0, 60.0));
        assert_eq!(base("1/s"), (Dimension::Rate, 1.0, 1.0));
        assert_eq!(base("percent").0, Dimension::Percent);
        assert_eq!(base(""), (Dimension::Count, 1.0, 1.0));
        assert_eq!(base("1/s/GB").0, Dimension::Other);
        assert_eq!(base("RUB").0, Dimension::Other);
    }

    #[test]
    fn bytes_may_be_meant_in_two_ways_unless_they_say_which() {
        assert_eq!(base("MB/s"), (Dimension::DataRate, 1e6, 1_048_576.0));
        assert_eq!(base("MiB/s"), (Dimension::DataRate, 1_048_576.0, 1_048_576.0));
        assert_eq!(base("MBps").1, 1e6);
        assert_eq!(base("kB"), (Dimension::Data, 1e3, 1024.0));
        assert_eq!(base("Gb/s").1, 1.25e8);
        assert_eq!(base("Mbit/s").1, 1.25e5);
    }
}
