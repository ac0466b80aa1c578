//! What commands of the user provision: the lead's end, and the process that runs them.
//!
//! A keeper runs the commands: weighin once more, in a session of its own, with nothing but
//! pipes between them. When its orders end, because weighin has taken everything down, or was killed,
//! it takes down what may be up, and ends. Guardians beside it do so where the keeper is killed. So `down` is run however weighin ends, and what it does is never cut off in the middle.

use super::command as program;
use super::os;
use super::weighin::THIS_PROGRAM;
use crate::question::{InstanceOrder, KeptInstance};
use crate::supervise::{Answer, KEEPER_COMMAND, Order};
use crate::waiting::Waiting;
use model::{Failure, FailureKind, Stop};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// How often a wait looks whether it is to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Bytes of one answer: what `up` printed, in JSON, where every byte may be an escape.
const LONGEST_ANSWER: u64 = 8 << 20;
/// Answers that wait; then the keeper does.
const MOST_WAITING: usize = 64;

/// Something that a keeper brings up and takes down.
#[derive(Debug)]
pub(super) struct LocalInstance {
    keeper: Child,
    orders: Option<ChildStdin>,
    answers: Receiver<Answer>,
    /// What messages call the two commands.
    names: (String, String),
}

impl LocalInstance {
    /// As [`crate::Host::keep_instance`].
    pub(super) fn start(order: InstanceOrder) -> Result<Self, Failure> {
        let order = with_environment(order)?;
        let names = order.names.clone();
        let (up, down) = (&names.0, &names.1);
        let failed = |what: &str| {
            Failure::new(
                FailureKind::Other,
                format!("cannot start weighin once more, for `{up}` and `{down}`: {what}"),
                "check the limit on processes (ulimit -u) and the memory that is free",
            )
        };
        let mut keeper = program(THIS_PROGRAM);
        keeper.arg0("weighin").arg(KEEPER_COMMAND).stdin(Stdio::piped()).stdout(Stdio::piped());
        // What interrupts weighin, or ends its session, must not end it.
        os::own_session(&mut keeper);
        let mut keeper = keeper.spawn().map_err(|error| failed(&error.to_string()))?;
        let orders = keeper.stdin.take();
        let Some(stdout) = keeper.stdout.take() else { return Err(failed("it has no pipe")) };
        let (sender, answers) = sync_channel(MOST_WAITING);
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            loop {
                let mut line = Vec::new();
                let length = stdout.by_ref().take(LONGEST_ANSWER).read_until(b'\n', &mut line);
                let Ok(1..) = length else { return };
                let Ok(answer) = serde_json::from_slice(&line) else { return };
                if sender.send(answer).is_err() {
                    return;
                }
            }
        });
        let mut kept = Self { keeper, orders, answers, names };
        kept.tell(&Order::Keep(order))?;
        Ok(kept)
    }

    fn tell(&mut self, order: &Order) -> Result<(), Failure> {
        let mut line = serde_json::to_string(order).unwrap_or_default();
        line.push('\n');
        let told = self.orders.as_mut().map(|orders| orders.write_all(line.as_bytes()));
        match told {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) | None => Err(self.gone()),
        }
    }

    /// The next that the keeper says, but for lines; `None` where it says nothing for a moment.
    fn hear(&mut self, said: &mut dyn FnMut(&str)) -> Result<Option<Answer>, Failure> {
        match self.answers.recv_timeout(POLL_INTERVAL) {
            Ok(Answer::Said(line)) => said(&line),
            Ok(answer) => return Ok(Some(answer)),
            Err(RecvTimeoutError::Disconnected) => return Err(self.gone()),
            Err(RecvTimeoutError::Timeout) => {}
        }
        Ok(None)
    }

    fn gone(&self) -> Failure {
        let (up, down) = &self.names;
        Failure::new(
            FailureKind::Other,
            format!("the process that runs `{up}` and `{down}` is gone"),
            format!("somebody has killed it: see what is there, and do by hand what `{down}` does"),
        )
    }
}

impl KeptInstance for LocalInstance {
    fn up(&mut self, stop: &Stop, said: &mut dyn FnMut(&str)) -> Result<String, Failure> {
        self.tell(&Order::Up)?;
        let _waiting = Waiting::for_the(format!("`{}` to end", self.names.0));
        loop {
            if let Some(Answer::Up(ended)) = self.hear(said)? {
                return ended;
            }
            if stop.is_requested() {
                return Err(Failure::stopped());
            }
        }
    }

    fn down(&mut self, said: &mut dyn FnMut(&str)) -> Result<(), Failure> {
        self.tell(&Order::Down)?;
        let _waiting = Waiting::for_the(format!("`{}` to end", self.names.1));
        loop {
            // `up` may have ended at the same moment.
            if let Some(Answer::Down(ended)) = self.hear(said)? {
                return ended;
            }
        }
    }
}

impl Drop for LocalInstance {
    fn drop(&mut self) {
        // It ends when it has nothing up any more, which may take as long as `down` does: who wants to
        // see the end of that has called it.
        self.orders = None;
        let _ = self.keeper.try_wait();
    }
}

/// The order with the variables of this process that its commands are to get.
pub(crate) fn with_environment(mut order: InstanceOrder) -> Result<InstanceOrder, Failure> {
    for name in std::mem::take(&mut order.environment) {
        match std::env::var(&name) {
            Ok(value) => order.variables.push((name, value)),
            Err(_) => {
                return Err(Failure::new(
                    FailureKind::Other,
                    format!(
                        "`{}` and `{}` are to get the variable {name}, which is not set",
                        order.names.0, order.names.1
                    ),
                    "set and export it, or remove it from `environment`",
                ));
            }
        }
    }
    Ok(order)
}
