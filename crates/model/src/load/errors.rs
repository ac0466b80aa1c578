use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A time in which connections were lost and operations failed because of it. All moments count
/// from the start of the load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outage {
    /// The first connection that was lost.
    pub first_error: Duration,
    /// The first success of an operation that began after the last loss; absent where there was
    /// none.
    pub first_success: Option<Duration>,
    /// From here on throughput was back at 95 % of what it had been in the measured phase before
    /// the outage, for a second at least; absent where it never was, or there was no before.
    pub recovered: Option<Duration>,
    /// Operations that failed because of it.
    pub failed: u64,
}

impl Outage {
    /// How long nothing succeeded; `None` for an outage that outlasted the load.
    pub fn downtime(&self) -> Option<Duration> {
        self.first_success.map(|success| success.saturating_sub(self.first_error))
    }
}

/// What kind of trouble an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// Deadlock, lock wait timeout, serialisation failure: a new attempt may succeed.
    Conflict,
    /// The connection was lost, refused or reset; the server is starting or going away.
    Connection,
    /// Access denied, read-only, no such privilege.
    Permission,
    /// Out of connections, memory, disk or a limit that the server sets.
    Resource,
    /// No such table, wrong syntax: the statement cannot succeed.
    Statement,
    /// A unique key or another constraint was violated.
    Constraint,
    /// Storage failed: an input/output error, a device that vanished, less than was asked for.
    Device,
    /// A block of storage did not hold what was written to it.
    Corruption,
    /// No answer came as long as was waited for it.
    Unanswered,
    /// Anything else.
    Other,
}

/// How often one error happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorCount {
    /// What kind of trouble.
    pub class: ErrorClass,
    /// The target's own code: a number, or a word; empty where there is none, as for an error of the
    /// network.
    pub code: String,
    /// Five characters where the server has such states; else empty.
    pub sql_state: String,
    /// The first such message.
    pub message: String,
    /// How often.
    pub count: u64,
    /// How to fix it, where the system knows; else empty.
    pub remedy: String,
}
