//! The lines between a lead and an agent, as numbered pieces of a stream in messages of a broker. Each is
//! sealed ([`crate::seal`]); a message that does not open was not sent by the other side, or was heard
//! before, and is dropped.
//!
//! A broker that is started again loses what was on its way. So each side keeps what it said until the
//! other side has it, and says it once more where that asks. Nothing else is needed: both sides speak all
//! the time, and the next piece shows that one before it is missing.

use crate::broker::{Broker, LEAST_PAYLOAD, Listening, Subscription};
use crate::held;
use crate::seal::{Keys, OVERHEAD, Opener, Sealer};
use host::{Connection, Handed};
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
    pub connection: SessionConnection,
}

/// The lead's side. What the agent says is handed over by the thread that hears all of them.
pub(crate) struct LeadSession {
    pub sender: Sender,
    pub lines: Handed,
    pub connection: SessionConnection,
}

impl AgentSession {
    /// Goes on with what was listened to. `to` is the subject of what is said.
    pub fn open(broker: &Broker, to: String, orders: Listening, keys: Keys) -> Self {
        let (heard, hears) = channel();
        let room = Room::default();
        let taken = room.clone();
        let subscription = orders.hand_on(move |message| {
            // Whoever sends faster than is read has to stop: what follows would have a gap.
            room.takes(message.len()) && heard.send(message).is_ok()
        });
        let (said, ended) = (Outgoing::new(broker, to, keys.sealer), Arc::new(OnceLock::new()));
        Self {
            sender: Sender::new(broker, &said),
            receiver: Receiving {
                heard: hears,
                room: taken,
                pieces: Pieces::new(Arc::clone(&said), keys.opener, &ended),
                piece: Vec::new(),
                read: HEAD,
            },
            connection: SessionConnection::new(broker, said, subscription, ended),
        }
    }
}

impl LeadSession {
    /// As [`AgentSession::open`].
    ///
    /// # Errors
    /// When there can be no thread for it.
    pub fn open(broker: &Broker, to: String, answers: Listening, keys: Keys) -> io::Result<Self> {
        let (mouth, lines) = host::handed();
        let (said, ended) = (Outgoing::new(broker, to, keys.sealer), Arc::new(OnceLock::new()));
        let sender = Sender::new(broker, &said);
        let pieces = Mutex::new(Pieces::new(Arc::clone(&said), keys.opener, &ended));
        let hearing = Arc::new((mouth, pieces));
        let (room, jobs) = (Room::default(), broker.jobs()?);
        let subscription = answers.hand_on(move |mut piece| {
            let (hearing, room) = (Arc::clone(&hearing), room.clone());
            if !room.takes(piece.len()) {
                // As an agent does, of which no more is heard.
                let _ = jobs.send(Box::new(move || hearing.0.end()));
                return false;
            }
            let hear = move || {
                let (mouth, pieces) = hearing.as_ref();
                room.has_again(piece.len());
                match held(pieces).take(&mut piece) {
                    // What is not wanted any more is dropped.
                    Taken::Content => {
                        let _ = mouth.say(piece.get(HEAD..).unwrap_or_default(), MOST_WAITING);
                    }
                    Taken::Nothing => {}
                    Taken::End => mouth.end(),
                }
            };
            jobs.send(Box::new(hear)).is_ok()
        });
        Ok(Self {
            sender,
            lines,
            connection: SessionConnection::new(broker, said, subscription, ended),
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

/// What one side has said, and how much it has heard of the other.
struct Outgoing {
    send: Box<dyn Fn(Vec<u8>) -> io::Result<()> + Send>,
    sealer: Sealer,
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

impl Outgoing {
    fn new(broker: &Broker, subject: String, sealer: Sealer) -> Arc<Mutex<Self>> {
        let broker = broker.clone();
        Self::by(Box::new(move |sealed| broker.publish(subject.clone(), sealed)), sealer)
    }

    fn by(send: Box<dyn Fn(Vec<u8>) -> io::Result<()> + Send>, sealer: Sealer) -> Arc<Mutex<Self>> {
        Arc::new(Mutex::new(Self {
            send,
            sealer,
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

    fn publish(&mut self, kind: u8, number: u64, content: &[u8]) -> io::Result<()> {
        let sealed = self.sealer.seal(piece(kind, number, self.awaited, content))?;
        (self.send)(sealed)
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
    fn say_again(&mut self) -> io::Result<()> {
        let (first, kept) = (self.first(), std::mem::take(&mut self.kept));
        let mut numbered = (first..).zip(&kept);
        let said = numbered.try_for_each(|(number, content)| self.publish(DATA, number, content));
        self.kept = kept;
        said
    }
}

/// What comes of the other side, piece by piece.
struct Pieces {
    said: Arc<Mutex<Outgoing>>,
    opener: Opener,
    /// Why it ended, in words that follow the other's name.
    ended: Arc<OnceLock<String>>,
    /// When a piece was last asked for.
    asked: Option<Instant>,
    /// When all was last said once more.
    said_again: Option<Instant>,
}

/// What a piece says.
enum Taken {
    /// What is behind the head.
    Content,
    /// It was here already, comes too early, asks for something, or is not the other side’s.
    Nothing,
    /// No more, for a reason that is known then.
    End,
}

impl Pieces {
    fn new(said: Arc<Mutex<Outgoing>>, opener: Opener, ended: &Arc<OnceLock<String>>) -> Self {
        Self { said, opener, ended: Arc::clone(ended), asked: None, said_again: None }
    }

    /// Opens a message, of which the piece is left.
    fn take(&mut self, piece: &mut Vec<u8>) -> Taken {
        if self.ended.get().is_some() {
            return Taken::End;
        }
        if !self.opener.open(piece) {
            return Taken::Nothing;
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
                Taken::Content
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

    fn end(&self, why: &str) -> Taken {
        let _ = self.ended.set(why.to_owned());
        Taken::End
    }
}

/// What one side says. It is sent when it is flushed, or when there is enough for a piece.
pub(crate) struct Sender {
    said: Arc<Mutex<Outgoing>>,
    waiting: Vec<u8>,
    longest: usize,
}

impl Sender {
    fn new(broker: &Broker, said: &Arc<Mutex<Outgoing>>) -> Self {
        // A broker that is started again may pass on less: what is too long for it is refused then.
        let head = HEAD + OVERHEAD;
        let longest = broker.longest().clamp(LEAST_PAYLOAD, LONGEST_PIECE + head) - head;
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
            let Ok(mut piece) = self.heard.recv() else { return Ok(0) };
            self.room.has_again(piece.len());
            match self.pieces.take(&mut piece) {
                Taken::Content => (self.piece, self.read) = (piece, HEAD),
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
pub(crate) struct SessionConnection {
    broker: Broker,
    said: Arc<Mutex<Outgoing>>,
    /// Until it has ended.
    subscription: Mutex<Option<Subscription>>,
    ended: Arc<OnceLock<String>>,
}

impl SessionConnection {
    fn new(
        broker: &Broker,
        said: Arc<Mutex<Outgoing>>,
        subscription: Subscription,
        ended: Arc<OnceLock<String>>,
    ) -> Self {
        let subscription = Mutex::new(Some(subscription));
        Self { broker: broker.clone(), said, subscription, ended }
    }

    /// Tells the other side that it is over, and why.
    pub fn end_with(&self, reason: &str) {
        let was_open = held(&self.subscription).take();
        // Where the broker is gone, the other side notices that by itself.
        if was_open.is_some() && self.broker.is_connected() {
            // As when it goes just now.
            let _ = held(&self.said).publish(END, 0, reason.as_bytes());
        }
    }
}

impl Connection for SessionConnection {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal::pair;

    /// One side, and the other side’s keys; what it sends.
    fn side() -> (Pieces, Keys, Receiver<Vec<u8>>) {
        let ((own, other), (sender, sent)) = (pair(), channel());
        let send = Box::new(move |sealed| sender.send(sealed).map_err(io::Error::other));
        let (said, ended) = (Outgoing::by(send, own.sealer), Arc::new(OnceLock::new()));
        (Pieces::new(said, own.opener, &ended), other, sent)
    }

    fn take(pieces: &mut Pieces, other: &mut Keys, piece: Vec<u8>) -> Taken {
        pieces.take(&mut other.sealer.seal(piece).unwrap())
    }

    #[test]
    fn what_is_missing_is_asked_for() {
        let (mut pieces, mut other, sent) = side();
        assert!(matches!(take(&mut pieces, &mut other, piece(DATA, 1, 0, b"x")), Taken::Nothing));
        let mut asked = sent.try_recv().unwrap();
        assert!(other.opener.open(&mut asked));
        assert_eq!(asked, piece(AGAIN, 0, 0, b""));
        for number in [0, 1] {
            let again = piece(DATA, number, 0, b"x");
            assert!(matches!(take(&mut pieces, &mut other, again), Taken::Content));
        }
    }

    #[test]
    fn who_asks_for_all_again_without_end_is_answered_seldom() {
        let (mut pieces, mut other, sent) = side();
        held(&pieces.said).say(b"content".to_vec()).unwrap();
        let began = Instant::now();
        for _ in 0..500 {
            assert!(matches!(
                take(&mut pieces, &mut other, piece(AGAIN, 0, 0, b"")),
                Taken::Nothing
            ));
        }
        let most = 2 + began.elapsed().as_millis() / 150;
        let count = sent.try_iter().count() as u128;
        assert!((2..=most).contains(&count), "{count} in {:?}", began.elapsed());
    }

    #[test]
    fn only_what_the_other_side_said_can_end_a_session() {
        for wrong in [b"garbage".to_vec(), piece(7, 0, 0, b""), piece(DATA, 9, 9, b"x")] {
            let (mut pieces, mut other, _sent) = side();
            let mut foreign = pair().1;
            for strange in [wrong.clone(), piece(END, 0, 0, b"")] {
                assert!(matches!(take(&mut pieces, &mut foreign, strange.clone()), Taken::Nothing));
                assert!(matches!(pieces.take(&mut strange.clone()), Taken::Nothing));
            }
            assert!(matches!(take(&mut pieces, &mut other, wrong), Taken::End));
            assert_eq!(pieces.ended.get().unwrap(), "sent something that is no message");
        }
    }
}
