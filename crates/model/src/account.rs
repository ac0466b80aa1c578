use serde::{Deserialize, Serialize};

/// What the kernel says of a load's surroundings, from just before its first connection to just
/// after its last reply. What cannot be read is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostAccount {
    /// Bytes that the server process had to be read from storage; what the operating system had
    /// in its cache, or keeps in memory anyway, is not among them. Only of a server whose
    /// process could be seen.
    pub server_read_bytes: Option<u64>,
    /// How the server's processor time was limited, where its process could be seen.
    pub server_throttling: Option<Throttling>,
    /// How weighin's own was.
    pub client_throttling: Option<Throttling>,
    /// How often a processor of the machine that makes the load lowered its frequency because it was
    /// too hot.
    pub thermal_events: Option<u64>,
}

/// How often a control group ran into its limit of processor time. Both are 0 without a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Throttling {
    /// Periods of accounting in which the group ran.
    pub periods: u64,
    /// Periods in which it had used up its time and was throttled.
    pub throttled: u64,
}

impl Throttling {
    /// Share of the periods in which the group was throttled; 0 without a limit.
    pub fn share(&self) -> f64 {
        if self.periods == 0 { 0.0 } else { self.throttled as f64 / self.periods as f64 }
    }
}
