//! The end of a load: when it is over, and what becomes of what is unanswered then.

use super::{Pause, Pool, State};
use crate::{Nanos, Session};
use std::time::Duration;

/// How long a load waits after its end for a server that takes no connection.
const ALONE_LIMIT: Duration = Duration::from_secs(3);

impl<S: Session> Pool<S> {
    /// When to stop waiting for what is under way or waits: so long after the last begin, or
    /// sooner where no client at all has a connection, and nothing can be answered.
    pub(crate) fn gives_up_at(&self, drain_limit: Duration) -> Nanos {
        let limit = self.last_begin.plus(drain_limit);
        let alone = self.alone_since.map(|since| since.max(self.last_begin).plus(ALONE_LIMIT));
        alone.map_or(limit, |alone| alone.min(limit))
    }

    /// Gives up on everything under way or waiting.
    pub(crate) fn give_up(&mut self, now: Nanos) {
        let Some(recorder) = &mut self.recorder else { return };
        recorder.advance(now);
        for (id, client) in self.clients.iter_mut().enumerate() {
            if let State::Busy(operation) | State::Renewing(operation) = client.state {
                client.state = State::Offline;
                self.online -= 1;
                recorder.timed_out(operation.until(now));
                if S::BY_STATEMENT
                    && let Some(kind) = client.session.transaction()
                {
                    let waited = operation.until(now).response();
                    recorder.transaction_never_answered(self.first_transaction + kind, waited);
                }
                // One that pauses waits for nothing.
                let asked = self.asked.get(id).filter(|_| client.pause == Pause::None);
                match (asked, client.session.awaited()) {
                    (Some(asked), Some(kind)) => recorder.never_answered(kind, now.since(*asked)),
                    (Some(asked), None) => recorder.waited(now.since(*asked)),
                    (None, _) => {}
                }
            }
            client.pause = Pause::None;
        }
        (self.busy, self.thinking) = (0, 0);
        if let Some(backlog) = &mut self.backlog {
            backlog.waiting.drain(..).for_each(|due| recorder.never_began(due, now));
        }
    }

    /// Whether the load has begun and nothing is or will be under way.
    pub(crate) fn is_finished(&self, now: Nanos) -> bool {
        let over = now >= self.last_begin || self.quota.is_used_up();
        let waiting = self.backlog.as_ref().is_some_and(|backlog| !backlog.waiting.is_empty());
        // What was due before the end and not yet looked at is dealt with first.
        let pending = self.next_arrival().is_some_and(|due| due <= now);
        self.recorder.is_some() && self.busy == 0 && over && !waiting && !pending
    }
}
