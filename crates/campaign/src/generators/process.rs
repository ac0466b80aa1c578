//! One generator as its lead sees it: a child process and the two pipes to it.

use super::GENERATOR_COMMAND;
use super::wire::{Answer, Order};
use crate::systems::load::PreparedLoad;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// This very program, also where its file was replaced meanwhile.
const THIS_PROGRAM: &str = "/proc/self/exe";
/// How long a generator may take to end when its pipe has ended, before it is killed.
const END_TIMEOUT: Duration = Duration::from_secs(2);
/// How often it is looked after meanwhile.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// What was heard of a generator.
pub(super) enum Heard {
    Answer(Answer),
    /// It says nothing more: it has ended.
    End,
    /// What it says is no answer.
    Nonsense,
}

/// A generator; it ends when this is dropped.
pub(super) struct Process {
    child: Child,
    orders: Option<ChildStdin>,
}

impl Process {
    /// Starts generator number `index`, whose answers go to `heard`.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub(super) fn start(index: u32, heard: Sender<(u32, Heard)>) -> io::Result<Self> {
        let mut child = host::local::command(THIS_PROGRAM)
            .arg0("weighin")
            .arg(GENERATOR_COMMAND)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // A key that interrupts weighin must not end its generators behind its back.
            .process_group(0)
            .spawn()?;
        let orders = child.stdin.take();
        if let Some(answers) = child.stdout.take() {
            std::thread::spawn(move || listen(index, answers, &heard));
        }
        Ok(Self { child, orders })
    }

    /// The process's number.
    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Tells it something.
    ///
    /// # Errors
    /// When it listens no more.
    pub(super) fn tell(&mut self, order: &Order<&PreparedLoad>) -> io::Result<()> {
        let Some(orders) = &mut self.orders else { return Ok(()) };
        let mut line = serde_json::to_vec(order)?;
        line.push(b'\n');
        orders.write_all(&line)
    }

    /// How it ended, in words that follow its name. Only of one whose answers have ended.
    pub(super) fn last_words(&mut self) -> String {
        match self.ended(END_TIMEOUT) {
            None => "closed its pipe and went on".to_owned(),
            Some(status) => match (status.signal(), status.code()) {
                (Some(signal), _) => format!("was killed by signal {signal}"),
                (None, code) => {
                    format!("ended without a result, with exit code {}", code.unwrap_or_default())
                }
            },
        }
    }

    /// Waits for its end for so long at most.
    fn ended(&mut self, limit: Duration) -> Option<std::process::ExitStatus> {
        let deadline = Instant::now() + limit;
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => std::thread::sleep(POLL_INTERVAL),
                Ok(status) => return status,
                Err(_) => return None,
            }
        }
    }

    /// Lets it know that it is to end.
    pub(super) fn dismiss(&mut self) {
        self.orders = None;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.dismiss();
        if self.ended(END_TIMEOUT).is_none() {
            // It may have ended just now.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

fn listen(index: u32, answers: impl Read, heard: &Sender<(u32, Heard)>) {
    for line in BufReader::new(answers).lines().map_while(Result::ok) {
        let said = serde_json::from_str(&line).map_or(Heard::Nonsense, Heard::Answer);
        if heard.send((index, said)).is_err() {
            return;
        }
    }
    // The lead may have given up listening.
    let _ = heard.send((index, Heard::End));
}
