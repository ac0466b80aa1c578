//! Background work that a server is told to do while a load runs.

use crate::systems::BeginWork;
use model::{Trigger, Triggered};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A thread that waits to send the command of a trigger. It has a connection of its own, since the
/// server may take long to answer: it forks first.
#[derive(Debug)]
pub(crate) struct Armed {
    /// Dropped to end the waiting.
    cancel: Sender<()>,
    thread: JoinHandle<Option<Triggered>>,
}

impl Armed {
    /// Waits from now on. `origin` is the start of the load, which may lie ahead, and `measured`
    /// that of the measured phase, counted from it.
    pub(crate) fn arm(
        trigger: Trigger,
        begin: BeginWork,
        origin: Instant,
        measured: Duration,
    ) -> Self {
        let (cancel, cancelled) = channel();
        let thread = thread::spawn(move || {
            let due = origin + measured + trigger.at;
            let wait = due.saturating_duration_since(Instant::now());
            match cancelled.recv_timeout(wait) {
                Err(RecvTimeoutError::Timeout) => Some(pull(trigger, begin, origin)),
                _ => None,
            }
        });
        Self { cancel, thread }
    }

    /// The load is over: what became of the trigger. `None` where it ended before its time.
    pub(crate) fn disarm(self) -> Option<Triggered> {
        drop(self.cancel);
        self.thread.join().ok().flatten()
    }
}

/// Sends the command and waits for the answer.
fn pull(trigger: Trigger, begin: BeginWork, origin: Instant) -> Triggered {
    let since = |at: Instant| at.saturating_duration_since(origin).as_secs_f64();
    let sent = Instant::now();
    let answer = begin(trigger.work);
    Triggered {
        work: trigger.work,
        sent_seconds: since(sent),
        answered_seconds: since(Instant::now()),
        answer,
    }
}
