use engine::{Answered, Event, ServedBy, Session, SessionError, Unasked, WithoutServer};
use model::{RequestKind, RequestTally};
use sql::{ProgramSession, Wire};
use std::ops::Sub;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// What one client did in the measured phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ClientTally {
    /// Events that succeeded.
    pub(super) events: u64,
    /// Time that they took.
    pub(super) busy: Duration,
}

impl Sub for ClientTally {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self { events: self.events - before.events, busy: self.busy - before.busy }
    }
}

/// Collects what each client did, for the figures by thread that sysbench prints, and what it prints
/// while it runs and the engine does not count.
#[derive(Clone, Debug)]
pub(super) struct Tallies {
    measure_from: Arc<OnceLock<Instant>>,
    clients: Arc<[Shared]>,
    counts: Arc<[AtomicU64; 4]>,
}

/// What one client did so far. It alone writes there, and others read it now and then.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Shared {
    events: AtomicU64,
    busy_nanos: AtomicU64,
}

/// What sessions count, since the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Errors after which an event began anew.
    pub(super) errors: u64,
    /// Connections that were made anew.
    pub(super) reconnects: u64,
    /// Statements that write and changed no row.
    pub(super) writes_without_effect: u64,
    /// Rows inserted in bulk, in the measured phase.
    pub(super) bulk_rows: u64,
}

impl Sub for Counts {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            errors: self.errors - before.errors,
            reconnects: self.reconnects - before.reconnects,
            writes_without_effect: self.writes_without_effect - before.writes_without_effect,
            bulk_rows: self.bulk_rows - before.bulk_rows,
        }
    }
}

impl Tallies {
    /// Of so many clients.
    pub(super) fn new(clients: u32) -> Self {
        Self {
            measure_from: Arc::default(),
            clients: (0..clients).map(|_| Shared::default()).collect(),
            counts: Arc::default(),
        }
    }

    /// Counts from that moment on.
    pub(super) fn measure_from(&self, at: Instant) {
        // It is told once, when the load begins.
        let _ = self.measure_from.set(at);
    }

    /// The session of a client, whose events are counted.
    pub(super) fn count<W: Wire, const BY_STATEMENT: bool>(
        &self,
        session: ProgramSession<W, BY_STATEMENT>,
        client: u32,
    ) -> Counted<W, BY_STATEMENT> {
        Counted {
            session,
            tallies: self.clone(),
            client: client as usize,
            opened: false,
            renewing: false,
            began: None,
            writes_without_effect: 0,
            bulk_rows: 0,
            tally: ClientTally::default(),
        }
    }

    /// What was counted so far.
    pub(super) fn counts(&self) -> Counts {
        let [errors, reconnects, writes_without_effect, bulk_rows] =
            [0, 1, 2, 3].map(|place: usize| self.counts[place].load(Ordering::Relaxed));
        Counts { errors, reconnects, writes_without_effect, bulk_rows }
    }

    fn add(&self, place: usize, more: u64) {
        if more > 0 {
            self.counts[place].fetch_add(more, Ordering::Relaxed);
        }
    }

    /// What each client did so far.
    pub(super) fn clients(&self) -> Vec<ClientTally> {
        let read = |client: &Shared| ClientTally {
            events: client.events.load(Ordering::Relaxed),
            busy: Duration::from_nanos(client.busy_nanos.load(Ordering::Relaxed)),
        };
        self.clients.iter().map(read).collect()
    }
}

const ERRORS: usize = 0;
const RECONNECTS: usize = 1;
const WRITES_WITHOUT_EFFECT: usize = 2;
const BULK_ROWS: usize = 3;

/// A session with a count of its own. Unlike others it reads the clock, twice for each event.
pub(super) struct Counted<W, const BY_STATEMENT: bool> {
    session: ProgramSession<W, BY_STATEMENT>,
    tallies: Tallies,
    client: usize,
    opened: bool,
    /// Whether an event has given the connection up.
    renewing: bool,
    /// When the event under way began, its first attempt if there are several.
    began: Option<Instant>,
    /// Counted so far.
    writes_without_effect: u64,
    bulk_rows: u64,
    tally: ClientTally,
}

impl<W: Wire, const BY_STATEMENT: bool> Counted<W, BY_STATEMENT> {
    fn event_ended(&mut self) {
        let now = Instant::now();
        let rows = self.session.bulk_rows() - self.bulk_rows;
        self.bulk_rows += rows;
        let measured = self.tallies.measure_from.get().is_some_and(|from| now >= *from);
        if let (Some(began), true) = (self.began.take(), measured) {
            self.tallies.add(BULK_ROWS, rows);
            self.tally.events += rows.max(1);
            self.tally.busy += now - began;
            if let Some(shared) = self.tallies.clients.get(self.client) {
                shared.events.store(self.tally.events, Ordering::Relaxed);
                shared.busy_nanos.store(self.tally.busy.as_nanos() as u64, Ordering::Relaxed);
            }
        }
    }

    #[inline]
    fn note(&mut self, event: &Event) {
        let idle = self.session.writes_without_effect();
        if idle > self.writes_without_effect {
            self.tallies.add(WRITES_WITHOUT_EFFECT, idle - self.writes_without_effect);
            self.writes_without_effect = idle;
        }
        match event {
            Event::Done => self.event_ended(),
            Event::Failed(_) => self.tallies.add(ERRORS, 1),
            Event::More | Event::StartTls | Event::Ready | Event::Pause(_) => {}
        }
    }
}

impl<W: Wire, const BY_STATEMENT: bool> Session for Counted<W, BY_STATEMENT> {
    const KINDS: &'static [RequestKind] = ProgramSession::<W, BY_STATEMENT>::KINDS;
    const BY_STATEMENT: bool = BY_STATEMENT;
    const SERVED_BY: ServedBy = W::SERVED_BY;

    fn kinds(&self) -> &'static [RequestKind] {
        self.session.kinds()
    }

    fn names(&self) -> Vec<String> {
        self.session.names()
    }

    fn open(&mut self, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.opened, true) {
            self.tallies.add(RECONNECTS, 1);
            if !std::mem::take(&mut self.renewing) {
                self.began = None;
            }
        }
        self.session.open(out);
    }

    fn tls_started(&mut self, out: &mut Vec<u8>) {
        self.session.tls_started(out);
    }

    fn peer_certificate(&mut self, certificate: &[u8]) {
        self.session.peer_certificate(certificate);
    }

    #[inline]
    fn begin(&mut self, out: &mut Vec<u8>) {
        self.began.get_or_insert_with(Instant::now);
        self.session.begin(out);
    }

    fn resume(&mut self, out: &mut Vec<u8>) {
        self.session.resume(out);
    }

    #[inline]
    fn take_event(&mut self) -> Option<Event> {
        self.session.take_event()
    }

    #[inline]
    fn receive(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
        tally: &mut RequestTally,
    ) -> Result<(usize, Event), SessionError> {
        let received = self.session.receive(input, out, tally)?;
        self.note(&received.1);
        Ok(received)
    }

    #[inline]
    fn take_answered(&mut self) -> Option<Answered> {
        self.session.take_answered()
    }

    fn awaited(&self) -> Option<usize> {
        self.session.awaited()
    }

    fn transaction_names(&self) -> Vec<String> {
        self.session.transaction_names()
    }

    fn transaction(&self) -> Option<usize> {
        self.session.transaction()
    }

    fn refused_statement(&self) -> Option<usize> {
        self.session.refused_statement()
    }

    fn does_again(&self) -> bool {
        self.session.does_again()
    }

    fn unasked(&mut self, input: &[u8]) -> Result<Unasked, SessionError> {
        self.session.unasked(input)
    }

    fn close(&mut self, out: &mut Vec<u8>) {
        // In the middle of a load this is how an event begins on a new connection.
        self.began.get_or_insert_with(Instant::now);
        self.renewing = true;
        self.session.close(out);
    }
}

impl<W: Wire, const BY_STATEMENT: bool> WithoutServer for Counted<W, BY_STATEMENT> {
    fn pretend_login(&mut self) {
        if std::mem::replace(&mut self.opened, true) {
            self.tallies.add(RECONNECTS, 1);
        }
        self.session.pretend_login();
    }

    #[inline]
    fn pretend_answer(&mut self, out: &mut Vec<u8>, tally: &mut RequestTally) -> Event {
        let event = self.session.pretend_answer(out, tally);
        self.note(&event);
        event
    }
}
