//! The user's own commands.

use super::command;
use super::os::has_ended;
use crate::question::{CommandOrder, UserCommand};
use crate::supervise::{Charge, Guardian};
use crate::waiting::Waiting;
use model::{Failure, FailureKind, Stop, text};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{self, PipeReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often a command is looked after. One that closes its output as it ends is noticed at once.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// How long a command may take to end when it is told to (SIGTERM), before it is killed.
const END_TIMEOUT: Duration = Duration::from_millis(500);
/// How long what a command printed last may be under way after its end.
const OUTPUT_TIMEOUT: Duration = Duration::from_millis(200);
/// Bytes of what a command prints that are kept: the last ones.
const KEPT_OUTPUT: usize = 4096;
/// Lines and characters of them that a mark tells.
const LAST_LINES: usize = 3;
const LONGEST_LINE: usize = 200;

/// A command to be run once, in a process group of its own. The group ends when this is dropped, or
/// weighin ends, however it does.
pub(crate) struct LocalCommand {
    order: CommandOrder,
    stop: Stop,
    guardian: Guardian,
    /// Not waited for as long as its group is: no other group can get its number.
    leader: Option<Child>,
}

impl LocalCommand {
    /// As [`crate::Host::user_command`].
    pub(crate) fn prepare(order: CommandOrder, stop: &Stop) -> Result<Self, Failure> {
        let guardian =
            Guardian::watch(Charge::Command).map_err(|error| not_run("/bin/sh", &error))?;
        Ok(Self { order, stop: stop.clone(), guardian, leader: None })
    }

    fn start(&mut self, program: &str) -> io::Result<(Output, Pid)> {
        let (reader, writer) = io::pipe()?;
        let leader = command(program)
            .args(self.order.words.iter().skip(1))
            .envs(self.order.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(writer.try_clone()?)
            .stderr(writer)
            .process_group(0)
            .spawn()?;
        let pid = Pid::from_child(&leader);
        self.leader = Some(leader);
        // One that has gone guards nothing, which takes nothing from the act.
        let _ = self.guardian.tell(&pid.as_raw_nonzero().to_string());
        Ok((Output::from_reader(reader), pid))
    }

    /// Ends the command and its children. What cannot be ended is gone already.
    fn end_group(&self) {
        let Some(leader) = &self.leader else { return };
        let pid = Pid::from_child(leader);
        let _ = kill_process_group(pid, Signal::TERM);
        let deadline = Instant::now() + END_TIMEOUT;
        while has_ended(pid).is_none() && Instant::now() < deadline {
            thread::sleep(POLL_INTERVAL);
        }
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

impl UserCommand for LocalCommand {
    fn run(&mut self) -> Result<Option<String>, Failure> {
        let began = Instant::now();
        let program = self.order.words.first().cloned().unwrap_or_default();
        let (output, pid) = self.start(&program).map_err(|error| not_run(&program, &error))?;
        let shown = text::excerpt(&program, LONGEST_LINE).to_string();
        let _waiting = Waiting::for_the(format!("the command {shown} to end"));
        let failed = |kind, how: &str| {
            let said = output.last_lines(OUTPUT_TIMEOUT);
            let said = said.map_or(String::new(), |lines| format!(": {lines}"));
            Failure::new(kind, format!("the command {program} {how}{said}"), "")
        };
        let status = loop {
            if let Some(status) = has_ended(pid) {
                break status;
            }
            if self.stop.is_requested() {
                return Err(Failure::stopped());
            }
            if began.elapsed() >= self.order.limit {
                let seconds = self.order.limit.as_secs_f64();
                let how = format!("did not end within {seconds} s and was killed");
                self.end_group();
                return Err(failed(FailureKind::TimedOut, &how));
            }
            output.wait(POLL_INTERVAL);
        };
        match (status.exit_status(), status.terminating_signal()) {
            (Some(0), _) => Ok(output.last_lines(OUTPUT_TIMEOUT)),
            (Some(code), _) => {
                Err(failed(FailureKind::Other, &format!("ended with exit code {code}")))
            }
            (None, signal) => {
                let signal = signal.unwrap_or_default();
                Err(failed(FailureKind::Other, &format!("was ended by signal {signal}")))
            }
        }
    }
}

impl Drop for LocalCommand {
    fn drop(&mut self) {
        self.end_group();
        // Before the leader: afterwards its number may be another's.
        self.guardian.dismiss();
        if let Some(leader) = &mut self.leader {
            let _ = leader.wait();
        }
    }
}

fn not_run(program: &str, error: &io::Error) -> Failure {
    let kind = match error.kind() {
        io::ErrorKind::NotFound => FailureKind::MissingProgram,
        _ => FailureKind::Other,
    };
    let remedy = "check the first word of `command`, and the limit on processes (ulimit -u)";
    Failure::new(kind, format!("the command {program} cannot be run: {error}"), remedy)
}

/// What a command prints, read by a thread as it comes.
struct Output {
    kept: Arc<Mutex<Vec<u8>>>,
    closed: Receiver<()>,
}

impl Output {
    fn from_reader(mut reader: PipeReader) -> Self {
        let (open, closed) = channel::<()>();
        let kept = Arc::new(Mutex::new(Vec::new()));
        let output = Self { kept: Arc::clone(&kept), closed };
        thread::spawn(move || {
            let _open = open;
            let mut piece = [0; KEPT_OUTPUT];
            while let Ok(length @ 1..) = reader.read(&mut piece) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(&piece[..length]);
                let surplus = kept.len().saturating_sub(KEPT_OUTPUT);
                kept.drain(..surplus);
            }
        });
        output
    }

    /// Waits until nobody can print any more, or for so long.
    fn wait(&self, limit: Duration) {
        if self.closed.recv_timeout(limit) == Err(RecvTimeoutError::Disconnected) {
            // It is ending.
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// The last lines, in one; `None` where nothing was printed.
    fn last_lines(&self, limit: Duration) -> Option<String> {
        self.wait(limit);
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let printed = String::from_utf8_lossy(&kept);
        let lines: Vec<&str> =
            printed.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let last = lines.iter().skip(lines.len().saturating_sub(LAST_LINES));
        let last: Vec<_> = last.map(|line| text::excerpt(line, LONGEST_LINE)).collect();
        (!last.is_empty()).then(|| last.join(" | "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn shell(script: &str, limit: Duration, stop: &Stop) -> LocalCommand {
        let words = ["sh", "-c", script].map(str::to_owned).to_vec();
        let variables = vec![("WEIGHIN_TARGET", "here".to_owned())];
        LocalCommand::prepare(CommandOrder { words, variables, limit }, stop).unwrap()
    }

    #[test]
    fn the_last_lines_of_both_streams_are_kept_and_gated() {
        let script = "seq 100000; echo err >&2; echo; printf 'a\\033b\\n'; echo on $WEIGHIN_TARGET";
        let said = shell(script, LONG, &Stop::default()).run().unwrap();
        assert_eq!(said.as_deref(), Some("err | a\\x1bb | on here"));
        assert_eq!(shell("true", LONG, &Stop::default()).run().unwrap(), None);
    }

    #[test]
    fn a_command_that_takes_too_long_is_ended_at_once_with_its_children() {
        let place = tempfile::tempdir().unwrap();
        let trapped = place.path().join("trapped");
        let script = format!("trap '' TERM; >{}; sleep 600 & sleep 600", trapped.display());
        // On a busy machine the shell may come to its trap in a longer time only.
        let command = (1..10).find_map(|times| {
            let mut command = shell(&script, times * LONG / 20, &Stop::default());
            let failure = command.run().unwrap_err();
            assert_eq!(failure.kind, FailureKind::TimedOut, "{failure:?}");
            trapped.exists().then_some(command)
        });
        let command = command.expect("a shell that comes to its trap");
        let pid = Pid::from_child(command.leader.as_ref().unwrap());
        // The kernel may take a moment to end what was killed.
        let deadline = Instant::now() + LONG;
        while has_ended(pid).is_none() && Instant::now() < deadline {
            thread::sleep(POLL_INTERVAL);
        }
        let status = has_ended(pid).expect("it was killed");
        assert_eq!(status.terminating_signal(), Some(9));
    }

    #[test]
    fn what_a_command_leaves_running_ends_when_it_is_let_go() {
        let script = "(trap 'echo ended; exit' TERM; echo begun; sleep 600 & wait) & exit 0";
        let mut command = shell(script, LONG, &Stop::default());
        command.run().unwrap();
        let group = Pid::from_child(command.leader.as_ref().unwrap());
        assert!(kill_process_group(group, Signal::CONT).is_ok());
        drop(command);
        // The kernel may take a moment to remove what it has killed.
        let deadline = Instant::now() + LONG;
        while kill_process_group(group, Signal::CONT).is_ok() && Instant::now() < deadline {
            thread::sleep(POLL_INTERVAL);
        }
        assert!(kill_process_group(group, Signal::CONT).is_err());
    }

    #[test]
    fn a_stop_and_a_program_that_is_not_there_are_told() {
        let stop = Stop::default();
        stop.request();
        assert!(shell("exec sleep 600", LONG, &stop).run().unwrap_err().is_stop());
        let words = vec!["/no/such/program".to_owned()];
        let order = CommandOrder { words, variables: Vec::new(), limit: LONG };
        let failure = LocalCommand::prepare(order, &Stop::default()).unwrap().run().unwrap_err();
        assert_eq!(failure.kind, FailureKind::MissingProgram, "{failure:?}");
    }
}
