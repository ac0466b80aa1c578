//! Weighin itself, started once more: a child process and the two pipes to it.

use super::command;
use crate::question::{Lines, Weighin};
use engine::{Clock, Nanos};
use model::{Failure, FailureKind};
use std::io::{self, BufReader, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// This very program, also where its file was replaced meanwhile.
pub(crate) const THIS_PROGRAM: &str = "/proc/self/exe";
/// How long it may take to end when its pipe has ended, before it is killed.
const END_TIMEOUT: Duration = Duration::from_secs(2);
/// How often it is looked after meanwhile.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// A process of weighin on this machine.
#[derive(Debug)]
pub(super) struct LocalWeighin {
    child: Child,
    orders: Option<ChildStdin>,
    answers: Option<ChildStdout>,
}

impl LocalWeighin {
    /// # Errors
    /// When the process cannot be started.
    pub(super) fn start(hidden_command: &str) -> Result<Self, Failure> {
        let child = command(THIS_PROGRAM)
            .arg0("weighin")
            .arg(hidden_command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // A key that interrupts weighin must not end its generators behind its back.
            .process_group(0)
            .spawn();
        let mut child = child.map_err(|error| {
            Failure::new(
                FailureKind::Other,
                format!("cannot start weighin once more: {error}"),
                "check the limit on processes (ulimit -u) and the memory that is free",
            )
        })?;
        let (orders, answers) = (child.stdin.take(), child.stdout.take());
        Ok(Self { child, orders, answers })
    }

    /// Waits for its end for so long at most.
    fn ended(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => std::thread::sleep(POLL_INTERVAL),
                Ok(status) => return status,
                Err(_) => return None,
            }
        }
    }
}

impl Weighin for LocalWeighin {
    fn pid(&self) -> u32 {
        self.child.id()
    }

    fn there(&self, at: Instant) -> Nanos {
        Clock.at(at)
    }

    fn tell(&mut self, line: &str) -> io::Result<()> {
        self.orders.as_mut().map_or(Ok(()), |orders| orders.write_all(line.as_bytes()))
    }

    fn take_answers(&mut self) -> Option<Lines> {
        let answers = self.answers.take()?;
        Some(Lines::Pipe(Box::new(BufReader::new(answers))))
    }

    fn last_words(&mut self) -> String {
        match self.ended(END_TIMEOUT) {
            None => "closed its pipe but kept running".to_owned(),
            Some(status) => match (status.signal(), status.code()) {
                (Some(signal), _) => format!("was killed by signal {signal}"),
                (None, code) => {
                    format!("ended without a result, with exit code {}", code.unwrap_or_default())
                }
            },
        }
    }

    fn dismiss(&mut self) {
        self.orders = None;
    }
}

impl Drop for LocalWeighin {
    fn drop(&mut self) {
        self.dismiss();
        if self.ended(END_TIMEOUT).is_none() {
            // It may have ended just now.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
