use engine::mysql::OltpSession;
use engine::{Event, Session, SessionError};
use model::StatementCounts;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// What one client did in the measured phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ClientTally {
    /// Events that succeeded.
    pub(super) events: u64,
    /// Time that they took.
    pub(super) busy: Duration,
    /// Statements that write and changed no row.
    pub(super) writes_without_effect: u64,
}

/// Collects what each client did, for the figures by thread that sysbench prints.
#[derive(Clone, Debug, Default)]
pub(super) struct Tallies {
    measure_from: Arc<OnceLock<Instant>>,
    done: Arc<Mutex<Vec<ClientTally>>>,
}

impl Tallies {
    /// Counts from that moment on.
    pub(super) fn measure_from(&self, at: Instant) {
        // It is told once, when the load begins.
        let _ = self.measure_from.set(at);
    }

    /// A session whose events are counted.
    pub(super) fn count(&self, session: OltpSession) -> Counted {
        Counted { session, tallies: self.clone(), began: None, tally: ClientTally::default() }
    }

    /// What the clients did whose sessions have ended.
    pub(super) fn take(&self) -> Vec<ClientTally> {
        std::mem::take(&mut self.done.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A session with a count of its own. Unlike others it reads the clock, twice for each event.
pub(super) struct Counted {
    session: OltpSession,
    tallies: Tallies,
    began: Option<Instant>,
    tally: ClientTally,
}

impl Counted {
    fn event_ended(&mut self) {
        let now = Instant::now();
        let measured = self.tallies.measure_from.get().is_some_and(|from| now >= *from);
        if let (Some(began), true) = (self.began.take(), measured) {
            self.tally.events += 1;
            self.tally.busy += now - began;
        }
    }
}

impl Session for Counted {
    fn open(&mut self, out: &mut Vec<u8>) {
        self.session.open(out);
    }

    fn tls_started(&mut self, out: &mut Vec<u8>) {
        self.session.tls_started(out);
    }

    #[inline]
    fn begin(&mut self, out: &mut Vec<u8>) {
        self.began = Some(Instant::now());
        self.session.begin(out);
    }

    #[inline]
    fn receive(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
        counts: &mut StatementCounts,
    ) -> Result<(usize, Event), SessionError> {
        let received = self.session.receive(input, out, counts)?;
        if matches!(received.1, Event::Done) {
            self.event_ended();
        }
        Ok(received)
    }

    fn close(&mut self, out: &mut Vec<u8>) {
        self.session.close(out);
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.tally.writes_without_effect = self.session.writes_without_effect();
        let mut done = self.tallies.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.push(self.tally);
    }
}
