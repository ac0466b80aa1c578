//! Lines that another process says, however they come: through a pipe, which a thread waits at, or handed
//! over by a thread that hears many at once.

use std::io::{BufRead, ErrorKind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Lines, to be heard once.
pub enum Lines {
    /// To be waited for, which a thread of its own does.
    Pipe(Box<dyn BufRead + Send>),
    /// Said to a [`Mouthpiece`].
    Handed(Handed),
}

/// What is heard.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard<'a> {
    /// A line, without its end.
    Line(&'a [u8]),
    /// Nothing more comes: of itself, or why it cannot be heard, in words that follow who says it. A
    /// line without an end is part of a message that was cut off, and dropped.
    End(Option<String>),
}

impl Lines {
    /// Has all lines heard as they come, to the end or until `heard` wants no more; none is longer
    /// than `longest` bytes. `heard` is called by one thread at a time.
    pub fn hear(self, longest: usize, heard: impl FnMut(Heard<'_>) -> bool + Send + 'static) {
        let mut cutter = Cutter::new(longest, heard);
        match self {
            Self::Pipe(mut pipe) => drop(thread::spawn(move || {
                loop {
                    let length = match pipe.fill_buf() {
                        Ok([]) => return cutter.end(None),
                        Ok(bytes) => {
                            if !cutter.take(bytes) {
                                return;
                            }
                            bytes.len()
                        }
                        Err(error) if error.kind() == ErrorKind::Interrupted => 0,
                        Err(error) => return cutter.end(Some(format!("cannot be heard: {error}"))),
                    };
                    pipe.consume(length);
                }
            })),
            Self::Handed(Handed(shared)) => shared.taken_by(cutter),
        }
    }
}

/// Hears lines; whether it wants more.
type Hearer = dyn FnMut(Heard<'_>) -> bool + Send;

/// Cuts what comes into lines.
struct Cutter {
    longest: usize,
    /// Of a line that has not ended.
    begun: Vec<u8>,
    /// Who hears it, as long as more is wanted.
    heard: Option<Box<Hearer>>,
}

impl Cutter {
    fn new(longest: usize, heard: impl FnMut(Heard<'_>) -> bool + Send + 'static) -> Self {
        Self { longest, begun: Vec::new(), heard: Some(Box::new(heard)) }
    }

    /// Whether more is wanted.
    fn take(&mut self, mut bytes: &[u8]) -> bool {
        while let Some(length) = bytes.iter().position(|byte| *byte == b'\n') {
            let (line, rest) = bytes.split_at(length);
            bytes = rest.get(1..).unwrap_or_default();
            if self.begun.len() + line.len() > self.longest {
                return self.too_long();
            }
            let Some(heard) = &mut self.heard else { return false };
            let wants_more = if self.begun.is_empty() {
                heard(Heard::Line(line))
            } else {
                self.begun.extend_from_slice(line);
                let wants_more = heard(Heard::Line(&self.begun));
                self.begun.clear();
                wants_more
            };
            if !wants_more {
                self.heard = None;
                return false;
            }
        }
        self.begun.extend_from_slice(bytes);
        if self.begun.len() > self.longest { self.too_long() } else { self.heard.is_some() }
    }

    fn too_long(&mut self) -> bool {
        self.end(Some(format!("sent a line of more than {} bytes", self.longest)));
        false
    }

    fn end(&mut self, why: Option<String>) {
        if let Some(mut heard) = self.heard.take() {
            heard(Heard::End(why));
        }
    }
}

/// Where lines are said that are handed over.
pub struct Mouthpiece(Arc<Shared>);

/// The other end of a [`Mouthpiece`].
pub struct Handed(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// What was said before anybody heard it.
    waiting: Vec<u8>,
    has_ended: bool,
    hearer: Option<Cutter>,
}

/// Both ends.
pub fn handed() -> (Mouthpiece, Handed) {
    let shared = Arc::new(Shared::default());
    (Mouthpiece(Arc::clone(&shared)), Handed(shared))
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn taken_by(&self, mut cutter: Cutter) {
        let mut state = self.state();
        if cutter.take(&std::mem::take(&mut state.waiting)) && state.has_ended {
            cutter.end(None);
        }
        state.hearer = Some(cutter);
    }
}

impl Mouthpiece {
    /// Says something: some bytes of lines. What nobody hears yet waits, as far as there are no more
    /// than `most` bytes of it. Whether more is wanted.
    pub fn say(&self, bytes: &[u8], most: usize) -> bool {
        let mut state = self.0.state();
        if state.has_ended {
            return false;
        }
        let State { hearer, waiting, .. } = &mut *state;
        match hearer {
            Some(hearer) => hearer.take(bytes),
            None if waiting.len() + bytes.len() > most => false,
            None => {
                waiting.extend_from_slice(bytes);
                self.0.changed.notify_all();
                true
            }
        }
    }

    /// Says that nothing more comes. Dropping a mouthpiece says nothing.
    pub fn end(&self) {
        let mut state = self.0.state();
        state.has_ended = true;
        if let Some(hearer) = &mut state.hearer {
            hearer.end(None);
        }
        self.0.changed.notify_all();
    }
}

impl Handed {
    /// The first line, waited for so long at most and with its end; `None` where none came.
    pub fn first_line(&self, limit: Duration) -> Option<Vec<u8>> {
        let deadline = Instant::now() + limit;
        let mut state = self.0.state();
        loop {
            if let Some(end) = state.waiting.iter().position(|byte| *byte == b'\n') {
                return Some(state.waiting.drain(..=end).collect());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if state.has_ended || left.is_zero() {
                return None;
            }
            let waited = self.0.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Cursor};
    use std::sync::mpsc::{Receiver, channel};

    /// What is heard, as text.
    fn heard(lines: Lines, longest: usize) -> Receiver<String> {
        let (sender, said) = channel();
        lines.hear(longest, move |heard| {
            let text = match heard {
                Heard::Line(line) => String::from_utf8_lossy(line).into_owned(),
                Heard::End(why) => format!("end: {}", why.unwrap_or_default()),
            };
            sender.send(text).is_ok()
        });
        said
    }

    #[test]
    fn lines_are_the_same_however_they_come_and_are_cut() {
        let text = b"one\n\nthree and more\nnot ended";
        let expected = ["one", "", "three and more", "end: "];
        for piece in 1..=text.len() {
            let pipe = BufReader::with_capacity(piece, Cursor::new(text.to_vec()));
            let said: Vec<String> = heard(Lines::Pipe(Box::new(pipe)), 14).iter().collect();
            assert_eq!(said, expected, "in pieces of {piece}");
            for before in [0, 1, 5] {
                let (mouth, handed) = handed();
                let mut pieces = text.chunks(piece);
                pieces.by_ref().take(before).for_each(|bytes| assert!(mouth.say(bytes, 100)));
                let said = heard(Lines::Handed(handed), 14);
                pieces.for_each(|bytes| assert!(mouth.say(bytes, 0)));
                mouth.end();
                assert!(!mouth.say(b"x", 100));
                assert_eq!(said.iter().collect::<Vec<_>>(), expected, "in pieces of {piece}");
            }
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_the_end_and_so_is_a_hearer_who_wants_no_more() {
        for text in ["12345\nabc\n", "12345"] {
            let said = heard(Lines::Pipe(Box::new(Cursor::new(text))), 4);
            let said: Vec<String> = said.iter().collect();
            assert_eq!(said, ["end: sent a line of more than 4 bytes"]);
        }
        let (mouth, handed) = handed();
        let mut count = 0;
        let (sender, counted) = channel();
        Lines::Handed(handed).hear(4, move |_| {
            count += 1;
            sender.send(count).is_ok() && count < 2
        });
        assert!(!mouth.say(b"1\n2\n3\n", 0));
        mouth.end();
        assert_eq!(counted.iter().collect::<Vec<i32>>(), [1, 2]);
    }

    #[test]
    fn a_first_line_is_waited_for_and_no_more_waits_than_may() {
        let (mouth, handed) = handed();
        assert!(mouth.say(b"hello", 9) && !mouth.say(b" there\n", 9));
        assert_eq!(handed.first_line(Duration::ZERO), None);
        assert!(mouth.say(b"\nmo", 9));
        assert_eq!(handed.first_line(Duration::from_secs(60)).unwrap(), b"hello\n");
        let said = heard(Lines::Handed(handed), 9);
        assert!(mouth.say(b"re\n", 0));
        assert_eq!(said.recv().unwrap(), "more");
    }
}
