//! Weighin started once more on another machine, such as a load generator: the agent there passes on
//! what it is told and what it says.

use super::channel::Channel;
use super::clock::RoundTrip;
use super::wire::{ToAgent, pieces};
use crate::Weighin;
use engine::Nanos;
use model::Failure;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// A process as the channel hears it.
pub(super) struct Process {
    said: Sender<Vec<u8>>,
    how_it_ended: Arc<OnceLock<String>>,
}

impl Process {
    pub(super) fn hear(&self, text: String) {
        // One that nobody hears any more was dismissed.
        let _ = self.said.send(text.into_bytes());
    }

    pub(super) fn end(self, how: String) {
        let _ = self.how_it_ended.set(how);
    }
}

/// A process there; it ends when this is dropped.
pub(super) struct RemoteWeighin {
    channel: Arc<Channel>,
    number: u64,
    pub(super) pid: u32,
    /// Its machine's clock before it was started.
    clock: RoundTrip,
    answers: Option<Answers>,
    how_it_ended: Arc<OnceLock<String>>,
}

impl RemoteWeighin {
    /// Of that number, with what the channel is to hear of it.
    pub(super) fn new(channel: Arc<Channel>, number: u64, clock: RoundTrip) -> (Process, Self) {
        let (said, hears) = self::channel();
        let how_it_ended = Arc::new(OnceLock::new());
        let process = Process { said, how_it_ended: Arc::clone(&how_it_ended) };
        let answers = Some(Answers { said: hears, piece: Vec::new(), read: 0 });
        (process, Self { channel, number, pid: 0, clock, answers, how_it_ended })
    }
}

impl Weighin for RemoteWeighin {
    fn pid(&self) -> u32 {
        self.pid
    }

    fn there(&self, at: Instant) -> Nanos {
        self.clock.there(at)
    }

    fn tell(&mut self, line: &str) -> io::Result<()> {
        let process = self.number;
        pieces(line).try_for_each(|text| {
            self.channel.tell(&ToAgent::Tell { process, text: text.to_owned() })
        })
    }

    fn take_answers(&mut self) -> Option<Box<dyn BufRead + Send>> {
        let answers = self.answers.take()?;
        Some(Box::new(BufReader::new(answers)))
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

/// What a process says, as it would say it through a pipe.
struct Answers {
    said: Receiver<Vec<u8>>,
    piece: Vec<u8>,
    read: usize,
}

impl Read for Answers {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.read == self.piece.len() {
            // The end of the process, or of the channel.
            let Ok(piece) = self.said.recv() else { return Ok(0) };
            (self.piece, self.read) = (piece, 0);
        }
        let mut rest = self.piece.get(self.read..).unwrap_or_default();
        let count = rest.read(into)?;
        self.read += count;
        Ok(count)
    }
}
