//! The connections of a pool: made, logged in, lost, given up.

use super::{Next, Pause, Pool, State};
use crate::{Action, Event, Nanos, OperationError, Session, SessionError, Unasked};
use model::ErrorClass;
use std::time::Duration;

/// A connection that had nothing to do for so long may have been closed for that. Nobody closes them
/// much sooner: loads that know no rest are far from it.
const IDLE: Duration = Duration::from_millis(100);
/// How soon after its request the end of such a connection is heard of: a long way there and back.
const AT_ONCE: Duration = Duration::from_millis(500);

impl<S: Session> Pool<S> {
    /// Whether client `id` is logged in.
    pub(crate) fn is_online(&self, id: usize) -> bool {
        !matches!(self.clients[id].state, State::Offline | State::Renewing(_))
    }

    /// Whether clients give connections up that serve.
    pub(crate) fn renews_connections(&self) -> bool {
        self.reconnect_after.is_some()
    }

    /// A transport for client `id` is there.
    pub(crate) fn opened(&mut self, id: usize, out: &mut Vec<u8>) {
        self.clients[id].early = 0;
        self.clients[id].session.open(out);
    }

    /// The transport of client `id` is encrypted now.
    pub(crate) fn tls_started(&mut self, id: usize, out: &mut Vec<u8>) {
        self.clients[id].session.tls_started(out);
    }

    /// The server of client `id` has shown this certificate.
    pub(crate) fn peer_certificate(&mut self, id: usize, certificate: &[u8]) {
        self.clients[id].session.peer_certificate(certificate);
    }

    pub(super) fn log_in(
        &mut self,
        id: usize,
        input: &[u8],
        now: Nanos,
        out: &mut Vec<u8>,
    ) -> Result<(usize, Next), SessionError> {
        let client = &mut self.clients[id];
        if !matches!(client.state, State::Offline | State::Renewing(_)) {
            let mut consumed = 0;
            return Ok(match self.pass_over(id, input, (&mut consumed, input.len()), now)? {
                true => (input.len(), Next::Reconnect),
                false => (consumed, Next::Continue),
            });
        }
        // Logging in is no part of the load.
        let mut uncounted = Default::default();
        let (consumed, event) = client.session.receive(input, out, &mut uncounted)?;
        match event {
            Event::More => Ok((consumed, Next::Continue)),
            Event::StartTls => Ok((consumed, Next::StartTls)),
            Event::Ready => {
                client.begun = 0;
                client.heard = now;
                client.early = input.len() - consumed;
                if let Some(recorder) = &mut self.recorder {
                    recorder.logged_in(now);
                }
                match client.state {
                    State::Renewing(operation) if self.reconnect_after.is_some() => {
                        self.go_on(id, operation, now, out);
                        return Ok((consumed, Next::Continue));
                    }
                    // Its connection may go elsewhere first: it begins when it is told to.
                    State::Renewing(_) => {}
                    _ => {
                        client.state = State::Idle;
                        self.online += 1;
                        self.alone_since = None;
                    }
                }
                Ok((consumed, Next::Ready))
            }
            Event::Done | Event::Failed(_) | Event::Pause(_) => {
                Err(SessionError::Protocol("a reply before any request".to_owned()))
            }
        }
    }

    /// Whether these bytes are how the server says that it closes the connection of client `id`.
    pub(super) fn is_sent_off(&mut self, id: usize, input: &[u8]) -> bool {
        matches!(self.clients[id].session.unasked(input), Ok(Unasked::Farewell))
    }

    /// Bytes came for a client with an operation under way, of which the first had come before its request
    /// was sent; all of them, where it pauses.
    #[cold]
    pub(super) fn receive_early(
        &mut self,
        id: usize,
        input: &[u8],
        arrived: Nanos,
        now: Nanos,
        out: &mut Vec<u8>,
    ) -> Result<(usize, Next), SessionError> {
        let client = &self.clients[id];
        let early = if client.pause == Pause::None { client.early } else { input.len() };
        let mut consumed = 0;
        if self.pass_over(id, input, (&mut consumed, early), now)? {
            return Ok((input.len(), Next::Reconnect));
        }
        if self.clients[id].early > 0 || consumed == input.len() {
            return Ok((consumed, Next::Continue));
        }
        let (used, next) = self.receive(id, &input[consumed..], arrived, now, out)?;
        Ok((consumed + used, next))
    }

    /// Passes over what no request had been sent for: the messages that begin between two places of the
    /// input. Moves the first place to their end, or to the start of one whose end has not come. Returns
    /// whether the server closes the connection, which is to be made anew.
    ///
    /// # Errors
    /// When an answer is among them, or the load ends where a connection does.
    #[cold]
    pub(super) fn pass_over(
        &mut self,
        id: usize,
        input: &[u8],
        (at, until): (&mut usize, usize),
        now: Nanos,
    ) -> Result<bool, SessionError> {
        while *at < until {
            match self.clients[id].session.unasked(&input[*at..])? {
                Unasked::Notice(length) => *at += length,
                Unasked::Unfinished => break,
                Unasked::Farewell => {
                    return match self.lost(id, now, "the server closed the connection") {
                        true => Ok(true),
                        false => Err(SessionError::Closed),
                    };
                }
                Unasked::Answer => return Err(SessionError::unasked()),
            }
        }
        self.clients[id].early = until.saturating_sub(*at);
        Ok(false)
    }

    /// Bytes came that do not fit: the load ends, unless the server says with them that it closes the
    /// connection.
    #[cold]
    pub(super) fn broken(
        &mut self,
        id: usize,
        input: &[u8],
        now: Nanos,
        error: SessionError,
    ) -> Result<(usize, Next), SessionError> {
        if self.is_sent_off(id, input) && self.lost(id, now, "the server closed the connection") {
            return Ok((input.len(), Next::Reconnect));
        }
        Err(error)
    }

    /// The connection of client `id` is gone, with what it had under way, or could not be made anew.
    /// Returns whether the client is to be connected anew; otherwise the load ends.
    ///
    /// Servers and proxies close connections that have nothing to do: nobody waited for one of these,
    /// so that it is counted apart from outages.
    pub(crate) fn lost(&mut self, id: usize, at: Nanos, message: &str) -> bool {
        let goes_on = self.policy.action(ErrorClass::Connection, "") == Action::Reconnect;
        let Some(recorder) = self.recorder.as_mut().filter(|_| goes_on) else { return false };
        recorder.advance(at);
        if self.takes_along(id, at) {
            return true;
        }
        let Some(recorder) = &mut self.recorder else { return false };
        let client = &mut self.clients[id];
        match client.state {
            State::Idle => recorder.lost_idle(),
            State::Offline => recorder.lost(client.heard, at, false),
            State::Busy(operation) | State::Renewing(operation) => {
                if let (Some(asked), Some(kind)) = (self.asked.get(id), client.session.awaited()) {
                    recorder.refused(kind, at.since(*asked));
                }
                let error = OperationError {
                    class: ErrorClass::Connection,
                    code: String::new(),
                    sql_state: String::new(),
                    message: message.to_owned(),
                };
                if S::BY_STATEMENT
                    && let Some(kind) = client.session.transaction()
                {
                    let kind = self.first_transaction + kind;
                    recorder.transaction(kind, operation.until(at).response(), false);
                    recorder.blamed(kind, &error);
                }
                recorder.failed(operation.until(at), error);
                recorder.lost(at, at, true);
                self.busy -= 1;
            }
        }
        self.go_offline(id, at);
        true
    }

    /// Whether the operation of client `id`, which has just lost its connection, is taken along to a
    /// new one, of which it hears as if it had begun there: it met a connection that was closed while
    /// it had nothing to do, as one can tell by its end coming at once and in place of any answer. A
    /// new connection that fails as well ends it.
    pub(super) fn takes_along(&mut self, id: usize, at: Nanos) -> bool {
        let client = &mut self.clients[id];
        let State::Busy(operation) = client.state else { return false };
        let (idle, took) = (operation.began.since(client.heard), at.since(operation.began));
        let (true, Some(recorder)) = (idle >= IDLE && took <= AT_ONCE, &mut self.recorder) else {
            return false;
        };
        recorder.lost_idle();
        self.forget_pause(id, at);
        let client = &mut self.clients[id];
        client.state = State::Renewing(operation);
        // On its new connection it has not been idle.
        client.heard = at;
        true
    }

    pub(super) fn go_offline(&mut self, id: usize, now: Nanos) {
        self.forget_pause(id, now);
        if self.clients[id].state != State::Offline {
            self.clients[id].state = State::Offline;
            self.clients[id].heard = now;
            self.online -= 1;
        }
        if self.online == 0 {
            self.alone_since.get_or_insert(now);
        }
    }

    /// Appends the goodbye of client `id`, if it can still say one.
    pub(crate) fn close_session(&mut self, id: usize, out: &mut Vec<u8>) {
        let client = &mut self.clients[id];
        if client.state == State::Idle {
            client.session.close(out);
        }
    }
}
