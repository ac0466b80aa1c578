//! What carries lines to an agent and back: a pipe to ssh, or the messages of a broker.

use super::stderr::Stderr;
use crate::question::Lines;
use model::{Failure, Stop};
use std::fmt::Debug;
use std::io::Write;
use std::process::Child;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long ssh may take to end when its orders have.
const END_TIMEOUT: Duration = Duration::from_millis(500);

/// A way to the agent on a machine.
pub trait Route: Debug + Send + Sync {
    /// Opens a link to an agent that has said hello, once.
    ///
    /// # Errors
    /// Why there is none, and how to fix it; [`Failure::stopped`].
    fn connect(&self, stop: &Stop) -> Result<Link, Failure>;

    /// What to do about an agent that was lost.
    fn remedy(&self) -> &'static str;
}

/// A link to an agent.
pub struct Link {
    /// Lines for the agent. Each is flushed.
    pub orders: Box<dyn Write + Send>,
    /// What the agent says. Where lines are handed over, orders wait in memory, so that one thread can
    /// tell many agents something.
    pub answers: Lines,
    pub connection: Box<dyn Connection>,
}

/// What holds a link together.
pub trait Connection: Send + Sync {
    /// Why no answer comes any more, in words that follow the agent's name, such as `was cut off`.
    fn how_it_ended(&self) -> String;

    /// Why an agent may be silent, where that is known: in words that follow how long it was.
    fn why_silent(&self) -> Option<String> {
        None
    }

    /// Ends it at once.
    fn cut(&self);

    /// Ends it in good order: its orders were dropped.
    fn end(&self);
}

/// A process of ssh.
pub(super) struct SshProcess {
    pub child: Mutex<Child>,
    pub stderr: Stderr,
}

impl Connection for SshProcess {
    fn how_it_ended(&self) -> String {
        self.stderr.how_it_ended()
    }

    fn cut(&self) {
        // It may have ended by itself.
        let _ = self.child.lock().unwrap_or_else(PoisonError::into_inner).kill();
    }

    fn end(&self) {
        // The agent ends when its orders do, and ssh with it.
        let deadline = Instant::now() + END_TIMEOUT;
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        while Instant::now() < deadline && matches!(child.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(5));
        }
        // It may have ended just now.
        let _ = child.kill();
        let _ = child.wait();
    }
}
