//! The private parsers of this crate on any text, for the crate `fuzz` alone.

use crate::{client, counters, facts, report};
use model::Endpoint;

/// Reads a text as a report of the server on itself, and as an error.
pub fn read(text: &str) {
    let report = report(text);
    let _ = facts::version(&report);
    let _ = facts::refuse_unfit(&report, &Endpoint::Tcp { host: "db".into(), port: 6379 });
    let _ = counters::counters(report);
    let _ = client::refusal(text);
}
