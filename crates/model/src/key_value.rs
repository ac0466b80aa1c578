use crate::{KeyDistribution, KeyParameters};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Reads and writes of single keys, as in a cache or a session store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyValue {
    /// How many keys there are; at least 1.
    pub keys: u32,
    /// How the key of a command is picked.
    pub order: KeyOrder,
    /// The shape of a drawn order.
    pub shape: KeyParameters,
    /// Writes and reads relative to each other: `(1, 1)` is half and half. Not both 0.
    pub sets_to_gets: (u32, u32),
    /// How long values are.
    pub value_size: ValueSize,
    /// Commands that a client sends together, before it waits for the replies to all of them: one
    /// operation. At least 1.
    pub pipeline: u32,
    /// How long a written key lives; forever when absent.
    pub expiry: Option<Duration>,
    /// Whether all keys are written before the first trial.
    pub preload: bool,
}

impl Default for KeyValue {
    /// 100,000 keys of 1 KiB, evenly drawn, half reads and half writes, one command at a time.
    fn default() -> Self {
        Self {
            keys: 100_000,
            order: KeyOrder::Drawn(KeyDistribution::Uniform),
            shape: KeyParameters::default(),
            sets_to_gets: (1, 1),
            value_size: ValueSize::Fixed(1024),
            pipeline: 1,
            expiry: None,
            preload: true,
        }
    }
}

impl KeyValue {
    /// About how many bytes of a server's memory all keys take, with their values.
    pub fn bytes_in_memory(&self) -> u64 {
        let each = self.value_size.mean() + Self::OVERHEAD;
        (f64::from(self.keys) * each) as u64
    }

    /// Bytes of a key, its entry in the dictionary and the heads of key and value: 100 to 112, measured
    /// on Redis 7.0 with a million keys.
    const OVERHEAD: f64 = 100.0;
}

/// How the key of a command is picked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyOrder {
    /// At random.
    Drawn(KeyDistribution),
    /// One after another and round again, each client from a place of its own.
    Sequential,
}

impl KeyOrder {
    /// The name that study files and the command line use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Drawn(distribution) => distribution.name(),
            Self::Sequential => "sequential",
        }
    }

    /// All of them, in the order in which help texts list them.
    pub const ALL: [Self; KeyDistribution::ALL.len() + 1] = {
        let mut all = [Self::Sequential; KeyDistribution::ALL.len() + 1];
        let mut index = 0;
        while index < KeyDistribution::ALL.len() {
            all[index] = Self::Drawn(KeyDistribution::ALL[index]);
            index += 1;
        }
        all
    };
}

/// How long values are, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueSize {
    /// All of one length.
    Fixed(u32),
    /// Every length from the first to the second equally likely.
    Between(u32, u32),
}

impl ValueSize {
    /// The longest.
    pub fn longest(self) -> u32 {
        match self {
            Self::Fixed(length) | Self::Between(_, length) => length,
        }
    }

    /// The mean.
    pub fn mean(self) -> f64 {
        match self {
            Self::Fixed(length) => length.into(),
            Self::Between(shortest, longest) => (f64::from(shortest) + f64::from(longest)) / 2.0,
        }
    }
}

impl std::fmt::Display for ValueSize {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Fixed(length) => write!(f, "{length} bytes"),
            Self::Between(shortest, longest) => write!(f, "{shortest} to {longest} bytes"),
        }
    }
}
