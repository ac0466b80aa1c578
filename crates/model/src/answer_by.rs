use crate::{Better, Level, Metric, Slo};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerBy {
    /// One of which less or more is better.
    Metric(Metric),
    /// What a million transactions cost, each target at its peak.
    Cost,
}

impl AnswerBy {
    const COST: &str = "cost";

    /// All, in the order in which help texts list them.
    pub fn all() -> impl Iterator<Item = Self> {
        let judged = Metric::ALL.iter().filter(|metric| metric.better() != Better::Neither);
        judged.map(|&metric| Self::Metric(metric)).chain([Self::Cost])
    }

    /// The metric that it is; cost is none.
    pub fn metric(self) -> Option<Metric> {
        match self {
            Self::Metric(metric) => Some(metric),
            Self::Cost => None,
        }
    }

    /// The name that study files and stores use: that of the metric.
    pub fn name(self) -> &'static str {
        self.metric().map_or(Self::COST, |metric| metric.entry().id)
    }
}

impl Serialize for AnswerBy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for AnswerBy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = Self::all().find(|by| by.name() == name);
        known.ok_or_else(|| D::Error::custom("nothing is judged by that"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_read_by_the_name_that_it_is_written_with() {
        let mut names: Vec<&str> = AnswerBy::all().map(AnswerBy::name).collect();
        for by in AnswerBy::all() {
            let written = serde_json::to_value(by).unwrap();
            assert_eq!(written, by.name());
            assert_eq!(serde_json::from_value::<AnswerBy>(written).unwrap(), by);
        }
        assert!(serde_json::from_value::<AnswerBy>("rows_returned".into()).is_err());
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), AnswerBy::all().count());
    }
}
