//! The lines between a lead and an agent, as numbered pieces of a stream in messages of a broker.

use crate::broker::{Broker, Subscription};
use crate::wire::Subjects;
use host::Carrier;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// Longest piece, in bytes: short enough not to hold up the beats of others on the same connection.
const LONGEST_PIECE: usize = 64 << 10;
/// Bytes that may wait to be read.
const MOST_WAITING: usize = 32 << 20;
/// Longest reason for an end, in bytes.
const LONGEST_REASON: usize = 300;

/// A piece has one byte that says what it is, its number with eight bytes, and its content.
const HEAD: usize = 9;
const DATA: u8 = 0;
/// The end, with the reason.
const END: u8 = 1;

/// Which of the two a process is in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Lead,
    Agent,
}

/// One side of a session.
pub(crate) struct Session {
    pub sender: Sender,
    pub receiver: Receiving,
    pub carrier: SessionCarrier,
}

impl Session {
    /// Begins to listen. `name` is that of the session, and of its subjects.
    ///
    /// # Errors
    /// When the broker does not take it.
    pub fn open(broker: &Broker, subjects: &Subjects, name: &str, side: Side) -> io::Result<Self> {
        let (orders, answers) = (subjects.orders(name), subjects.answers(name));
        let (to, from) = if side == Side::Lead { (orders, answers) } else { (answers, orders) };
        let (heard, hears) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let taken = Arc::clone(&waiting);
        let subscription = broker.subscribe(from, move |message| {
            let length = message.payload.len();
            // Whoever sends faster than is read has to stop: what follows would have a gap.
            let is_room = waiting.fetch_add(length, Ordering::Relaxed) + length <= MOST_WAITING;
            is_room && heard.send(message.payload).is_ok()
        })?;
        let ended = Arc::new(OnceLock::new());
        let longest = broker.longest().min(LONGEST_PIECE + HEAD) - HEAD;
        Ok(Self {
            sender: Sender {
                broker: broker.clone(),
                subject: to.clone(),
                waiting: Vec::new(),
                number: 0,
                longest,
            },
            receiver: Receiving {
                heard: hears,
                waiting: taken,
                number: 0,
                piece: Vec::new(),
                read: HEAD,
                ended: Arc::clone(&ended),
                until: None,
            },
            carrier: SessionCarrier {
                broker: broker.clone(),
                subject: to,
                subscription: Mutex::new(Some(subscription)),
                ended,
            },
        })
    }
}

/// What one side says. It is sent when it is flushed, or when there is enough for a piece.
pub(crate) struct Sender {
    broker: Broker,
    subject: String,
    waiting: Vec<u8>,
    number: u64,
    longest: usize,
}

impl Sender {
    fn send(&mut self, length: usize) -> io::Result<()> {
        let rest = self.waiting.split_off(length);
        let content = std::mem::replace(&mut self.waiting, rest);
        let piece = piece(DATA, self.number, &content);
        self.number += 1;
        self.broker.publish(self.subject.clone(), piece)
    }
}

impl Write for Sender {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(from);
        while self.waiting.len() >= self.longest {
            self.send(self.longest)?;
        }
        Ok(from.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.waiting.len() {
            0 => Ok(()),
            length => self.send(length),
        }
    }
}

fn piece(kind: u8, number: u64, content: &[u8]) -> Vec<u8> {
    let mut piece = Vec::with_capacity(HEAD + content.len());
    piece.push(kind);
    piece.extend_from_slice(&number.to_be_bytes());
    piece.extend_from_slice(content);
    piece
}

/// What the other side says, to its end.
pub(crate) struct Receiving {
    heard: Receiver<Vec<u8>>,
    /// Bytes that wait to be read.
    waiting: Arc<AtomicUsize>,
    /// Of the piece that comes next.
    number: u64,
    /// With its head.
    piece: Vec<u8>,
    /// How much of it was read.
    read: usize,
    /// Why it ended, in words that follow the other's name.
    ended: Arc<OnceLock<String>>,
    /// How long is waited at most.
    until: Option<Instant>,
}

impl Receiving {
    /// Waits so long at most from now on.
    pub fn wait_until(&mut self, limit: Option<Instant>) {
        self.until = limit;
    }

    fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let Some(until) = self.until else { return Ok(self.heard.recv().ok()) };
        match self.heard.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(piece) => Ok(Some(piece)),
            Err(RecvTimeoutError::Disconnected) => Ok(None),
            Err(RecvTimeoutError::Timeout) => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    /// Takes a piece; whether something was said.
    fn take(&mut self, piece: Vec<u8>) -> bool {
        let head: Option<(u8, [u8; 8])> =
            piece.split_first_chunk::<HEAD>().map(|([kind, number @ ..], _)| (*kind, *number));
        match head.map(|(kind, number)| (kind, u64::from_be_bytes(number))) {
            Some((DATA, number)) if number == self.number => {
                self.number += 1;
                (self.piece, self.read) = (piece, HEAD);
                true
            }
            Some((DATA, _)) => {
                self.end("lost messages on the way: the broker could not pass all on")
            }
            Some((END, _)) => {
                let reason = piece.get(HEAD..).unwrap_or_default();
                let reason = reason.get(..LONGEST_REASON).unwrap_or(reason);
                let reason = String::from_utf8_lossy(reason).into_owned();
                self.end(if reason.is_empty() { "ended" } else { &reason })
            }
            _ => self.end("sent something that is no message"),
        }
    }

    fn end(&mut self, why: &str) -> bool {
        let _ = self.ended.set(why.to_owned());
        false
    }
}

impl Read for Receiving {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.read == self.piece.len().max(HEAD) {
            if self.ended.get().is_some() {
                return Ok(0);
            }
            let Some(piece) = self.next()? else { return Ok(0) };
            self.waiting.fetch_sub(piece.len(), Ordering::Relaxed);
            if !self.take(piece) {
                return Ok(0);
            }
        }
        let mut rest = self.piece.get(self.read..).unwrap_or_default();
        let count = rest.read(into)?;
        self.read += count;
        Ok(count)
    }
}

/// What ends a session.
pub(crate) struct SessionCarrier {
    broker: Broker,
    subject: String,
    /// Until it has ended.
    subscription: Mutex<Option<Subscription>>,
    ended: Arc<OnceLock<String>>,
}

impl SessionCarrier {
    /// Tells the other side that it is over, and why.
    pub fn end_with(&self, reason: &str) {
        let was_open = self.subscription.lock().unwrap_or_else(PoisonError::into_inner).take();
        if was_open.is_some() {
            // Where the broker is gone, the other side notices that by itself.
            let _ = self.broker.publish(self.subject.clone(), piece(END, 0, reason.as_bytes()));
        }
    }
}

impl Carrier for SessionCarrier {
    fn how_it_ended(&self) -> String {
        match self.ended.get() {
            Some(why) => format!("was cut off: it {why}"),
            None if self.broker.is_connected() => "was cut off".to_owned(),
            None => format!("was cut off: the broker {} is gone", self.broker.address()),
        }
    }

    fn why_silent(&self) -> Option<String> {
        (!self.broker.is_connected())
            .then(|| format!("the broker {} is gone", self.broker.address()))
    }

    fn cut(&self) {
        self.end_with("");
    }

    fn end(&self) {
        self.end_with("");
        self.broker.flush();
    }
}
