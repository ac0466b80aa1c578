use serde::{Deserialize, Serialize};

/// Which way a figure is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// The higher the better.
    More,
    /// The lower the better.
    Less,
}

/// What a figure is a measure of, whatever it is counted in: figures of one quantity can stand
/// beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Work done per second.
    Throughput,
    /// How long a piece of work took as a whole, in seconds.
    Elapsed,
    /// Mean latency in milliseconds.
    LatencyMean,
    /// Median latency in milliseconds.
    LatencyP50,
    /// 95th percentile of latency in milliseconds.
    LatencyP95,
    /// 99th percentile of latency in milliseconds.
    LatencyP99,
}

impl Quantity {
    /// Which way it is better.
    pub fn better(self) -> Better {
        match self {
            Self::Throughput => Better::More,
            Self::Elapsed
            | Self::LatencyMean
            | Self::LatencyP50
            | Self::LatencyP95
            | Self::LatencyP99 => Better::Less,
        }
    }
}

/// A name of a figure that weighin understands; figures of other names are kept and shown, and
/// nothing is concluded from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownMetric {
    /// The name, as importers write it.
    pub name: &'static str,
    /// What it measures.
    pub quantity: Quantity,
    /// What is counted, in the plural, for throughput; empty for times.
    pub counted: &'static str,
}

/// Every known name. Where a trial has several of one quantity, the earlier one here counts.
pub const KNOWN_METRICS: [KnownMetric; 13] = [
    throughput("transactions_per_s", "transactions"),
    throughput("operations_per_s", "operations"),
    throughput("requests_per_s", "requests"),
    throughput("queries_per_s", "queries"),
    throughput("iops", "I/O operations"),
    time("elapsed", Quantity::Elapsed),
    time("latency_mean", Quantity::LatencyMean),
    time("latency_avg", Quantity::LatencyMean),
    time("latency_p50", Quantity::LatencyP50),
    time("latency_median", Quantity::LatencyP50),
    time("latency_p95", Quantity::LatencyP95),
    time("latency_95th", Quantity::LatencyP95),
    time("latency_p99", Quantity::LatencyP99),
];

const fn throughput(name: &'static str, counted: &'static str) -> KnownMetric {
    KnownMetric { name, quantity: Quantity::Throughput, counted }
}

const fn time(name: &'static str, quantity: Quantity) -> KnownMetric {
    KnownMetric { name, quantity, counted: "" }
}

/// What is known of a figure by its name.
pub fn known_metric(name: &str) -> Option<&'static KnownMetric> {
    KNOWN_METRICS.iter().find(|known| known.name == name)
}

/// By what a figure in this unit is multiplied to be in the unit of its quantity: one per second,
/// seconds, or milliseconds. `None` for a unit that is missing where one is needed, or is none of
/// that quantity.
pub fn factor_to(quantity: Quantity, unit: &str) -> Option<f64> {
    match quantity {
        Quantity::Throughput => match unit {
            "" | "1/s" | "/s" | "per s" => Some(1.0),
            "1/min" | "/min" | "per min" => Some(1.0 / 60.0),
            _ => None,
        },
        Quantity::Elapsed => seconds_in(unit),
        Quantity::LatencyMean
        | Quantity::LatencyP50
        | Quantity::LatencyP95
        | Quantity::LatencyP99 => seconds_in(unit).map(|seconds| seconds * 1e3),
    }
}

/// How many seconds a unit of time has; `None` for what is not known as one.
pub fn seconds_in(unit: &str) -> Option<f64> {
    Some(match unit {
        "ns" => 1e-9,
        "us" | "µs" | "μs" => 1e-6,
        "ms" => 1e-3,
        "s" | "sec" => 1.0,
        "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_come_in_the_unit_of_their_quantity() {
        assert_eq!(factor_to(Quantity::Elapsed, "min"), Some(60.0));
        assert_eq!(factor_to(Quantity::LatencyP95, "ms"), Some(1.0));
        assert_eq!(factor_to(Quantity::LatencyMean, "us"), Some(1e-3));
        assert_eq!(factor_to(Quantity::LatencyMean, ""), None, "a time needs a unit");
        assert_eq!(factor_to(Quantity::Throughput, "ms"), None);
    }

    #[test]
    fn no_name_is_known_twice() {
        for (i, metric) in KNOWN_METRICS.iter().enumerate() {
            assert!(KNOWN_METRICS[i + 1..].iter().all(|other| other.name != metric.name));
        }
    }
}
