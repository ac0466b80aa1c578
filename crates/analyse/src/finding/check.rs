//! The checks of trials, by name.

use serde::Serialize;

/// Checks of every trial, numbered as in the design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// 1. Little's law.
    LittlesLaw,
    /// 2. The server's own counters.
    ServerCounters,
    /// 3. The client was not the bottleneck.
    ClientNotBottleneck,
    /// 4. No trend was left after the warm-up.
    SteadyState,
    /// 5. A cold trial read its data from storage, a warm one did not wait for pages.
    CacheAsDeclared,
    /// 6. Nothing took or withheld processor time: no hypervisor, no other process, no limit.
    OwnMachine,
    /// 8. Answers had all the rows that they must have.
    Answers,
}

impl Check {
    /// All checks, in order.
    pub(crate) const ALL: [Self; 7] = [
        Self::LittlesLaw,
        Self::ServerCounters,
        Self::ClientNotBottleneck,
        Self::SteadyState,
        Self::CacheAsDeclared,
        Self::OwnMachine,
        Self::Answers,
    ];
}

/// Whose processor time was limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Held {
    /// The server's.
    Server,
    /// The load generator's.
    Client,
}

/// What must be steady in the measured phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Drifting {
    /// Transactions per second, in a closed loop.
    Throughput,
    /// The mean response time, in an open loop.
    MeanLatency,
}
