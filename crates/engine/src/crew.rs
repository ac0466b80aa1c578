use crate::books::{Books, Closed};
use crate::{Event, Nanos, OperationError, Schedule, Session, SessionError};
use model::{ErrorClass, Interval};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many more operations may begin, over all workers.
#[derive(Clone, Debug)]
pub struct Quota(Option<Arc<AtomicU64>>);

impl Quota {
    /// So many, or any number.
    pub fn new(events: Option<u64>) -> Self {
        Self(events.map(|events| Arc::new(AtomicU64::new(events))))
    }

    /// Takes one; false when none is left.
    #[inline]
    fn take(&self) -> bool {
        let Some(left) = &self.0 else { return true };
        left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_ok()
    }
}

/// Where a client is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No transport yet, or login under way.
    Opening,
    /// Logged in, nothing under way.
    Idle,
    /// An operation is under way since that moment.
    Busy(Nanos),
    /// Will do nothing any more.
    Gone,
}

#[derive(Debug)]
struct Client<S> {
    session: S,
    state: State,
}

/// What the driver must do with a connection after it delivered bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Send what was appended, wait for more.
    Continue,
    /// Send what was appended, then encrypt the transport and call [`Crew::tls_started`].
    StartTls,
}

/// The clients of one worker and the account of what they do.
///
/// Sees bytes and moments, no socket and no clock, so that every behaviour can be tested in
/// simulated time. Moments passed in must not run backwards.
#[derive(Debug)]
pub struct Crew<S> {
    clients: Vec<Client<S>>,
    ready: usize,
    busy: usize,
    schedule: Schedule,
    quota: Quota,
    last_begin: Nanos,
    books: Option<Books>,
}

impl<S: Session> Crew<S> {
    /// A crew that has not connected yet.
    pub fn new(sessions: Vec<S>, schedule: Schedule, quota: Quota) -> Self {
        let clients: Vec<_> =
            sessions.into_iter().map(|session| Client { session, state: State::Opening }).collect();
        Self { clients, ready: 0, busy: 0, schedule, quota, last_begin: Nanos::NEVER, books: None }
    }

    /// How many clients there are.
    pub fn len(&self) -> usize {
        self.clients.len()
    }

    /// Whether there are no clients.
    pub fn is_empty(&self) -> bool {
        self.clients.is_empty()
    }

    /// Whether all clients are logged in.
    pub fn is_ready(&self) -> bool {
        self.ready == self.clients.len()
    }

    /// Whether client `id` is logged in.
    pub fn is_logged_in(&self, id: usize) -> bool {
        self.clients[id].state != State::Opening
    }

    /// A transport for client `id` is there.
    pub fn opened(&mut self, id: usize, out: &mut Vec<u8>) {
        self.clients[id].session.open(out);
    }

    /// The transport of client `id` is encrypted now.
    pub fn tls_started(&mut self, id: usize, out: &mut Vec<u8>) {
        self.clients[id].session.tls_started(out);
    }

    /// All clients are logged in, and the load begins at that moment. [`Self::begin`] is to be
    /// called for every client next.
    pub fn start(&mut self, at: Nanos) {
        self.last_begin = self.schedule.last_begin(at);
        self.books = Some(Books::open(self.schedule, at));
    }

    /// Lets an idle client begin an operation, if any may begin; appends its first request.
    pub fn begin(&mut self, id: usize, now: Nanos, out: &mut Vec<u8>) {
        let Some(books) = &mut self.books else { return };
        let client = &mut self.clients[id];
        if client.state != State::Idle || now >= self.last_begin || !self.quota.take() {
            return;
        }
        books.ledger.scheduled += 1;
        client.state = State::Busy(now);
        self.busy += 1;
        client.session.begin(out);
    }

    /// Bytes for client `id` were there at `arrived`; it is now `now`. Appends what is to be
    /// sent. Returns how many bytes were consumed (see [`Session::receive`]).
    ///
    /// # Errors
    /// When the session cannot go on, or an operation failed with anything but a conflict, which
    /// the next one would do too; the load cannot go on either.
    #[inline]
    pub fn receive(
        &mut self,
        id: usize,
        input: &[u8],
        arrived: Nanos,
        now: Nanos,
        out: &mut Vec<u8>,
    ) -> Result<(usize, Next), SessionError> {
        let client = &mut self.clients[id];
        let Some(books) = &mut self.books else { return self.log_in(id, input, out) };
        books.advance(arrived);
        let (consumed, event) = client.session.receive(input, out, &mut books.statements)?;
        let State::Busy(began) = client.state else {
            return Err(SessionError::Protocol("bytes that nobody asked for".to_owned()));
        };
        match event {
            Event::More => return Ok((consumed, Next::Continue)),
            Event::Done => books.succeeded(began, arrived),
            Event::Failed(error) if error.class == ErrorClass::Conflict => {
                books.failed(arrived, *error);
            }
            Event::Failed(error) => return Err(SessionError::Refused(error)),
            Event::Ready | Event::StartTls => {
                return Err(SessionError::Protocol("a second login".to_owned()));
            }
        }
        client.state = State::Idle;
        self.busy -= 1;
        self.begin(id, now, out);
        Ok((consumed, Next::Continue))
    }

    fn log_in(
        &mut self,
        id: usize,
        input: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(usize, Next), SessionError> {
        let client = &mut self.clients[id];
        // Nothing is counted before the load begins.
        let mut uncounted = Default::default();
        let (consumed, event) = client.session.receive(input, out, &mut uncounted)?;
        match event {
            Event::More => Ok((consumed, Next::Continue)),
            Event::StartTls => Ok((consumed, Next::StartTls)),
            Event::Ready => {
                client.state = State::Idle;
                self.ready += 1;
                Ok((consumed, Next::Continue))
            }
            Event::Done | Event::Failed(_) => {
                Err(SessionError::Protocol("a reply before any request".to_owned()))
            }
        }
    }

    /// The connection of client `id` is gone. What it had under way has failed.
    pub fn lost(&mut self, id: usize, at: Nanos, message: &str) {
        let client = &mut self.clients[id];
        if let (State::Busy(_), Some(books)) = (client.state, &mut self.books) {
            books.advance(at);
            books.failed(
                at,
                OperationError {
                    class: ErrorClass::Connection,
                    code: 0,
                    sql_state: String::new(),
                    message: message.to_owned(),
                },
            );
            self.busy -= 1;
        }
        client.state = State::Gone;
    }

    /// It is now that late: closes intervals that have ended.
    pub fn tick(&mut self, now: Nanos) {
        if let Some(books) = &mut self.books {
            books.advance(now);
        }
    }

    /// No operation begins any more.
    pub fn stop(&mut self, now: Nanos) {
        self.last_begin = self.last_begin.min(now);
    }

    /// Gives up on everything under way.
    pub fn give_up(&mut self, now: Nanos) {
        let Some(books) = &mut self.books else { return };
        books.advance(now);
        for client in &mut self.clients {
            if let State::Busy(_) = client.state {
                client.state = State::Gone;
                books.ledger.timed_out += 1;
            }
        }
        self.busy = 0;
    }

    /// Whether the load has begun and nothing is or will be under way.
    pub fn is_finished(&self, now: Nanos) -> bool {
        let over = now >= self.last_begin || self.quota.0.is_some();
        self.books.is_some() && self.busy == 0 && over
    }

    /// The moment from which no operation begins.
    pub fn last_begin(&self) -> Nanos {
        self.last_begin
    }

    /// Appends the goodbye of client `id`, if it can still say one.
    pub fn close_session(&mut self, id: usize, out: &mut Vec<u8>) {
        let client = &mut self.clients[id];
        if client.state == State::Idle {
            client.session.close(out);
        }
    }

    /// Intervals closed since the last call.
    pub fn take_intervals(&mut self) -> Vec<Interval> {
        self.books.as_mut().map(Books::take_closed).unwrap_or_default()
    }

    /// The finished account; `None` for a load that never began.
    pub(crate) fn close(self, now: Nanos) -> Option<Closed> {
        self.books.map(|books| books.close(now))
    }
}

#[cfg(test)]
mod tests;
