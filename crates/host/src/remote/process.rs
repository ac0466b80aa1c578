//! Weighin started once more on another machine, such as a load generator: the agent there passes on
//! what it is told and what it says.

use super::channel::{Channel, Process};
use super::clock::RoundTrip;
use super::wire::{ToAgent, pieces};
use crate::question::{Handed, Lines, Weighin, handed};
use engine::Nanos;
use model::{Failure, Stop};
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A process there; it ends when this is dropped.
pub(super) struct RemoteWeighin {
    channel: Arc<Channel>,
    number: u64,
    pid: u32,
    /// Its machine's clock before it was started.
    clock: RoundTrip,
    answers: Option<Handed>,
    how_it_ended: Arc<OnceLock<String>>,
}

impl RemoteWeighin {
    /// Starts weighin there with a hidden command.
    pub(super) fn start(
        channel: Arc<Channel>,
        command: &str,
        limit: Duration,
        stop: &Stop,
    ) -> Result<Self, Failure> {
        let clock = channel.clock()?;
        let (said, answers) = handed();
        let how_it_ended = Arc::new(OnceLock::new());
        let process = Process::new(said, Arc::clone(&how_it_ended));
        let (number, pid) = channel.start_weighin(command, process, limit, stop)?;
        Ok(Self { channel, number, pid, clock, answers: Some(answers), how_it_ended })
    }
}

impl Weighin for RemoteWeighin {
    fn pid(&self) -> u32 {
        self.pid
    }

    fn there(&self, at: Instant) -> Nanos {
        self.clock.there(at)
    }

    fn round_trip(&self) -> Duration {
        self.clock.took
    }

    fn tell(&mut self, line: &str) -> io::Result<()> {
        let process = self.number;
        pieces(line).try_for_each(|text| {
            self.channel.tell(&ToAgent::Tell { process, text: text.to_owned() })
        })
    }

    fn tell_at_beats(&mut self, line: &str) -> io::Result<()> {
        let process = self.number;
        self.channel.tell(&ToAgent::TellAtBeats { process, text: line.to_owned() })
    }

    fn take_answers(&mut self) -> Option<Lines> {
        self.answers.take().map(Lines::Handed)
    }

    fn last_words(&mut self) -> String {
        let how = self.how_it_ended.get().filter(|how| !how.is_empty());
        how.cloned().unwrap_or_else(|| "ended without a result".to_owned())
    }

    fn lost(&self) -> Option<Failure> {
        self.channel.lost()
    }

    fn dismiss(&mut self) {
        self.channel.dismiss(self.number);
    }
}

impl Drop for RemoteWeighin {
    fn drop(&mut self) {
        self.dismiss();
    }
}
