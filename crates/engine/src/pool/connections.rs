//! The connections of a pool: made, logged in, lost, given up.

use super::{Next, Pool, State};
use crate::{Action, Event, Nanos, OperationError, Session, SessionError};
use model::ErrorClass;

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
        self.clients[id].session.open(out);
    }

    /// The transport of client `id` is encrypted now.
    pub(crate) fn tls_started(&mut self, id: usize, out: &mut Vec<u8>) {
        self.clients[id].session.tls_started(out);
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
            return Err(SessionError::Protocol("bytes that were not asked for".to_owned()));
        }
        // Logging in is no part of the load.
        let mut uncounted = Default::default();
        let (consumed, event) = client.session.receive(input, out, &mut uncounted)?;
        match event {
            Event::More => Ok((consumed, Next::Continue)),
            Event::StartTls => Ok((consumed, Next::StartTls)),
            Event::Ready => {
                client.begun = 0;
                if let State::Renewing(operation) = client.state {
                    self.go_on(id, operation, now, out);
                    return Ok((consumed, Next::Continue));
                }
                client.state = State::Idle;
                self.online += 1;
                self.alone_since = None;
                Ok((consumed, Next::Ready))
            }
            Event::Done | Event::Failed(_) => {
                Err(SessionError::Protocol("a reply before any request".to_owned()))
            }
        }
    }

    /// The connection of client `id` is gone, with what it had under way. Returns whether the
    /// client is to be connected anew; otherwise the load ends.
    pub(crate) fn lost(&mut self, id: usize, at: Nanos, message: &str) -> bool {
        let goes_on = self.policy.action(ErrorClass::Connection, "") == Action::Reconnect;
        let Some(recorder) = self.recorder.as_mut().filter(|_| goes_on) else { return false };
        let busy = matches!(self.clients[id].state, State::Busy(_) | State::Renewing(_));
        recorder.advance(at);
        if busy {
            recorder.failed(
                at,
                OperationError {
                    class: ErrorClass::Connection,
                    code: String::new(),
                    sql_state: String::new(),
                    message: message.to_owned(),
                },
            );
            self.busy -= 1;
        }
        recorder.lost(at, busy);
        self.go_offline(id, at);
        true
    }

    pub(super) fn go_offline(&mut self, id: usize, now: Nanos) {
        if self.clients[id].state != State::Offline {
            self.clients[id].state = State::Offline;
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
