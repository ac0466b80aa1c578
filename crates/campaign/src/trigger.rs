//! Background work that a server is told to do while a load runs.

use crate::Control;
use model::{Trigger, TriggerAnswer, Triggered};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use target::client::redis::RedisError;

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
        mut connection: Control,
        origin: Instant,
        measured: Duration,
    ) -> Self {
        let (cancel, cancelled) = channel();
        let thread = thread::spawn(move || {
            let due = origin + measured + trigger.at;
            let wait = due.saturating_duration_since(Instant::now());
            match cancelled.recv_timeout(wait) {
                Err(RecvTimeoutError::Timeout) => Some(pull(trigger, &mut connection, origin)),
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
fn pull(trigger: Trigger, connection: &mut Control, origin: Instant) -> Triggered {
    let since = |at: Instant| at.saturating_duration_since(origin).as_secs_f64();
    let sent = Instant::now();
    let command = trigger.work.command().as_bytes();
    let answer = match connection.redis() {
        Ok(redis) => match redis.command(&[command]) {
            Ok(value) => TriggerAnswer::Accepted(value.text().unwrap_or_default()),
            Err(RedisError::Server(line)) => TriggerAnswer::Refused(line),
            Err(error) => TriggerAnswer::Lost(error.to_string()),
        },
        Err(misfit) => TriggerAnswer::Lost(misfit.to_string()),
    };
    Triggered {
        work: trigger.work,
        sent_seconds: since(sent),
        answered_seconds: since(Instant::now()),
        answer,
    }
}
