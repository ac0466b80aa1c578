use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A primary is lost or handed over while a probe writes at a fixed rate, whichever member of the
/// target takes the writes. Afterwards every write that was acknowledged is looked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failover {
    pub cause: FailoverCause,
    /// When that happens, from the start of the probe; what went before is the reference.
    pub at: Duration,
    /// How long a trial takes at most. It ends earlier once the rate has been back for a while.
    pub duration: Duration,
    /// Writes per second that the probe offers.
    pub rate: u32,
    /// Connections of the probe to each member.
    pub connections: u32,
    /// How long the probe waits for an answer, and for a login, before it gives the connection up.
    pub timeout: Duration,
    /// The user's program, with its arguments, that brings the target back to where it was after a
    /// trial; absent where weighin does, or nothing is to be done.
    pub restore: Option<Vec<String>>,
}

/// What takes the primary away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailoverCause {
    /// Weighin hands the role of the primary over, in good order.
    Switchover,
    /// Weighin kills the server process of the primary (SIGKILL).
    Kill,
    /// Weighin makes the server process of the primary hang (SIGSTOP): connections stay open, and
    /// nothing is answered.
    Hang,
    /// Weighin cuts the network of the primary: connections stay open, and nothing that is sent
    /// arrives. The server goes on.
    Network,
    /// The user's program, with its arguments, does it.
    Command(Vec<String>),
}

impl Failover {
    /// The name of the task.
    pub const NAME: &'static str = "failover";

    /// Writes that are due in a trial at most.
    pub fn writes(&self) -> u64 {
        (self.duration.as_secs_f64() * f64::from(self.rate)).ceil() as u64
    }
}

impl FailoverCause {
    /// What its mark is called.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Switchover => "switchover",
            Self::Kill => "kill",
            Self::Hang => "hang",
            Self::Network => "network cut",
            Self::Command(_) => "command",
        }
    }
}
