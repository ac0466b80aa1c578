use findings::Resource;
use model::Level;
use serde::Serialize;
use stats::Estimate;
use std::collections::BTreeMap;

/// Where the time of the operations of a cell went, in milliseconds for an operation.
#[derive(Clone, Debug, Serialize)]
pub struct TimeOfOperation {
    pub target: String,
    pub level: Level,
    /// All of it.
    pub operation_ms: Estimate,
    /// What is known of it.
    pub parts: BTreeMap<Resource, Estimate>,
}
