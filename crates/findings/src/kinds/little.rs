use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{count, figure, percents};
use model::LevelUnit;

/// Check 1: clients ≠ throughput × (latency + client delay + pauses) in a closed loop.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LittlesLaw {
    pub clients: u32,
    /// Transactions per second.
    pub throughput: f64,
    /// Mean latency in milliseconds.
    pub latency_mean_ms: f64,
    /// Mean time that the client took from a reply to its next request, in milliseconds.
    pub client_delay_mean_ms: f64,
    /// Mean time for which clients paused by their own will for each transaction, in milliseconds.
    pub pause_mean_ms: f64,
    /// throughput × (latency + client delay + pause): the clients that are accounted for.
    pub busy_clients: f64,
}

impl FindingKind for LittlesLaw {
    const HEADING: &'static str = "Little’s law does not hold";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let (busy, expected, all) = match found.level().map(|level| level.unit).unwrap_or_default()
        {
            LevelUnit::Clients => ("busy clients", "were connected", "connected clients"),
            LevelUnit::QueueDepth => {
                ("reads and writes in flight", "should be", "reads and writes in flight")
            }
        };
        if !found.is_one() {
            let share = |law: &Self| law.busy_clients / f64::from(law.clients.max(1));
            let pauses = found.range(|law: &Self| law.pause_mean_ms).1 > 0.0;
            let pauses = if pauses { " + pauses" } else { "" };
            return format!(
                "throughput × (mean latency + client delay{pauses}) accounts for {} of the {all}, \
                 but should account for all of them",
                percents(found.range(share)),
            );
        }
        let law = found.first;
        let pauses = match law.pause_mean_ms {
            pause if pause > 0.0 => format!(" + {} ms of pauses", figure(pause)),
            _ => String::new(),
        };
        format!(
            "{} {}/s × ({} ms of mean latency + {} ms of client delay{pauses}) account for {} {busy}, \
             but {} {expected}; the two numbers should agree",
            figure(law.throughput),
            found.counted,
            figure(law.latency_mean_ms),
            figure(law.client_delay_mean_ms),
            figure(law.busy_clients),
            count(law.clients.into()),
        )
    }
}
