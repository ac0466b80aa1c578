//! The private parsers of this crate on any text, for the crate `fuzz` alone.

use crate::generators::wire::{Answer, Order};
use crate::systems::redis::{counters, facts, report};
use model::Endpoint;

/// Reads lines as what a lead and its load generators tell each other, and the whole as a report of
/// Redis on itself.
pub fn read(text: &str) {
    for line in text.lines() {
        let _ = serde_json::from_str::<Order>(line);
        let _ = serde_json::from_str::<Answer>(line);
    }
    let report = report(text);
    let _ = facts::version(&report);
    let _ = facts::refuse_unfit(&report, &Endpoint::Tcp { host: "db".into(), port: 6379 });
    let _ = counters::counters(report);
}
