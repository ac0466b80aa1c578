//! Reads and writes of single keys: which comes next.

use crate::{Keys, Stream};
use model::{KeyOrder, KeyValue, ValueSize};

/// What all keys begin with; a number of [`KEY_DIGITS`] digits follows. By it weighin knows the
/// keys that it made.
pub const KEY_PREFIX: &str = "weighin:1";
/// Digits of the number in a key: enough for any number of keys.
pub const KEY_DIGITS: usize = 12;

/// Lengths beyond the longest value, so that values begin at different places of the noise.
const NOISE_EXTRA: usize = 64 * 1024;

/// One command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Read a key.
    Get {
        /// Its number, from 0.
        key: u32,
    },
    /// Write a key.
    Set {
        /// Its number, from 0.
        key: u32,
        /// Where its value begins in the noise.
        from: usize,
        /// How long its value is, in bytes.
        length: usize,
    },
}

/// Bytes that values are cut out of: printable and without pattern, so that no compression on the
/// way makes them smaller.
pub fn noise(workload: &KeyValue, seed: u64) -> Box<[u8]> {
    let mut stream = Stream::new(seed, "values", 0);
    let length = workload.value_size.longest() as usize + NOISE_EXTRA;
    let mut noise = Vec::with_capacity(length + 8);
    while noise.len() < length {
        noise.extend(stream.bits().to_le_bytes().map(|byte| b'0' + byte % 64));
    }
    noise.truncate(length);
    noise.into()
}

/// The commands of one client, without end.
///
/// ```
/// use workload::key_value::{Command, KeyValueSource};
/// // One write for nine reads.
/// let load = model::KeyValue { sets_to_gets: (1, 9), ..model::KeyValue::default() };
/// let mut source = KeyValueSource::new(&load, 7, 0, 1);
/// let gets = |_: &i32| matches!(source.next_command(), Command::Get { .. });
/// let reads = (0..10_000).filter(gets).count();
/// assert!((8_900..9_100).contains(&reads));
/// ```
#[derive(Clone, Debug)]
pub struct KeyValueSource {
    keys: KeySource,
    sets: u32,
    both: u32,
    size: ValueSize,
    /// Whether a command reads or writes.
    kinds: Stream,
    /// Where values are cut out, and how long they are.
    values: Stream,
}

#[derive(Clone, Debug)]
enum KeySource {
    Drawn(Keys, Stream),
    Sequential { next: u32, keys: u32 },
}

impl KeyValueSource {
    /// The commands of client number `client`, from 0, of a trial with that seed and so many
    /// clients.
    pub fn new(workload: &KeyValue, seed: u64, client: u32, clients: u32) -> Self {
        let stream = |purpose| Stream::new(seed, purpose, client.into());
        let last = workload.keys.saturating_sub(1);
        let keys = match workload.order {
            KeyOrder::Drawn(distribution) => {
                KeySource::Drawn(Keys::new(distribution, &workload.shape, 0, last), stream("keys"))
            }
            KeyOrder::Sequential => {
                let share =
                    u64::from(client) * u64::from(workload.keys) / u64::from(clients.max(1));
                // Below the number of keys, because the client is below the number of clients.
                let next = u32::try_from(share).unwrap_or(0).min(last);
                KeySource::Sequential { next, keys: workload.keys.max(1) }
            }
        };
        let (sets, gets) = workload.sets_to_gets;
        Self {
            keys,
            sets,
            both: sets.saturating_add(gets).max(1),
            size: workload.value_size,
            kinds: stream("kinds"),
            values: stream("values"),
        }
    }

    /// The next command.
    #[inline]
    pub fn next_command(&mut self) -> Command {
        let key = self.keys.next();
        if self.sets > 0 && self.kinds.between(1, self.both) <= self.sets {
            self.set(key)
        } else {
            Command::Get { key }
        }
    }

    /// Writes that key.
    #[inline]
    pub fn set(&mut self, key: u32) -> Command {
        let length = match self.size {
            ValueSize::Fixed(length) => length,
            ValueSize::Between(shortest, longest) => self.values.between(shortest, longest),
        };
        let from = self.values.between(0, NOISE_EXTRA as u32 - 1) as usize;
        Command::Set { key, from, length: length as usize }
    }
}

impl KeySource {
    #[inline]
    fn next(&mut self) -> u32 {
        match self {
            Self::Drawn(keys, stream) => keys.draw(stream),
            Self::Sequential { next, keys } => {
                let key = *next;
                *next = if key + 1 < *keys { key + 1 } else { 0 };
                key
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::KeyDistribution;

    fn commands(workload: &KeyValue, client: u32, count: usize) -> Vec<Command> {
        let mut source = KeyValueSource::new(workload, 7, client, 4);
        (0..count).map(|_| source.next_command()).collect()
    }

    #[test]
    fn reads_and_writes_come_in_the_ratio_asked_for() {
        for (ratio, expected) in [((1, 1), 0.5), ((1, 9), 0.1), ((0, 1), 0.0), ((1, 0), 1.0)] {
            let workload = KeyValue { sets_to_gets: ratio, ..KeyValue::default() };
            let sets = commands(&workload, 0, 20_000);
            let sets = sets.iter().filter(|command| matches!(command, Command::Set { .. })).count();
            assert!((sets as f64 / 20_000.0 - expected).abs() < 0.01, "{ratio:?}: {sets}");
        }
    }

    #[test]
    fn values_lie_within_the_noise_and_have_every_length() {
        let size = ValueSize::Between(3, 6);
        let workload = KeyValue { value_size: size, sets_to_gets: (1, 0), ..KeyValue::default() };
        let noise = noise(&workload, 1);
        let mut seen = [0; 8];
        for command in commands(&workload, 0, 10_000) {
            let Command::Set { from, length, .. } = command else { panic!("{command:?}") };
            assert!(noise.get(from..from + length).is_some());
            seen[length] += 1;
        }
        assert!(seen[3..7].iter().all(|&n| (2_300..2_700).contains(&n)), "{seen:?}");
        assert!(noise.iter().all(u8::is_ascii_graphic));
    }

    #[test]
    fn clients_in_sequence_begin_apart_and_go_round() {
        let workload = KeyValue { keys: 8, order: KeyOrder::Sequential, ..KeyValue::default() };
        let keys = |client| -> Vec<u32> {
            commands(&workload, client, 9)
                .into_iter()
                .map(|command| match command {
                    Command::Get { key } | Command::Set { key, .. } => key,
                })
                .collect()
        };
        assert_eq!(keys(0), [0, 1, 2, 3, 4, 5, 6, 7, 0]);
        assert_eq!(keys(3), [6, 7, 0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn clients_differ_and_repeat_exactly() {
        let order = KeyOrder::Drawn(KeyDistribution::Zipfian);
        let workload = KeyValue { order, ..KeyValue::default() };
        assert_eq!(commands(&workload, 1, 100), commands(&workload, 1, 100));
        assert_ne!(commands(&workload, 1, 100), commands(&workload, 2, 100));
    }
}
