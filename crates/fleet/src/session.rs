//! The lines between a lead and an agent, as numbered pieces of a stream in messages of a broker.
//!
//! A broker that is started again loses what was on its way. So each side keeps what it said until the
//! other side has it, and says it once more where that asks. Nothing else is needed: both sides speak all
//! the time, and the next piece shows that one before it is missing.

use crate::broker::{Broker, LEAST_PAYLOAD, Subscription};
use crate::held;
use crate::wire::Subjects;
use host::{Carrier, Handed};
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Longest piece, in bytes: short enough not to hold up the beats of others on the same connection.
const LONGEST_PIECE: usize = 64 << 10;
/// Bytes that may wait to be read, and that may be kept until the other side has them.
const MOST_WAITING: usize = 32 << 20;
/// How long a piece is waited for that was asked for, before it is asked for again.
const PATIENCE: Duration = Duration::from_millis(300);
/// Longest reason for an end, in bytes.
const LONGEST_REASON: usize = 300;

/// A piece has one byte that says what it is, its number with eight bytes, the number of the piece that
/// its sender waits for, with eight bytes too, and its content.
const HEAD: usize = 17;
const DATA: u8 = 0;
/// The end, with the reason.
const END: u8 = 1;
/// Asks for all from the piece on that its sender waits for.
const AGAIN: u8 = 2;

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
        let (said, ended) = (Said::new(broker, to.clone()), Arc::new(OnceLock::new()));
        Ok(Self {
            sender: Sender::new(broker, &said),
            receiver: Receiving {
                heard: hears,
                room: taken,
                pieces: Pieces::new(said, &ended),
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
        let (said, ended) = (Said::new(broker, to.clone()), Arc::new(OnceLock::new()));
        let sender = Sender::new(broker, &said);
        let pieces = Mutex::new(Pieces::new(said, &ended));
        let hearing = Arc::new((mouth, pieces));
        let (room, jobs) = (Room::default(), broker.jobs()?);
        let subscription = broker.subscribe(from, move |message| {
            let piece = message.payload;
            let (hearing, room) = (Arc::clone(&hearing), room.clone());
            if !room.takes(piece.len()) {
                // As an agent does, of which no more is heard.
                let _ = jobs.send(Box::new(move || hearing.0.end()));
                return false;
            }
            let hear = move || {
                let (mouth, pieces) = hearing.as_ref();
                room.has_again(piece.len());
                match held(pieces).take(&piece) {
                    // What is not wanted any more is dropped.
                    Taken::Content(content) => drop(mouth.say(content, MOST_WAITING)),
                    Taken::Nothing => {}
                    Taken::End => mouth.end(),
                }
            };
            jobs.send(Box::new(hear)).is_ok()
        })?;
        Ok(Self { sender, lines, carrier: SessionCarrier::new(broker, to, subscription, ended) })
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

/// What one side has said, and how much it has heard of the other.
struct Said {
    broker: Broker,
    subject: String,
    /// What the other side may not have yet, in order.
    kept: VecDeque<Vec<u8>>,
    kept_bytes: usize,
    /// Whether some of it was not said, because there was no broker.
    unsaid: bool,
    /// Of the piece that is said next.
    next: u64,
    /// Of the piece that is to be heard next.
    awaited: u64,
}

impl Said {
    fn new(broker: &Broker, subject: String) -> Arc<Mutex<Self>> {
        Arc::new(Mutex::new(Self {
            broker: broker.clone(),
            subject,
            kept: VecDeque::new(),
            kept_bytes: 0,
            unsaid: false,
            next: 0,
            awaited: 0,
        }))
    }

    fn say(&mut self, content: Vec<u8>) -> io::Result<()> {
        if self.kept_bytes + content.len() > MOST_WAITING {
            return Err(io::Error::other("the other side confirms nothing"));
        }
        let said = match self.unsaid {
            false => self.publish(DATA, self.next, &content),
            true => self.say_again().and_then(|()| self.publish(DATA, self.next, &content)),
        };
        self.unsaid = match said {
            Err(error) if error.kind() == io::ErrorKind::NotConnected => true,
            said => said.map(|()| false)?,
        };
        self.next += 1;
        self.kept_bytes += content.len();
        self.kept.push_back(content);
        Ok(())
    }

    fn publish(&self, kind: u8, number: u64, content: &[u8]) -> io::Result<()> {
        self.broker.publish(self.subject.clone(), piece(kind, number, self.awaited, content))
    }

    /// Of the oldest piece that is kept.
    fn first(&self) -> u64 {
        self.next - self.kept.len() as u64
    }

    /// The other side has all before that piece; whether that may be.
    fn confirm(&mut self, before: u64) -> bool {
        while self.first() < before {
            let Some(content) = self.kept.pop_front() else { return false };
            self.kept_bytes -= content.len();
        }
        true
    }

    /// Says all once more that is kept.
    fn say_again(&self) -> io::Result<()> {
        let mut numbered = (self.first()..).zip(&self.kept);
        numbered.try_for_each(|(number, content)| self.publish(DATA, number, content))
    }
}

/// What comes of the other side, piece by piece.
struct Pieces {
    said: Arc<Mutex<Said>>,
    /// Why it ended, in words that follow the other's name.
    ended: Arc<OnceLock<String>>,
    /// When a piece was last asked for.
    asked: Option<Instant>,
    /// When all was last said once more.
    said_again: Option<Instant>,
}

/// What a piece says.
enum Taken<'a> {
    Content(&'a [u8]),
    /// It was here already, comes too early, or asks for something.
    Nothing,
    /// No more, for a reason that is known then.
    End,
}

impl Pieces {
    fn new(said: Arc<Mutex<Said>>, ended: &Arc<OnceLock<String>>) -> Self {
        Self { said, ended: Arc::clone(ended), asked: None, said_again: None }
    }

    fn take<'a>(&mut self, piece: &'a [u8]) -> Taken<'a> {
        if self.ended.get().is_some() {
            return Taken::End;
        }
        let head = piece.split_first_chunk::<HEAD>();
        let Some(([kind, numbers @ ..], content)) = head else {
            return self.end("sent something that is no message");
        };
        let numbers = u128::from_be_bytes(*numbers);
        let (number, awaits) = ((numbers >> 64) as u64, numbers as u64);
        if *kind == END {
            let reason = content.get(..LONGEST_REASON).unwrap_or(content);
            let reason = String::from_utf8_lossy(reason);
            return self.end(if reason.is_empty() { "ended" } else { &reason });
        }
        let said = Arc::clone(&self.said);
        let mut said = held(&said);
        if !said.confirm(awaits) {
            return self.end("sent something that is no message");
        }
        match *kind {
            DATA if number == said.awaited => {
                said.awaited += 1;
                self.asked = None;
                Taken::Content(content)
            }
            // Once more what was here already.
            DATA if number < said.awaited => Taken::Nothing,
            DATA => {
                let is_due = self.asked.is_none_or(|asked| asked.elapsed() > PATIENCE);
                // Where it cannot be asked for, the next piece shows again that it is missing.
                if is_due && said.publish(AGAIN, 0, &[]).is_ok() {
                    self.asked = Some(Instant::now());
                }
                Taken::Nothing
            }
            // As above. Whoever asks sooner than it waits for an answer wants only that there is much
            // of it.
            AGAIN => {
                if self.said_again.is_none_or(|at| at.elapsed() > PATIENCE / 2) {
                    let _ = said.say_again();
                    self.said_again = Some(Instant::now());
                }
                Taken::Nothing
            }
            _ => self.end("sent something that is no message"),
        }
    }

    fn end(&self, why: &str) -> Taken<'static> {
        let _ = self.ended.set(why.to_owned());
        Taken::End
    }
}

/// What one side says. It is sent when it is flushed, or when there is enough for a piece.
pub(crate) struct Sender {
    said: Arc<Mutex<Said>>,
    waiting: Vec<u8>,
    longest: usize,
}

impl Sender {
    fn new(broker: &Broker, said: &Arc<Mutex<Said>>) -> Self {
        // A broker that is started again may pass on less: what is too long for it is refused then.
        let longest = broker.longest().clamp(LEAST_PAYLOAD, LONGEST_PIECE + HEAD) - HEAD;
        Self { said: Arc::clone(said), waiting: Vec::new(), longest }
    }

    fn send(&mut self, length: usize) -> io::Result<()> {
        let rest = self.waiting.split_off(length);
        held(&self.said).say(std::mem::replace(&mut self.waiting, rest))
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

fn piece(kind: u8, number: u64, awaits: u64, content: &[u8]) -> Vec<u8> {
    let mut piece = Vec::with_capacity(HEAD + content.len());
    piece.push(kind);
    piece.extend_from_slice(&number.to_be_bytes());
    piece.extend_from_slice(&awaits.to_be_bytes());
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
            match self.pieces.take(&piece) {
                Taken::Content(_) => (self.piece, self.read) = (piece, HEAD),
                Taken::Nothing => {}
                Taken::End => return Ok(0),
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
        let was_open = held(&self.subscription).take();
        // Where the broker is gone, the other side notices that by itself.
        if was_open.is_some() && self.broker.is_connected() {
            // As when it goes just now.
            let _ = self.broker.publish(self.subject.clone(), piece(END, 0, 0, reason.as_bytes()));
        }
    }
}

impl Carrier for SessionCarrier {
    fn how_it_ended(&self) -> String {
        match self.ended.get() {
            Some(why) => format!("was cut off: it {why}"),
            None => match self.broker.trouble() {
                Some(trouble) => format!("was cut off: {trouble}"),
                None => "was cut off".to_owned(),
            },
        }
    }

    fn why_silent(&self) -> Option<String> {
        self.broker.trouble()
    }

    fn cut(&self) {
        self.end_with("");
    }

    fn end(&self) {
        self.end_with("");
        self.broker.flush();
    }
}
