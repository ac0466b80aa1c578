use super::{Group, Words};
use crate::numbers::{count, figure, percents};
use analyse::LittlesLaw;
use model::LevelUnit;

impl Words for LittlesLaw {
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
            return format!(
                "throughput × (mean latency + client delay) accounts for {} of the {all}, but \
                 should account for all of them",
                percents(found.range(share)),
            );
        }
        let law = found.first;
        format!(
            "{} {}/s × ({} ms of mean latency + {} ms of client delay) account for {} {busy}, but \
             {} {expected}; the two numbers should agree",
            figure(law.throughput),
            found.counted,
            figure(law.latency_mean_ms),
            figure(law.client_delay_mean_ms),
            figure(law.busy_clients),
            count(law.clients.into()),
        )
    }
}
