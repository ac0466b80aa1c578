use crate::arrivals::Arrivals;
use crate::recorder::{Ended, Recorded, Recorder, Times};
use crate::{
    Action, Answered, ErrorPolicy, Event, Nanos, OperationError, Schedule, Session, SessionError,
};
use model::ErrorClass;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::num::NonZeroU32;

mod connections;
mod end;
mod pauses;
mod quota;
#[cfg(test)]
pub(crate) mod tests;

use pauses::Pause;
pub(crate) use quota::Quota;

/// Where a client is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No transport, or login under way.
    Offline,
    /// Logged in, nothing under way.
    Idle,
    /// An operation is under way.
    Busy(Operation),
    /// An operation has begun by giving its connection up for a new one, and waits for that.
    Renewing(Operation),
}

/// An operation under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Operation {
    due: Nanos,
    began: Nanos,
    /// How long its client has paused in it, in nanoseconds.
    thought: u64,
}

impl Operation {
    fn new(due: Nanos, began: Nanos) -> Self {
        Self { due, began, thought: 0 }
    }

    /// Its times when it has come to an end.
    #[inline]
    fn until(self, ended: Nanos) -> Times {
        Times { due: self.due, began: self.began, ended, thought: self.thought }
    }
}

#[derive(Debug)]
struct Client<S> {
    session: S,
    state: State,
    pause: Pause,
    /// Operations that have begun on its connection.
    begun: u32,
    /// When it last took in a reply, or the end of its login; of one that has no connection, when it
    /// lost it.
    heard: Nanos,
    /// Bytes that are shown again with more, and had come before the request that is under way was sent.
    early: usize,
}

/// What the driver must do with a connection after it delivered bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Send what was appended, wait for more.
    Continue,
    /// Send what was appended, then encrypt the transport and call [`Pool::tls_started`].
    StartTls,
    /// The client has just logged in.
    Ready,
    /// Close the connection and make it anew, after a pause.
    Reconnect,
    /// Send what was appended, close the connection and make a new one at once: an operation waits
    /// for it.
    Renew,
}

/// The open loop's side of a pool: what is due, and what waits for a client.
#[derive(Debug)]
struct Backlog {
    arrivals: Arrivals,
    waiting: VecDeque<Nanos>,
    max_waiting: usize,
    /// Clients with nothing to do, longest idle first.
    idle: VecDeque<usize>,
}

/// How a pool is to work.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) schedule: Schedule,
    pub(crate) quota: Quota,
    pub(crate) policy: ErrorPolicy,
    /// Arrivals, and how many of them may wait; a closed loop when absent.
    pub(crate) arrivals: Option<(Arrivals, usize)>,
    /// How many operations a connection has; any number when absent.
    pub(crate) reconnect_after: Option<NonZeroU32>,
}

/// The clients of one worker and the account of what they do.
///
/// Sees bytes and moments, no socket and no clock, so that every behaviour can be tested in
/// simulated time. Moments passed in must not run backwards.
#[derive(Debug)]
pub(crate) struct Pool<S> {
    clients: Vec<Client<S>>,
    online: usize,
    /// Since when no client at all is logged in.
    alone_since: Option<Nanos>,
    busy: usize,
    /// Those of them that pause in it.
    thinking: usize,
    schedule: Schedule,
    quota: Quota,
    policy: ErrorPolicy,
    backlog: Option<Backlog>,
    reconnect_after: Option<NonZeroU32>,
    start: Nanos,
    measure_from: Nanos,
    last_begin: Nanos,
    /// From when and until when operations begin, in the turn of this load that it is or that is next.
    turn: (Nanos, Nanos),
    /// Whether clients have yet to be told that it has begun.
    waits_for_turn: bool,
    /// By client, when its last request was sent; empty where kinds of requests are not kept
    /// apart.
    asked: Box<[Nanos]>,
    /// Where transactions begin among the kinds that are kept apart: after those of requests.
    first_transaction: usize,
    /// When clients that pause go on: also of some that have lost their connections since.
    pauses: BinaryHeap<Reverse<(Nanos, usize)>>,
    /// What ends the load that no answer brought.
    error: Option<SessionError>,
    recorder: Option<Recorder>,
}

impl<S: Session> Pool<S> {
    /// A pool that has not connected yet.
    pub(crate) fn new(sessions: Vec<S>, rules: Rules) -> Self {
        let client = |session| Client {
            session,
            state: State::Offline,
            pause: Pause::None,
            begun: 0,
            heard: Nanos(0),
            early: 0,
        };
        let clients: Vec<_> = sessions.into_iter().map(client).collect();
        let backlog = rules.arrivals.map(|(arrivals, max_waiting)| Backlog {
            arrivals,
            waiting: VecDeque::new(),
            max_waiting,
            idle: VecDeque::with_capacity(clients.len()),
        });
        let asked = if S::BY_STATEMENT { clients.len() } else { 0 };
        Self {
            pauses: BinaryHeap::new(),
            error: None,
            asked: vec![Nanos(0); asked].into(),
            first_transaction: 0,
            clients,
            online: 0,
            alone_since: None,
            busy: 0,
            thinking: 0,
            schedule: rules.schedule,
            quota: rules.quota,
            policy: rules.policy,
            backlog,
            reconnect_after: rules.reconnect_after,
            start: Nanos(0),
            measure_from: Nanos::NEVER,
            last_begin: Nanos::NEVER,
            turn: (Nanos(0), Nanos::NEVER),
            waits_for_turn: false,
            recorder: None,
        }
    }

    /// How many clients there are.
    pub(crate) fn len(&self) -> usize {
        self.clients.len()
    }

    /// How many clients wait for an answer.
    pub(crate) fn waiting(&self) -> usize {
        self.busy - self.thinking
    }

    /// How many clients have an operation under way.
    pub(crate) fn busy(&self) -> usize {
        self.busy
    }

    /// Whether all clients are logged in.
    pub(crate) fn is_complete(&self) -> bool {
        self.online == self.clients.len()
    }

    /// Whether the load has begun.
    pub(crate) fn has_started(&self) -> bool {
        self.recorder.is_some()
    }

    /// Whether client `id` has an operation under way.
    pub(crate) fn is_busy(&self, id: usize) -> bool {
        matches!(self.clients[id].state, State::Busy(_) | State::Renewing(_))
    }

    /// All clients are logged in, and the load begins at that moment. [`Self::begin`] is to be
    /// called for every client next.
    pub(crate) fn start(&mut self, at: Nanos) {
        self.start = at;
        self.measure_from = self.schedule.measure_from(at);
        self.last_begin = self.schedule.last_begin(at);
        self.turn = self.schedule.turn(at, at).unwrap_or((at, at));
        self.waits_for_turn = self.turn.0 > at;
        let open_loop = self.backlog.is_some();
        let kinds = self.clients.first().filter(|_| S::BY_STATEMENT);
        self.first_transaction = kinds.map_or(0, |client| client.session.names().len());
        let transactions = kinds.map_or(0, |client| client.session.transaction_names().len());
        let kinds = self.first_transaction + transactions;
        let mut recorder = Recorder::open(self.schedule, at, open_loop, kinds);
        recorder.sessions = self.online as u64;
        self.recorder = Some(recorder);
    }

    /// Lets an idle client begin an operation, if there is one for it; appends its first request,
    /// or a goodbye where a new connection is to be made for it ([`Next::Renew`]).
    #[inline]
    pub(crate) fn begin(&mut self, id: usize, now: Nanos, out: &mut Vec<u8>) -> Next {
        let Some(recorder) = &mut self.recorder else { return Next::Continue };
        let client = &mut self.clients[id];
        if let (State::Renewing(operation), None) = (client.state, self.reconnect_after) {
            self.go_on(id, operation, now, out);
            return Next::Continue;
        }
        if client.pause != Pause::None {
            if self.go_on_after_pause(id, now, out) {
                return Next::Continue;
            }
            return self.begin(id, now, out);
        }
        if client.state != State::Idle {
            return Next::Continue;
        }
        let due = match &mut self.backlog {
            None => {
                let counts = now >= self.measure_from;
                let (from, until) = self.turn;
                if now < from || now >= until || counts && !self.quota.take() {
                    return Next::Continue;
                }
                recorder.ledger.scheduled += 1;
                now
            }
            Some(backlog) => {
                if now >= self.last_begin && backlog.arrivals.drop_late() {
                    recorder.ledger.dropped += backlog.waiting.len() as u64;
                    backlog.waiting.clear();
                }
                match backlog.waiting.pop_front() {
                    Some(due) => due,
                    None => {
                        backlog.idle.push_back(id);
                        return Next::Continue;
                    }
                }
            }
        };
        let operation = Operation::new(due, now);
        self.busy += 1;
        if self.reconnect_after.is_some_and(|most| client.begun >= most.get()) {
            client.state = State::Renewing(operation);
            client.session.close(out);
            return Next::Renew;
        }
        self.go_on(id, operation, now, out);
        Next::Continue
    }

    /// Has a client send the first request of an operation.
    #[inline]
    fn go_on(&mut self, id: usize, operation: Operation, now: Nanos, out: &mut Vec<u8>) {
        let client = &mut self.clients[id];
        client.state = State::Busy(operation);
        client.begun = client.begun.saturating_add(1);
        self.first_request(id, now, out);
    }

    /// Has its session begin an operation.
    #[inline]
    fn first_request(&mut self, id: usize, now: Nanos, out: &mut Vec<u8>) {
        let client = &mut self.clients[id];
        let before = out.len();
        client.session.begin(out);
        if let Some(recorder) = &mut self.recorder {
            recorder.carried(0, out.len() - before);
        }
        let event = client.session.take_event();
        self.asks(id, now);
        if let Some(event) = event {
            self.unasked(id, event, now);
        }
    }

    /// A client sends a request.
    #[inline]
    fn asks(&mut self, id: usize, now: Nanos) {
        if S::BY_STATEMENT {
            self.asked[id] = now;
        }
    }

    /// Returns a client whose pause is over; in an open loop takes in what is due by now, and returns a
    /// client that can begin with it. To be called, with [`Self::begin`] for each client, until it
    /// returns `None`.
    pub(crate) fn dispatch(&mut self, now: Nanos) -> Option<usize> {
        if let Some(id) = self.next_rested(now) {
            return Some(id);
        }
        let (backlog, recorder) = (self.backlog.as_mut()?, self.recorder.as_mut()?);
        loop {
            let due = self.schedule.after_running(self.start, backlog.arrivals.next_run());
            if due > now || due >= self.last_begin || self.quota.is_used_up() {
                break;
            }
            if !backlog.arrivals.may_take(now) || due >= self.measure_from && !self.quota.take() {
                break;
            }
            backlog.arrivals.advance();
            // What a free client takes at once has not waited.
            if backlog.waiting.len() < backlog.max_waiting + backlog.idle.len() {
                backlog.waiting.push_back(due);
            } else {
                recorder.ledger.dropped += 1;
            }
            recorder.due(due, backlog.waiting.len().saturating_sub(backlog.idle.len()));
        }
        if backlog.waiting.is_empty() {
            return None;
        }
        while let Some(id) = backlog.idle.pop_front() {
            // A client may have gone offline while it was idle.
            if self.clients[id].state == State::Idle {
                return Some(id);
            }
        }
        None
    }

    /// When a client is to go on next that waits for no answer.
    pub(crate) fn next_due(&self) -> Option<Nanos> {
        self.next_arrival().into_iter().chain(self.next_pause_end()).min()
    }

    /// Open loop: when the next operation is due; `None` when nothing more will be.
    fn next_arrival(&self) -> Option<Nanos> {
        let next = self.backlog.as_ref()?.arrivals.next_run();
        let due = self.schedule.after_running(self.start, next);
        (due < self.last_begin && !self.quota.is_used_up()).then_some(due)
    }

    /// Bytes for client `id` were there at `arrived`; it is now `now`. Appends what is to be
    /// sent. Returns how many bytes were consumed (see [`Session::receive`]).
    ///
    /// # Errors
    /// When the session cannot go on, or an operation failed in a way that ends the load.
    #[inline]
    pub(crate) fn receive(
        &mut self,
        id: usize,
        input: &[u8],
        arrived: Nanos,
        now: Nanos,
        out: &mut Vec<u8>,
    ) -> Result<(usize, Next), SessionError> {
        let client = &mut self.clients[id];
        let (Some(recorder), State::Busy(operation)) = (&mut self.recorder, client.state) else {
            return self.log_in(id, input, now, out);
        };
        if client.early > 0 || client.pause != Pause::None {
            return self.receive_early(id, input, arrived, now, out);
        }
        recorder.advance(arrived);
        let before = out.len();
        let (mut consumed, event) = match client.session.receive(input, out, &mut recorder.tally) {
            Ok(received) => received,
            Err(error) => return self.broken(id, input, now, error),
        };
        recorder.carried(consumed, out.len() - before);
        if S::BY_STATEMENT {
            let asked = self.asked[id];
            let ended = if arrived > asked { arrived } else { now };
            while let Some(Answered { kind, refused, rows }) = client.session.take_answered() {
                match refused {
                    false => recorder.answered(kind, ended.since(asked), rows),
                    true => recorder.refused(kind, ended.since(asked)),
                }
            }
            // Where the operation goes on, its next request leaves with this answer. Of requests that were
            // sent together the others are answered yet.
            if out.len() > before {
                self.asked[id] = now;
            }
        }
        // A request that leaves and an operation that ends have the whole answer before them.
        let surplus =
            consumed < input.len() && (out.len() > before || !matches!(event, Event::More));
        match event {
            Event::More | Event::Pause(_) => {
                client.heard = now;
                if surplus && self.pass_over(id, input, (&mut consumed, input.len()), now)? {
                    return Ok((input.len(), Next::Reconnect));
                }
                if let Event::Pause(time) = event {
                    self.think(id, time, now);
                }
                return Ok((consumed, Next::Continue));
            }
            Event::Done => {
                // No reply comes before its request: a stamp that says so is of no use.
                let ended = if arrived > operation.began { arrived } else { now };
                let times = operation.until(ended);
                recorder.succeeded(times);
                if S::BY_STATEMENT
                    && let Some(kind) = client.session.transaction()
                {
                    let kind = self.first_transaction + kind;
                    recorder.transaction(kind, times.response(), true);
                }
            }
            Event::Failed(error) => {
                if let Some(asked) = self.asked.get(id) {
                    recorder.waited(arrived.since(*asked));
                }
                if self.is_sent_off(id, input) && self.takes_along(id, arrived) {
                    return Ok((input.len(), Next::Reconnect));
                }
                let next = self.failed(id, operation, *error, arrived, now, out)?;
                if surplus
                    && next == Next::Continue
                    && self.pass_over(id, input, (&mut consumed, input.len()), now)?
                {
                    return Ok((input.len(), Next::Reconnect));
                }
                return Ok((consumed, next));
            }
            Event::Ready | Event::StartTls => {
                return Err(SessionError::Protocol("a second login".to_owned()));
            }
        }
        client.state = State::Idle;
        client.heard = now;
        self.busy -= 1;
        if surplus && self.pass_over(id, input, (&mut consumed, input.len()), now)? {
            return Ok((input.len(), Next::Reconnect));
        }
        if self.rests(id, now) {
            return Ok((consumed, Next::Continue));
        }
        let next = self.begin(id, now, out);
        if let (State::Busy(_) | State::Renewing(_), Some(recorder), None) =
            (self.clients[id].state, &mut self.recorder, &self.backlog)
        {
            recorder.delayed_by_client(now.since(arrived));
        }
        Ok((consumed, next))
    }

    /// An operation was answered with an error: does what the policy says.
    fn failed(
        &mut self,
        id: usize,
        operation: Operation,
        error: OperationError,
        arrived: Nanos,
        now: Nanos,
        out: &mut Vec<u8>,
    ) -> Result<Next, SessionError> {
        let again = self.clients[id].session.does_again() && now < self.last_begin;
        let action = match again {
            true => Action::Retry,
            false => self.policy.action(error.class, &error.code),
        };
        if action == Action::Stop {
            return Err(SessionError::Refused(Box::new(error)));
        }
        self.blame(id, &error);
        let Some(recorder) = &mut self.recorder else { return Ok(Next::Continue) };
        if action == Action::Retry && now < self.turn.1 {
            recorder.noted(error);
            if let Some(kind) = self.kind_of_transaction(id)
                && let Some(recorder) = &mut self.recorder
            {
                recorder.retried(kind);
            }
            self.first_request(id, now, out);
            return Ok(Next::Continue);
        }
        let gone = error.class == ErrorClass::Connection;
        let times = operation.until(arrived.max(operation.began));
        recorder.failed(times, error);
        if S::BY_STATEMENT
            && let Some(kind) = self.clients[id].session.transaction()
        {
            recorder.transaction(self.first_transaction + kind, times.response(), false);
        }
        self.busy -= 1;
        if action == Action::Reconnect {
            if gone {
                recorder.lost(arrived, arrived, true);
            }
            self.go_offline(id, now);
            return Ok(Next::Reconnect);
        }
        self.clients[id].state = State::Idle;
        self.clients[id].heard = now;
        Ok(self.begin(id, now, out))
    }

    /// The kind of the transaction of client `id`, where they are kept apart.
    pub(super) fn kind_of_transaction(&self, id: usize) -> Option<usize> {
        let kind = S::BY_STATEMENT.then(|| self.clients[id].session.transaction()).flatten()?;
        Some(self.first_transaction + kind)
    }

    /// Keeps an error by the names of its statement and its transaction.
    fn blame(&mut self, id: usize, error: &OperationError) {
        if !S::BY_STATEMENT {
            return;
        }
        let transaction = self.kind_of_transaction(id);
        let statement = self.clients[id].session.refused_statement();
        let Some(recorder) = &mut self.recorder else { return };
        statement.into_iter().chain(transaction).for_each(|kind| recorder.blamed(kind, error));
    }

    /// It is now that late: closes intervals that have ended.
    pub(crate) fn tick(&mut self, now: Nanos) {
        if let Some(recorder) = &mut self.recorder {
            recorder.advance(now);
        }
    }

    /// Whether the turn of this load has come since the last call: [`Self::begin`] is to be called for
    /// every client next. Never of a load that takes no turns.
    pub(crate) fn has_turn(&mut self, now: Nanos) -> bool {
        let is_over = now >= self.turn.1 && self.turn.1 < self.last_begin;
        if is_over && let Some(next) = self.schedule.turn(self.start, now) {
            self.turn = next;
            self.waits_for_turn = true;
        }
        let comes = self.waits_for_turn && now >= self.turn.0;
        self.waits_for_turn &= !comes;
        comes
    }

    /// When the next turn of this load comes, or the one ends that it is in; `NEVER` after the last.
    pub(crate) fn turns_at(&self, now: Nanos) -> Nanos {
        let (from, until) = self.turn;
        if now < from {
            from
        } else if now < until {
            until
        } else {
            Nanos::NEVER
        }
    }

    /// Intervals closed since the last call.
    pub(crate) fn take_intervals(&mut self) -> Vec<Ended> {
        self.recorder.as_mut().map(Recorder::take_closed).unwrap_or_default()
    }

    /// The finished account; `None` for a load that never began.
    pub(crate) fn close(self, now: Nanos) -> Option<Recorded> {
        self.recorder.map(|recorder| recorder.close(now))
    }
}
