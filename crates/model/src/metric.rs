use crate::Noun;
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

/// What a figure is a measure of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
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

impl Metric {
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
    pub metric: Metric,
    /// What is counted, for throughput; absent for times.
    pub counted: Option<Noun>,
}

/// Every known name. Where a trial has several of one metric, the earlier one here counts.
pub const KNOWN_METRICS: [KnownMetric; 13] = [
    throughput("transactions_per_s", Noun::TRANSACTION),
    throughput("operations_per_s", Noun::OPERATION),
    throughput("requests_per_s", Noun::REQUEST),
    throughput("queries_per_s", Noun::QUERY),
    throughput("iops", Noun::IO),
    time("elapsed", Metric::Elapsed),
    time("latency_mean", Metric::LatencyMean),
    time("latency_avg", Metric::LatencyMean),
    time("latency_p50", Metric::LatencyP50),
    time("latency_median", Metric::LatencyP50),
    time("latency_p95", Metric::LatencyP95),
    time("latency_95th", Metric::LatencyP95),
    time("latency_p99", Metric::LatencyP99),
];

const fn throughput(name: &'static str, counted: Noun) -> KnownMetric {
    KnownMetric { name, metric: Metric::Throughput, counted: Some(counted) }
}

const fn time(name: &'static str, metric: Metric) -> KnownMetric {
    KnownMetric { name, metric, counted: None }
}

/// What is known of a figure by its name.
pub fn known_metric(name: &str) -> Option<&'static KnownMetric> {
    KNOWN_METRICS.iter().find(|known| known.name == name)
}

/// By what a figure in this unit is multiplied to be in the unit of its metric: one per second,
/// seconds, or milliseconds. `None` for a unit that is missing where one is needed, or is none of
/// that metric.
pub fn factor_to(metric: Metric, unit: &str) -> Option<f64> {
    match metric {
        Metric::Throughput => match unit {
            "" | "1/s" | "/s" | "per s" => Some(1.0),
            "1/min" | "/min" | "per min" => Some(1.0 / 60.0),
            _ => None,
        },
        Metric::Elapsed => seconds_in(unit),
        Metric::LatencyMean | Metric::LatencyP50 | Metric::LatencyP95 | Metric::LatencyP99 => {
            seconds_in(unit).map(|seconds| seconds * 1e3)
        }
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
        assert_eq!(factor_to(Metric::Elapsed, "min"), Some(60.0));
        assert_eq!(factor_to(Metric::LatencyP95, "ms"), Some(1.0));
        assert_eq!(factor_to(Metric::LatencyMean, "us"), Some(1e-3));
        assert_eq!(factor_to(Metric::LatencyMean, ""), None, "a time needs a unit");
        assert_eq!(factor_to(Metric::Throughput, "ms"), None);
    }

    #[test]
    fn no_name_is_known_twice() {
        for (i, metric) in KNOWN_METRICS.iter().enumerate() {
            assert!(KNOWN_METRICS[i + 1..].iter().all(|other| other.name != metric.name));
        }
    }
}
