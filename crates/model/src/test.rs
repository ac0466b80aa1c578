use crate::{ArrivalProcess, Bound, ErrorPolicy, SearchOver, Slo, Trigger, Workload};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One test: a workload, at several levels, on every target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Test {
    /// Unique within the study.
    pub name: String,
    /// What is run.
    pub workload: Workload,
    /// How hard, in ascending order, no level twice.
    pub levels: Vec<Level>,
    /// How long the load runs before measuring starts; in each step of a search.
    pub warmup: Duration,
    /// How long is measured; in each step of a search.
    pub duration: Duration,
    /// The state of the caches when a trial starts.
    pub cache: CacheState,
    /// Whether another tool repeats every trial, to see whether the two agree (check 7).
    #[serde(default)]
    pub second_opinion: bool,
    /// How transactions arrive at the levels that have a rate.
    #[serde(default)]
    pub arrivals: Arrivals,
    /// Which errors a trial survives, and how.
    #[serde(default)]
    pub policy: ErrorPolicy,
    /// The bound on latency under which the highest load is searched for. There is one level then,
    /// which is searched.
    #[serde(default)]
    pub slo: Option<Slo>,
    /// How busy the processors of this host may be under the highest load, in percent of all of
    /// them; with or without a bound on latency.
    #[serde(default)]
    pub cpu_limit: Option<u8>,
    /// Processes that make the load together, at most as many as the fewest clients; a search over
    /// clients uses fewer where it tries fewer clients.
    #[serde(default = "one")]
    pub load_generators: u32,
    /// What servers are told to do while they are measured. All targets are told at the same time
    /// of their trials.
    #[serde(default)]
    pub trigger: Option<Trigger>,
}

/// Load generators of studies that were stored before there could be several.
fn one() -> u32 {
    1
}

impl Test {
    /// Load generators that a test can have at most.
    pub const MOST_LOAD_GENERATORS: u32 = 64;

    /// Whether transactions are offered at rates. A test has either rates or closed loops.
    pub fn is_open(&self) -> bool {
        self.levels.iter().any(Level::is_open)
    }

    /// What the highest load must keep, where that is searched for.
    pub fn bound(&self) -> Option<Bound> {
        let bound = Bound { slo: self.slo, cpu_percent: self.cpu_limit };
        (bound != Bound::default()).then_some(bound)
    }
}

/// How the transactions of an open loop arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrivals {
    /// How they are spread in time.
    pub process: ArrivalProcess,
    /// How many may wait for a free connection; later ones are dropped.
    pub max_waiting: u32,
}

impl Default for Arrivals {
    fn default() -> Self {
        Self { process: ArrivalProcess::default(), max_waiting: 10_000 }
    }
}

/// How hard a workload is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Level {
    /// Connections. In a closed loop each runs one transaction after another. 0 in results that
    /// were imported and do not say.
    pub clients: u32,
    /// Open loop: transactions offered per second, over all connections.
    #[serde(default)]
    pub rate: Option<u32>,
    /// Where the level is not given but searched for: what the search varies. `clients` is the
    /// most connections that it may use, and there is no `rate`.
    #[serde(default)]
    pub search: Option<SearchOver>,
}

impl Level {
    /// Of imported results that do not say how hard the load was, or that know no levels.
    pub const NOT_STATED: Self = Self { clients: 0, rate: None, search: None };

    /// A closed loop of so many clients.
    pub fn clients(clients: u32) -> Self {
        Self { clients, rate: None, search: None }
    }

    /// An open loop of so many transactions per second over so many connections.
    pub fn rate(clients: u32, rate: u32) -> Self {
        Self { clients, rate: Some(rate), search: None }
    }

    /// The highest load of that kind under a bound, with so many connections at most.
    pub fn searched(over: SearchOver, clients: u32) -> Self {
        Self { clients, rate: None, search: Some(over) }
    }

    /// Whether transactions are offered at a rate, given or searched for.
    pub fn is_open(&self) -> bool {
        self.rate.is_some() || self.search == Some(SearchOver::Rate)
    }
}

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.rate, self.clients) {
            _ if self.search == Some(SearchOver::Rate) => f.write_str("the highest rate"),
            _ if self.search.is_some() => f.write_str("the highest number of clients"),
            (Some(rate), _) => write!(f, "{}/s", grouped(rate)),
            (None, 0) => f.write_str("level not stated"),
            (None, 1) => f.write_str("1 client"),
            (None, n) => write!(f, "{} clients", grouped(n)),
        }
    }
}

/// A number as reports have it: `1,000`.
fn grouped(number: u32) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

/// The state of the caches when a trial starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheState {
    /// As the previous trial and the warm-up left them.
    Warm,
    /// Server stopped, file systems synced, the operating system's caches dropped, server started.
    Cold,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_read_as_numbers_do_in_reports() {
        assert_eq!(Level::clients(1).to_string(), "1 client");
        assert_eq!(Level::clients(1_000).to_string(), "1,000 clients");
        assert_eq!(Level::rate(64, 1_234_567).to_string(), "1,234,567/s");
        assert_eq!(Level::rate(64, 12).to_string(), "12/s");
    }
}
