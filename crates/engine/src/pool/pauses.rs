//! Clients that do nothing for a while: between two statements of an operation, or two operations.

use super::{Action, Pool, State};
use crate::recorder::Times;
use crate::{Event, Nanos, Session, SessionError};
use std::cmp::Reverse;
use std::time::Duration;

/// How long a client rests whose operation asked nothing of the server: it would never end.
const EMPTY: Duration = Duration::from_millis(1);

/// Whether a client does nothing, by its own will.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pause {
    #[default]
    None,
    /// In the middle of an operation.
    Thinking { since: Nanos, until: Nanos },
    /// Until its next operation.
    Resting { until: Nanos },
}

impl Pause {
    fn until(self) -> Nanos {
        match self {
            Self::None => Nanos(0),
            Self::Thinking { until, .. } | Self::Resting { until } => until,
        }
    }
}

impl<S: Session> Pool<S> {
    /// The client that has paused the longest beyond its time; [`Self::begin`] has it go on.
    pub(super) fn next_rested(&mut self, now: Nanos) -> Option<usize> {
        while let Some(&Reverse((until, id))) = self.pauses.peek() {
            if until > now {
                return None;
            }
            self.pauses.pop();
            // It may have lost its connection meanwhile.
            if self.clients[id].pause != Pause::None && self.clients[id].pause.until() == until {
                return Some(id);
            }
        }
        None
    }

    /// When the next pause ends.
    pub(super) fn next_pause_end(&self) -> Option<Nanos> {
        self.pauses.peek().map(|Reverse((until, _))| *until)
    }

    /// A client stops in the middle of an operation. After the end of the load nobody thinks: what is
    /// under way is to be finished.
    #[cold]
    pub(super) fn think(&mut self, id: usize, time: Duration, now: Nanos) {
        let until = now.plus(time).min(self.last_begin.max(now));
        self.thinking += 1;
        self.pause(id, Pause::Thinking { since: now, until }, now);
    }

    /// A client rests before its next operation.
    #[cold]
    pub(super) fn rest(&mut self, id: usize, time: Duration, now: Nanos) {
        let until = now.plus(time).min(self.last_begin.max(now));
        self.pause(id, Pause::Resting { until }, now);
    }

    fn pause(&mut self, id: usize, pause: Pause, now: Nanos) {
        self.clients[id].pause = pause;
        self.pauses.push(Reverse((pause.until(), id)));
        if let Some(recorder) = &mut self.recorder {
            recorder.advance(now);
            recorder.pauses(now);
        }
    }

    /// A client that has paused is told to go on: does it where its time has come. Returns false where
    /// it is to begin an operation.
    #[cold]
    pub(super) fn go_on_after_pause(&mut self, id: usize, now: Nanos, out: &mut Vec<u8>) -> bool {
        let client = &mut self.clients[id];
        if client.pause.until() > now {
            return true;
        }
        let (State::Busy(operation), Pause::Thinking { since, .. }) =
            (&mut client.state, client.pause)
        else {
            self.forget_pause(id, now);
            return false;
        };
        operation.thought += now.0.saturating_sub(since.0);
        let before = out.len();
        client.session.resume(out);
        if let Some(recorder) = &mut self.recorder {
            recorder.carried(0, out.len() - before);
        }
        self.forget_pause(id, now);
        self.asks(id, now);
        if let Some(event) = self.clients[id].session.take_event() {
            self.unasked(id, event, now);
        }
        true
    }

    /// An operation that has begun, or gone on, asked nothing of the server.
    #[cold]
    pub(super) fn unasked(&mut self, id: usize, event: Event, now: Nanos) {
        let kind = self.kind_of_transaction(id);
        let (State::Busy(operation), Some(recorder)) = (self.clients[id].state, &mut self.recorder)
        else {
            return;
        };
        let times: Times = operation.until(now);
        recorder.advance(now);
        match event {
            Event::Pause(time) => return self.think(id, time, now),
            Event::Done => {
                recorder.succeeded(times);
                if let Some(kind) = kind {
                    recorder.transaction(kind, times.response(), true);
                }
            }
            Event::Failed(error) => {
                if self.policy.action(error.class, &error.code) == Action::Stop {
                    self.error = Some(SessionError::Refused(error));
                    return;
                }
                if let Some(kind) = kind {
                    recorder.transaction(kind, times.response(), false);
                    recorder.blamed(kind, &error);
                }
                recorder.failed(times, *error);
            }
            Event::More | Event::Ready | Event::StartTls => return,
        }
        let client = &mut self.clients[id];
        client.state = State::Idle;
        client.heard = now;
        self.busy -= 1;
        let rest = match client.session.take_event() {
            Some(Event::Pause(time)) => time.max(EMPTY),
            _ => EMPTY,
        };
        self.rest(id, rest, now);
    }

    /// What ends the load that no answer brought.
    pub(crate) fn take_error(&mut self) -> Option<SessionError> {
        self.error.take()
    }

    /// Ends a pause, also of a client that has lost its connection.
    pub(super) fn forget_pause(&mut self, id: usize, now: Nanos) {
        let pause = std::mem::take(&mut self.clients[id].pause);
        if pause == Pause::None {
            return;
        }
        self.thinking -= usize::from(matches!(pause, Pause::Thinking { .. }));
        if let Some(recorder) = &mut self.recorder {
            recorder.advance(now);
            recorder.goes_on(now);
        }
    }

    /// A client whose operation succeeded rests before the next, where it wants to.
    #[inline]
    pub(super) fn rests(&mut self, id: usize, now: Nanos) -> bool {
        match self.clients[id].session.take_event() {
            Some(Event::Pause(time)) => {
                self.rest(id, time, now);
                true
            }
            _ => false,
        }
    }
}
