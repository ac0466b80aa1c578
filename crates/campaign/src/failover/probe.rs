//! The probe of a failover: writes at a fixed rate to whichever member of the target takes them.
//!
//! Every member has so many connections. Those of the member that takes the writes share them: one
//! waits for the next write to be due while the others are at work. As soon as no member is known to
//! take writes, or the one that did is silent, the first connection of each other member tries as
//! well, one write after another, until one of them is accepted. A write is sent once, to one member.

use model::{Failover, Stop};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use system::{NotAcknowledged, ProbedServer, Writer};

/// How long after a failed attempt to connect the next one is made.
const RETRY_AFTER: Duration = Duration::from_millis(2);
/// How long the member that takes the writes may acknowledge none before the others are tried.
const SILENCE: Duration = Duration::from_millis(50);
/// How often a connection that has nothing to do looks whether it has.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// Longest sleep before a write is due, so that the end of the probe is noticed.
const LONGEST_SLEEP: Duration = Duration::from_millis(50);

/// A write that was sent. Moments count from the probe's origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Write {
    /// From 1, in the order in which they were due.
    pub(super) id: u64,
    /// To which member.
    pub(super) member: usize,
    pub(super) sent: Duration,
    /// When its answer was there, or its connection was given up.
    pub(super) ended: Duration,
    pub(super) end: WriteEnd,
}

/// What became of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteEnd {
    Acknowledged,
    /// The server answered with an error.
    Refused,
    /// There was no answer: the connection was lost or took too long.
    Unanswered,
}

/// The moments at which writes are due.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    pub(super) rate: u32,
    /// How many writes there are at most.
    pub(super) writes: u64,
}

impl Schedule {
    /// When a write is due, from the origin.
    pub(super) fn due(self, id: u64) -> Duration {
        Duration::from_secs_f64((id - 1) as f64 / f64::from(self.rate))
    }

    /// The first write that is due at that time or later.
    pub(super) fn first_from(self, at: Duration) -> u64 {
        (at.as_secs_f64() * f64::from(self.rate)).ceil() as u64 + 1
    }

    /// Between two writes.
    pub(super) fn step(self) -> Duration {
        Duration::from_secs_f64(1.0 / f64::from(self.rate))
    }
}

#[derive(Debug, Default)]
struct State {
    /// The next write to be sent.
    next: u64,
    /// The member that takes the writes, where one is known.
    taking: Option<usize>,
    /// When it last acknowledged one.
    acknowledged: Duration,
    /// Those that were sent, in the order in which they ended.
    writes: Vec<Write>,
    /// What a member said last when it took no write.
    last_trouble: Option<String>,
    /// And what the one with which the probe began said.
    trouble_of_first: Option<String>,
}

/// A probe while it writes.
pub(super) struct Probe<'a> {
    members: &'a [Arc<dyn ProbedServer>],
    first: usize,
    schedule: Schedule,
    timeout: Duration,
    origin: Instant,
    stop: &'a Stop,
    over: AtomicBool,
    state: Mutex<State>,
    /// Another member takes the writes, or none does.
    changed: Condvar,
    /// Held by the connection of each member whose turn is next.
    turns: Vec<Mutex<()>>,
}

impl<'a> Probe<'a> {
    /// A probe that begins at `origin` with that member.
    pub(super) fn new(
        failover: &Failover,
        members: &'a [Arc<dyn ProbedServer>],
        first: usize,
        origin: Instant,
        stop: &'a Stop,
    ) -> Self {
        let schedule = Schedule { rate: failover.rate, writes: failover.writes() };
        let state = State { next: 1, taking: Some(first), ..State::default() };
        Self {
            members,
            first,
            schedule,
            timeout: failover.timeout,
            origin,
            stop,
            over: AtomicBool::new(false),
            state: Mutex::new(state),
            changed: Condvar::new(),
            turns: members.iter().map(|_| Mutex::new(())).collect(),
        }
    }

    pub(super) fn schedule(&self) -> Schedule {
        self.schedule
    }

    /// Time since the origin.
    pub(super) fn now(&self) -> Duration {
        Instant::now().saturating_duration_since(self.origin)
    }

    /// No more writes are sent; those that are under way are waited for.
    pub(super) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Those that ended so far.
    pub(super) fn writes(&self) -> Vec<Write> {
        self.state().writes.clone()
    }

    /// Whether any write was acknowledged.
    pub(super) fn has_acknowledged(&self) -> bool {
        self.state().writes.iter().any(|write| write.end == WriteEnd::Acknowledged)
    }

    /// The member that takes the writes, where one is known.
    pub(super) fn taking(&self) -> Option<usize> {
        self.state().taking
    }

    /// What a member said last when it took no write.
    pub(super) fn last_trouble(&self) -> Option<String> {
        self.state().last_trouble.clone()
    }

    /// What the member said last with which the probe began, when it took no write.
    pub(super) fn trouble_of_first(&self) -> Option<String> {
        self.state().trouble_of_first.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed) || self.stop.is_requested()
    }

    /// Works for one connection to a member until the probe is over, which may be open already. The
    /// first of a member also tries it while it is not known to take writes.
    pub(super) fn work(&self, member: usize, is_first: bool, mut writer: Option<Box<dyn Writer>>) {
        while !self.is_over() {
            if !self.is_wanted(&self.state(), member, is_first) {
                writer = None;
                self.wait_to_be_wanted(member, is_first);
                continue;
            }
            let Some(open) = &mut writer else {
                match self.members[member].connect(self.timeout, self.timeout, self.stop) {
                    Ok(opened) => writer = Some(opened),
                    Err(failure) => {
                        self.note(member, NotAcknowledged::Lost(failure.message));
                        thread::sleep(RETRY_AFTER);
                    }
                }
                continue;
            };
            let Some(id) = self.take(member, is_first) else { continue };
            let sent = self.now();
            let end = match open.write(id) {
                Ok(()) => WriteEnd::Acknowledged,
                Err(trouble) => {
                    writer = None;
                    self.note(member, trouble)
                }
            };
            self.record(Write { id, member, sent, ended: self.now(), end });
        }
    }

    fn is_wanted(&self, state: &State, member: usize, is_first: bool) -> bool {
        match state.taking {
            Some(taking) if taking == member => true,
            Some(_) => is_first && self.now().saturating_sub(state.acknowledged) > SILENCE,
            None => is_first,
        }
    }

    fn wait_to_be_wanted(&self, member: usize, is_first: bool) {
        if is_first {
            thread::sleep(POLL_INTERVAL);
            return;
        }
        let mut state = self.state();
        while !self.is_over() && !self.is_wanted(&state, member, is_first) {
            let waited = self.changed.wait_timeout(state, LONGEST_SLEEP);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits for the next write to be due and takes it; `None` where it is not for this connection
    /// any more. What was due earlier is made up for only by the member that takes the writes, and
    /// only as far as a client would still wait for it.
    fn take(&self, member: usize, is_first: bool) -> Option<u64> {
        let _turn = self.turns[member].lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let wait = {
                let mut state = self.state();
                if self.is_over() || !self.is_wanted(&state, member, is_first) {
                    return None;
                }
                let now = self.now();
                let late = if state.taking == Some(member) { self.timeout } else { Duration::ZERO };
                let earliest = self.schedule.first_from(now.saturating_sub(late));
                // The one that is due right now has just passed.
                let next = state.next.max(earliest.saturating_sub(1)).max(1);
                if next > self.schedule.writes {
                    drop(state);
                    thread::sleep(POLL_INTERVAL);
                    return None;
                }
                let due = self.schedule.due(next);
                if due <= now {
                    state.next = next + 1;
                    return Some(next);
                }
                due - now
            };
            thread::sleep(wait.min(LONGEST_SLEEP));
        }
    }

    fn record(&self, write: Write) {
        let mut state = self.state();
        if write.end == WriteEnd::Acknowledged {
            let is_silent = write.ended.saturating_sub(state.acknowledged) > SILENCE;
            if state.taking.is_none() || state.taking != Some(write.member) && is_silent {
                state.taking = Some(write.member);
                self.changed.notify_all();
            }
            if state.taking == Some(write.member) {
                state.acknowledged = state.acknowledged.max(write.ended);
            }
        }
        state.writes.push(write);
    }

    /// A member took no write, or no connection.
    fn note(&self, member: usize, trouble: NotAcknowledged) -> WriteEnd {
        let (end, message) = match trouble {
            NotAcknowledged::Refused(message) => (WriteEnd::Refused, message),
            NotAcknowledged::Lost(message) => (WriteEnd::Unanswered, message),
        };
        let mut state = self.state();
        let said = format!("{}: {message}", self.members[member].name());
        if member == self.first {
            state.trouble_of_first = Some(said.clone());
        }
        state.last_trouble = Some(said);
        if state.taking == Some(member) {
            state.taking = None;
            self.changed.notify_all();
        }
        end
    }
}
