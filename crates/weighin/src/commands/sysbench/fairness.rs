use engine::mysql::OltpSession;
use engine::{Event, Session, SessionError};
use model::{RequestKind, RequestTally};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// What one client did in the measured phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ClientTally {
    /// Events that succeeded.
    pub(super) events: u64,
    /// Time that they took.
    pub(super) busy: Duration,
}

/// Collects what each client did, for the figures by thread that sysbench prints, and the troubles
/// that it prints while it runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Tallies {
    measure_from: Arc<OnceLock<Instant>>,
    done: Arc<Mutex<Vec<ClientTally>>>,
    troubles: Arc<[AtomicU64; 3]>,
}

/// Troubles that did not end the run, since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Troubles {
    /// Errors after which an event began anew.
    pub(super) errors: u64,
    /// Connections that were made anew.
    pub(super) reconnects: u64,
    /// Statements that write and changed no row.
    pub(super) writes_without_effect: u64,
}

impl Tallies {
    /// Counts from that moment on.
    pub(super) fn measure_from(&self, at: Instant) {
        // It is told once, when the load begins.
        let _ = self.measure_from.set(at);
    }

    /// A session whose events are counted.
    pub(super) fn count<const BY_STATEMENT: bool>(
        &self,
        session: OltpSession<BY_STATEMENT>,
    ) -> Counted<BY_STATEMENT> {
        Counted {
            session,
            tallies: self.clone(),
            opened: false,
            began: None,
            writes_without_effect: 0,
            tally: ClientTally::default(),
        }
    }

    /// The troubles so far.
    pub(super) fn troubles(&self) -> Troubles {
        let [errors, reconnects, writes_without_effect] =
            [0, 1, 2].map(|place: usize| self.troubles[place].load(Ordering::Relaxed));
        Troubles { errors, reconnects, writes_without_effect }
    }

    fn count_error(&self) {
        self.troubles[0].fetch_add(1, Ordering::Relaxed);
    }

    fn count_reconnect(&self) {
        self.troubles[1].fetch_add(1, Ordering::Relaxed);
    }

    fn count_writes_without_effect(&self, more: u64) {
        self.troubles[2].fetch_add(more, Ordering::Relaxed);
    }

    /// What the clients did whose sessions have ended.
    pub(super) fn take(&self) -> Vec<ClientTally> {
        std::mem::take(&mut self.done.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A session with a count of its own. Unlike others it reads the clock, twice for each event.
pub(super) struct Counted<const BY_STATEMENT: bool> {
    session: OltpSession<BY_STATEMENT>,
    tallies: Tallies,
    opened: bool,
    /// When the event under way began, its first attempt if there are several.
    began: Option<Instant>,
    /// Counted so far.
    writes_without_effect: u64,
    tally: ClientTally,
}

impl<const BY_STATEMENT: bool> Counted<BY_STATEMENT> {
    fn event_ended(&mut self) {
        let now = Instant::now();
        let measured = self.tallies.measure_from.get().is_some_and(|from| now >= *from);
        if let (Some(began), true) = (self.began.take(), measured) {
            self.tally.events += 1;
            self.tally.busy += now - began;
        }
    }
}

impl<const BY_STATEMENT: bool> Session for Counted<BY_STATEMENT> {
    const KINDS: &'static [RequestKind] = OltpSession::<BY_STATEMENT>::KINDS;
    const STATEMENTS: &'static [&'static str] = OltpSession::<BY_STATEMENT>::STATEMENTS;

    fn open(&mut self, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.opened, true) {
            self.tallies.count_reconnect();
            self.began = None;
        }
        self.session.open(out);
    }

    fn tls_started(&mut self, out: &mut Vec<u8>) {
        self.session.tls_started(out);
    }

    #[inline]
    fn begin(&mut self, out: &mut Vec<u8>) {
        self.began.get_or_insert_with(Instant::now);
        self.session.begin(out);
    }

    #[inline]
    fn receive(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
        tally: &mut RequestTally,
    ) -> Result<(usize, Event), SessionError> {
        let received = self.session.receive(input, out, tally)?;
        let idle = self.session.writes_without_effect();
        if idle > self.writes_without_effect {
            self.tallies.count_writes_without_effect(idle - self.writes_without_effect);
            self.writes_without_effect = idle;
        }
        match received.1 {
            Event::Done => self.event_ended(),
            Event::Failed(_) => self.tallies.count_error(),
            Event::More | Event::StartTls | Event::Ready => {}
        }
        Ok(received)
    }

    #[inline]
    fn take_answered(&mut self) -> Option<usize> {
        self.session.take_answered()
    }

    fn close(&mut self, out: &mut Vec<u8>) {
        self.session.close(out);
    }
}

impl<const BY_STATEMENT: bool> Drop for Counted<BY_STATEMENT> {
    fn drop(&mut self) {
        let mut done = self.tallies.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.push(self.tally);
    }
}
