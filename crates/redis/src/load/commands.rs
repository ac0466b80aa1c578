use crate::protocol::CommandTemplate;
use model::KeyValue;
use workload::key_value::{Command, KEY_DIGITS, KEY_PREFIX, KeyValueSource, noise};

/// What all clients of a key-value load share: commands encoded beforehand, and the bytes that
/// values are cut out of.
#[derive(Clone, Debug)]
pub struct KeyValueCommands {
    workload: KeyValue,
    seed: u64,
    clients: u32,
    get: CommandTemplate,
    set: CommandTemplate,
    noise: Box<[u8]>,
}

impl KeyValueCommands {
    /// The commands of a workload run by so many clients. The seed is that of the trial.
    pub fn new(workload: &KeyValue, seed: u64, clients: u32) -> Self {
        let expiry = workload.expiry.map(|expiry| expiry.as_millis().max(1).to_string());
        let after: Vec<&str> =
            expiry.iter().flat_map(|milliseconds| ["PX", milliseconds]).collect();
        Self {
            get: CommandTemplate::new("GET", KEY_PREFIX, KEY_DIGITS, false, &[]),
            set: CommandTemplate::new("SET", KEY_PREFIX, KEY_DIGITS, true, &after),
            noise: noise(workload, seed),
            workload: workload.clone(),
            seed,
            clients,
        }
    }

    /// Commands that a client sends together.
    pub(super) fn pipeline(&self) -> usize {
        self.workload.pipeline.max(1) as usize
    }

    /// The commands of one client.
    pub(super) fn source(&self, client: u32) -> KeyValueSource {
        KeyValueSource::new(&self.workload, self.seed, client, self.clients)
    }

    /// Appends a command as it is sent.
    #[inline]
    pub fn write(&self, command: Command, out: &mut Vec<u8>) {
        match command {
            Command::Get { key } => self.get.write(key, out),
            Command::Set { key, from, length } => {
                self.set.write_with(key, &self.noise[from..from + length], out);
            }
        }
    }
}
