//! The lines between a lead and an agent, as numbered pieces of a stream in messages of a broker.

use crate::broker::{Broker, Subscription};
use crate::wire::Subjects;
use host::{Carrier, Handed};
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

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

/// The agent's side of a session.
pub(crate) struct AgentSession {
    pub sender: Sender,
    pub receiver: Receiving,
    pub carrier: SessionCarrier,
}

/// The lead's side. What the agent says is handed over by the thread that hears all of them.
pub(crate) struct LeadSession {
    pub sender: Sender,
    pub lines: Handed,
    pub carrier: SessionCarrier,
}

impl AgentSession {
    /// Begins to listen. `name` is that of the session, and of its subjects.
    ///
    /// # Errors
    /// When the broker does not take it.
    pub fn open(broker: &Broker, subjects: &Subjects, name: &str) -> io::Result<Self> {
        let (to, from) = (subjects.answers(name), subjects.orders(name));
        let (heard, hears) = channel();
        let room = Room::default();
        let taken = room.clone();
        let subscription = broker.subscribe(from, move |message| {
            // Whoever sends faster than is read has to stop: what follows would have a gap.
            room.takes(message.payload.len()) && heard.send(message.payload).is_ok()
        })?;
        let ended = Arc::new(OnceLock::new());
        Ok(Self {
            sender: Sender::new(broker, to.clone()),
            receiver: Receiving {
                heard: hears,
                room: taken,
                pieces: Pieces { number: 0, ended: Arc::clone(&ended) },
                piece: Vec::new(),
                read: HEAD,
            },
            carrier: SessionCarrier::new(broker, to, subscription, ended),
        })
    }
}

impl LeadSession {
    /// As [`AgentSession::open`].
    ///
    /// # Errors
    /// When the broker does not take it.
    pub fn open(broker: &Broker, subjects: &Subjects, name: &str) -> io::Result<Self> {
        let (to, from) = (subjects.orders(name), subjects.answers(name));
        let (mouth, lines) = host::handed();
        let ended = Arc::new(OnceLock::new());
        let pieces = Mutex::new(Pieces { number: 0, ended: Arc::clone(&ended) });
        let said = Arc::new((mouth, pieces));
        let (room, jobs) = (Room::default(), broker.jobs()?);
        let subscription = broker.subscribe(from, move |message| {
            let piece = message.payload;
            let (said, room) = (Arc::clone(&said), room.clone());
            if !room.takes(piece.len()) {
                // As an agent does, of which no more is heard.
                let _ = jobs.send(Box::new(move || said.0.end()));
                return false;
            }
            let hear = move || {
                let (mouth, pieces) = said.as_ref();
                room.has_again(piece.len());
                let content = pieces.lock().unwrap_or_else(PoisonError::into_inner).take(&piece);
                // What is not wanted any more is dropped.
                match content {
                    Some(content) => drop(mouth.say(content, MOST_WAITING)),
                    None => mouth.end(),
                }
            };
            jobs.send(Box::new(hear)).is_ok()
        })?;
        Ok(Self {
            sender: Sender::new(broker, to.clone()),
            lines,
            carrier: SessionCarrier::new(broker, to, subscription, ended),
        })
    }
}

/// How much waits to be heard.
#[derive(Clone, Default)]
struct Room(Arc<AtomicUsize>);

impl Room {
    /// Whether so many bytes may wait as well.
    fn takes(&self, length: usize) -> bool {
        self.0.fetch_add(length, Ordering::Relaxed) + length <= MOST_WAITING
    }

    fn has_again(&self, length: usize) {
        self.0.fetch_sub(length, Ordering::Relaxed);
    }
}

/// What comes of the other side, piece by piece.
struct Pieces {
    /// Of the piece that comes next.
    number: u64,
    /// Why it ended, in words that follow the other's name.
    ended: Arc<OnceLock<String>>,
}

impl Pieces {
    /// What a piece says; `None` at the end, for a reason that is known then.
    fn take<'a>(&mut self, piece: &'a [u8]) -> Option<&'a [u8]> {
        let head = piece.split_first_chunk::<HEAD>();
        let Some(([kind, number @ ..], content)) = head else {
            return self.end("sent something that is no message");
        };
        match (*kind, u64::from_be_bytes(*number)) {
            (DATA, number) if number == self.number => {
                self.number += 1;
                Some(content)
            }
            (DATA, _) => self.end("lost messages on the way: the broker could not pass all on"),
            (END, _) => {
                let reason = content.get(..LONGEST_REASON).unwrap_or(content);
                let reason = String::from_utf8_lossy(reason);
                self.end(if reason.is_empty() { "ended" } else { &reason })
            }
            _ => self.end("sent something that is no message"),
        }
    }

    fn end(&mut self, why: &str) -> Option<&'static [u8]> {
        let _ = self.ended.set(why.to_owned());
        None
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
    fn new(broker: &Broker, subject: String) -> Self {
        let longest = broker.longest().min(LONGEST_PIECE + HEAD) - HEAD;
        Self { broker: broker.clone(), subject, waiting: Vec::new(), number: 0, longest }
    }

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

/// What the lead says, to its end.
pub(crate) struct Receiving {
    heard: Receiver<Vec<u8>>,
    room: Room,
    pieces: Pieces,
    /// With its head.
    piece: Vec<u8>,
    /// How much of it was read.
    read: usize,
}

impl Read for Receiving {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.read == self.piece.len().max(HEAD) {
            if self.pieces.ended.get().is_some() {
                return Ok(0);
            }
            let Ok(piece) = self.heard.recv() else { return Ok(0) };
            self.room.has_again(piece.len());
            if self.pieces.take(&piece).is_none() {
                return Ok(0);
            }
            (self.piece, self.read) = (piece, HEAD);
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
    fn new(
        broker: &Broker,
        subject: String,
        subscription: Subscription,
        ended: Arc<OnceLock<String>>,
    ) -> Self {
        let subscription = Mutex::new(Some(subscription));
        Self { broker: broker.clone(), subject, subscription, ended }
    }

    /// Tells the other side that it is over, and why.
    pub fn end_with(&self, reason: &str) {
        let was_open = self.subscription.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Where the broker is gone, the other side notices that by itself.
        if was_open.is_some() && self.broker.is_connected() {
            // As when it goes just now.
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
