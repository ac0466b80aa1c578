//! A second process beside a keeper, which takes down what may be up where the keeper was killed.

use super::keeper::{AGAIN_AFTER, TRIES};
use super::running::{END_TIMEOUT, Running};
use crate::local::weighin::THIS_PROGRAM;
use crate::local::{command, os};
use crate::question::InstanceOrder;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Write};
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

/// The hidden command by which weighin becomes one. The program must answer to it with [`stand_by`].
pub const SECOND_COMMAND: &str = "instance-keeper-second";
/// How often a command is looked after that is not this process's own.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// What it is told.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Mark {
    /// Which commands: the first.
    Keep(InstanceOrder),
    /// Something may be up from here on.
    MayBeUp,
    /// A command runs now, in the group of processes with this number; whether it is `up`.
    Runs(u32, bool),
    /// It has ended.
    Rests,
    /// Nothing is up any more, or nothing more can be done about it.
    Over,
}

/// Starts one; what is written is for [`stand_by`].
///
/// # Errors
/// When the process cannot be started.
pub(super) fn start() -> io::Result<impl Write> {
    let mut program = command(THIS_PROGRAM);
    program.arg0("weighin").arg(SECOND_COMMAND);
    program.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    os::own_session(&mut program);
    let mut child = program.spawn()?;
    child.stdin.take().ok_or_else(|| io::ErrorKind::BrokenPipe.into())
}

/// Writes a mark. Whoever would read it may be gone.
pub(super) fn mark(second: &mut impl Write, mark: &Mark) {
    let line = serde_json::to_string(mark).unwrap_or_default() + "\n";
    let _ = second.write_all(line.as_bytes());
}

/// Waits until whoever writes the marks is gone; then, where he was killed, runs `down`.
pub fn stand_by(marks: impl BufRead) {
    let (mut order, mut may_be_up, mut running) = (None, false, None);
    for line in marks.lines().map_while(Result::ok) {
        let Ok(mark) = serde_json::from_str::<Mark>(&line) else { break };
        match mark {
            Mark::Keep(kept) => order = Some(kept),
            Mark::MayBeUp => may_be_up = true,
            Mark::Runs(group, is_up) => running = Some((group, is_up)),
            Mark::Rests => running = None,
            Mark::Over => may_be_up = false,
        }
    }
    let Some(order) = order.filter(|_| may_be_up) else { return };
    if let Some((group, is_up)) = running {
        await_end(group, is_up, order.limit);
    }
    for attempt in 1..=TRIES {
        let running = Running::start(&order.names.1, &order.down, &order, false);
        let ended = running.and_then(|running| running.wait(&mut || true, &mut |_| {}));
        if ended.is_ok() {
            return;
        }
        if attempt < TRIES {
            thread::sleep(AGAIN_AFTER);
        }
    }
}

/// Waits for a command that the keeper left running. `up` is told to end, and `down` may do so by itself.
fn await_end(group: u32, is_up: bool, limit: Duration) {
    let Some(group) = i32::try_from(group).ok().and_then(Pid::from_raw) else { return };
    let limit = if is_up { END_TIMEOUT } else { limit };
    if is_up {
        let _ = kill_process_group(group, Signal::TERM);
    }
    let deadline = Instant::now() + limit;
    while test_kill_process_group(group).is_ok() && Instant::now() < deadline {
        thread::sleep(POLL_INTERVAL);
    }
    let _ = kill_process_group(group, Signal::KILL);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn told(marks: Vec<Mark>) -> Vec<u8> {
        let mut lines = Vec::new();
        marks.iter().for_each(|one| mark(&mut lines, one));
        lines
    }

    fn order(down: &str) -> InstanceOrder {
        InstanceOrder {
            up: vec!["true".to_owned()],
            down: ["sh", "-c", down].map(str::to_owned).to_vec(),
            variables: vec![("WORD".to_owned(), "told".to_owned())],
            environment: Vec::new(),
            limit: Duration::from_secs(60),
            names: ("up".to_owned(), "down".to_owned()),
        }
    }

    #[test]
    fn down_is_run_where_something_may_be_up_and_only_there() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("marks");
        let keep = || Mark::Keep(order(&format!("echo $WORD >> {}", file.display())));
        let marks = || fs::read_to_string(&file).unwrap_or_default();
        stand_by(told(vec![]).as_slice());
        stand_by(told(vec![keep()]).as_slice());
        stand_by(told(vec![keep(), Mark::MayBeUp, Mark::Over]).as_slice());
        assert_eq!(marks(), "");
        stand_by(told(vec![keep(), Mark::MayBeUp]).as_slice());
        assert_eq!(marks(), "told\n");
    }

    #[test]
    fn an_up_that_still_runs_is_ended_first() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("marks");
        let script =
            format!("trap 'echo ended >> {}; exit' TERM; echo; sleep 600 & wait", file.display());
        let mut up = command("sh")
            .args(["-c", &script])
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        // It has come to its trap.
        io::BufReader::new(up.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
        let group = up.id();
        let ending = thread::spawn(move || up.wait());
        let keep = Mark::Keep(order(&format!("echo down >> {}", file.display())));
        stand_by(told(vec![keep, Mark::MayBeUp, Mark::Runs(group, true)]).as_slice());
        ending.join().unwrap().unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "ended\ndown\n");
    }
}
