use crate::{Level, Metric, Slo};
use serde::{Deserialize, Serialize};

/// A load that a target is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerAt {
    pub load: AskedLoad,
    /// The bound that latency must meet there, if any.
    pub slo: Option<Slo>,
}

/// How much a target is to do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskedLoad {
    /// Transactions per second, above 0.
    Rate(f64),
    /// Clients that each run one transaction after another.
    Clients(u32),
}

impl AskedLoad {
    /// Whether a level is this load.
    pub fn is_at(self, level: Level) -> bool {
        match self {
            Self::Rate(rate) => level.rate.is_some_and(|offered| f64::from(offered) == rate),
            Self::Clients(clients) => !level.is_open() && level.clients == clients,
        }
    }
}

/// By what a report says which target is best, where the study says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerBy {
    Throughput,
    LatencyMean,
    LatencyP50,
    LatencyP95,
    LatencyP99,
    Elapsed,
    CatchUp,
    Downtime,
    /// What a million transactions cost, each target at its peak.
    Cost,
}

impl AnswerBy {
    /// All, in the order in which help texts list them.
    pub const ALL: [Self; 9] = [
        Self::Throughput,
        Self::LatencyMean,
        Self::LatencyP50,
        Self::LatencyP95,
        Self::LatencyP99,
        Self::Elapsed,
        Self::CatchUp,
        Self::Downtime,
        Self::Cost,
    ];

    /// The metric that it is; cost is none.
    pub fn metric(self) -> Option<Metric> {
        Some(match self {
            Self::Throughput => Metric::Throughput,
            Self::LatencyMean => Metric::LatencyMean,
            Self::LatencyP50 => Metric::LatencyP50,
            Self::LatencyP95 => Metric::LatencyP95,
            Self::LatencyP99 => Metric::LatencyP99,
            Self::Elapsed => Metric::Elapsed,
            Self::CatchUp => Metric::CatchUpTime,
            Self::Downtime => Metric::Downtime,
            Self::Cost => return None,
        })
    }

    /// The name that study files use: that of the metric.
    pub fn name(self) -> &'static str {
        self.metric().map_or("cost", |metric| metric.entry().id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_and_study_files_name_them_alike() {
        for by in AnswerBy::ALL {
            assert_eq!(serde_json::to_value(by).ok(), Some(by.name().into()));
        }
    }
}
