use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What the kernel says of a load's surroundings, from just before its first connection to just
/// after its last reply. What cannot be read is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// Which processes used the processors of that machine.
    #[serde(default)]
    pub processor_use: ProcessorUse,
}

/// Which processes used a machine's processors while a load measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessorUse {
    /// Which machine it is, under whatever names it is reached: its boot, as the kernel calls it.
    pub boot: Option<String>,
    /// How many processors it has, or how many of them were watched; 0 where it was not looked.
    pub cpus: u32,
    /// Which of them server and load had to themselves, in rising order; none where they had all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apart: Vec<u32>,
    /// Those of one name together, in order of what they used. Of those that are neither weighin's nor
    /// the server's only the first few.
    pub processes: Vec<NamedUse>,
}

/// What the processes of one name used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NamedUse {
    /// As they call themselves: text from outside.
    pub name: String,
    /// Processors used: 1.5 is one and a half.
    pub cpus: f64,
    /// Whether they are the server, its replicas, or those of weighin that make the load there.
    pub is_ours: bool,
}

/// Characters of a process's name that are shown; the kernel keeps 15 of a program's, 63 of its own.
const LONGEST_PROCESS_NAME: usize = 64;

impl NamedUse {
    /// The name as a person may be shown it.
    pub fn shown(&self) -> Cow<'_, str> {
        crate::text::excerpt(&self.name, LONGEST_PROCESS_NAME)
    }
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
