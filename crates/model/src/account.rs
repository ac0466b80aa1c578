use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::time::Duration;

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
    /// Which of them server and load had to themselves, so many at a time; absent where they had all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apart: Option<OwnProcessors>,
    /// Those of one name together, in order of what they used. Of those that are neither weighin's nor
    /// the server's only the first few.
    pub processes: Vec<NamedUse>,
}

/// Processors that a server and its load had to themselves while the load measured: one equal set at a time,
/// which they exchanged with other targets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OwnProcessors {
    /// In order of their numbers.
    pub sets: Vec<HeldProcessors>,
    /// How often they were exchanged.
    pub exchanges: u32,
}

/// A set of processors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeldProcessors {
    /// Their numbers, in rising order.
    pub processors: Vec<u32>,
    /// How much of the measured time they were held.
    pub held: Duration,
}

impl OwnProcessors {
    /// By how much the share of the time that one of so many sets was held misses an equal one at most.
    ///
    /// ```
    /// use model::{HeldProcessors, OwnProcessors};
    /// let set = |number, seconds| HeldProcessors {
    ///     processors: vec![number],
    ///     held: std::time::Duration::from_secs(seconds),
    /// };
    /// let own = |sets| OwnProcessors { sets, exchanges: 4 };
    /// assert_eq!(own(vec![set(0, 5), set(1, 5)]).unevenness(2), 0.0);
    /// assert_eq!(own(vec![set(0, 3), set(1, 1)]).unevenness(2), 0.25);
    /// assert_eq!(own(vec![set(0, 3)]).unevenness(2), 0.5);
    /// assert_eq!(own(vec![]).unevenness(2), 0.0);
    /// ```
    pub fn unevenness(&self, of: usize) -> f64 {
        let all: f64 = self.sets.iter().map(|set| set.held.as_secs_f64()).sum();
        let equal = 1.0 / of.max(1) as f64;
        let miss = |held: f64| if all > 0.0 { (held / all - equal).abs() } else { 0.0 };
        let missing = (self.sets.len() < of).then_some(0.0);
        let held = self.sets.iter().map(|set| set.held.as_secs_f64());
        held.chain(missing).map(miss).fold(0.0, f64::max)
    }
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
