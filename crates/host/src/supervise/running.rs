//! One of the commands, while it runs.

use crate::local::command::command;
use crate::local::os::has_ended;
use crate::question::InstanceOrder;
use model::{Failure, FailureKind};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, WaitIdStatus, kill_process_group};
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdout, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How often it is looked after.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// How long a command may take to end in good order when it is told to (SIGTERM), before it is killed:
/// OpenTofu writes down first what there is.
const END_TIMEOUT: Duration = Duration::from_secs(60);
/// Bytes of standard output that are kept.
const MOST_OUTPUT: usize = 1 << 20;
/// Bytes of a line that is handed on; a longer one goes in pieces.
const LONGEST_LINE: usize = 4096;

/// How a command ended.
pub(super) enum Ending {
    /// With exit code 0; with what it printed on standard output, where that was to be kept.
    Well(String),
    /// It was told to, because nobody wants it any more.
    Unwanted,
}

/// A command in a process group of its own.
pub(super) struct Running<'a> {
    name: &'a str,
    order: &'a InstanceOrder,
    child: Child,
    began: Instant,
    stdout: Stream<ChildStdout>,
    stderr: Stream<ChildStderr>,
    keeps_output: bool,
}

impl<'a> Running<'a> {
    /// # Errors
    /// When it does not start.
    pub(super) fn start(
        name: &'a str,
        words: &[String],
        order: &'a InstanceOrder,
        keeps_output: bool,
    ) -> Result<Self, Failure> {
        let program = words.first().map_or("", String::as_str);
        let began = Instant::now();
        let start = || {
            let mut child = command(program)
                .args(words.iter().skip(1))
                .envs(order.variables.iter().map(|(name, value)| (name, value)))
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .process_group(0)
                .spawn()?;
            let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
            let (stdout, stderr) = (Stream::from_reader(stdout)?, Stream::from_reader(stderr)?);
            Ok(Self { name, order, child, began, stdout, stderr, keeps_output })
        };
        start().map_err(|error: io::Error| {
            let kind = match error.kind() {
                ErrorKind::NotFound => FailureKind::MissingProgram,
                _ => FailureKind::Other,
            };
            let remedy = format!("check the first word of `{name}`, and whether it may be run");
            Failure::new(kind, format!("`{name}`: {program} cannot be run: {error}"), remedy)
        })
    }

    /// The number of its group of processes.
    pub(super) fn group(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end; tells it to end when it is not wanted any more.
    ///
    /// # Errors
    /// When it does not end well or takes too long.
    pub(super) fn wait(
        mut self,
        wanted: &mut dyn FnMut() -> bool,
        said: &mut dyn FnMut(&str),
    ) -> Result<Ending, Failure> {
        let mut output = Vec::new();
        let name = self.name;
        let status = loop {
            // Before it is read, so that all is read that it printed.
            let ended = has_ended(Pid::from_child(&self.child));
            let read = self.read(&mut output, said);
            if let Some(status) = ended {
                break status;
            }
            if !wanted() {
                self.end(&mut output, said);
                return Ok(Ending::Unwanted);
            }
            if self.began.elapsed() >= self.order.limit {
                self.end(&mut output, said);
                let seconds = self.order.limit.as_secs_f64();
                return Err(self.failed(
                    FailureKind::TimedOut,
                    &format!("`{name}` did not end within {seconds} s"),
                    "raise `time_limit`, or see what it was doing",
                ));
            }
            if !read {
                thread::sleep(POLL_INTERVAL);
            }
        };
        tell(&mut self.stderr.begun, said);
        tell(&mut self.stdout.begun, said);
        // What it left running may print on: that is read by nobody, and must not wait for anybody.
        self.stdout.forget();
        self.stderr.forget();
        let _ = self.child.wait();
        if let Err(how) = ended_well(&status) {
            let what = format!("`{name}` {how}");
            return Err(self.failed(FailureKind::Other, &what, "see what it printed in the log"));
        }
        if output.len() > MOST_OUTPUT {
            let what = format!("`{name}` printed more than {MOST_OUTPUT} bytes on standard output");
            let remedy = "have it print nothing but a JSON object there";
            return Err(self.failed(FailureKind::Other, &what, remedy));
        }
        String::from_utf8(output).map(Ending::Well).map_err(|_| {
            let what = format!("`{name}` printed something on standard output that is no text");
            self.failed(FailureKind::Other, &what, "have it print nothing but a JSON object there")
        })
    }

    fn failed(&self, kind: FailureKind, what: &str, remedy: &str) -> Failure {
        let kind = if self.keeps_output { FailureKind::NotUp } else { kind };
        Failure::new(kind, what, remedy)
    }

    /// Takes what it has printed; whether there was anything.
    fn read(&mut self, output: &mut Vec<u8>, said: &mut dyn FnMut(&str)) -> bool {
        let mut any = false;
        if self.keeps_output {
            any |= self.stdout.read(&mut |bytes| {
                let free = (MOST_OUTPUT + 1).saturating_sub(output.len());
                output.extend(bytes.iter().take(free));
            });
        } else {
            any |= self.stdout.lines(said);
        }
        any | self.stderr.lines(said)
    }

    /// Tells it to end, and ends it where it does not.
    fn end(&mut self, output: &mut Vec<u8>, said: &mut dyn FnMut(&str)) {
        let pid = Pid::from_child(&self.child);
        let _ = kill_process_group(pid, Signal::TERM);
        let deadline = Instant::now() + END_TIMEOUT;
        while has_ended(pid).is_none() && Instant::now() < deadline {
            if !self.read(output, said) {
                thread::sleep(POLL_INTERVAL);
            }
        }
        let _ = kill_process_group(pid, Signal::KILL);
        self.read(output, said);
        let _ = self.child.wait();
    }
}

fn ended_well(status: &WaitIdStatus) -> Result<(), String> {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(0), _) => Ok(()),
        (Some(code), _) => Err(format!("ended with exit code {code}")),
        (None, signal) => Err(format!("was ended by signal {}", signal.unwrap_or_default())),
    }
}

/// What it prints, read as it comes without waiting.
struct Stream<R> {
    reader: Option<R>,
    /// The begin of a line.
    begun: Vec<u8>,
}

impl<R: Read + AsFd + Send + 'static> Stream<R> {
    fn from_reader(reader: Option<R>) -> io::Result<Self> {
        if let Some(reader) = &reader {
            fcntl_setfl(reader, fcntl_getfl(reader)? | OFlags::NONBLOCK)?;
        }
        Ok(Self { reader, begun: Vec::new() })
    }

    /// Hands on what is there, a piece; whether there was anything.
    fn read(&mut self, take: &mut dyn FnMut(&[u8])) -> bool {
        let mut piece = [0; 16 << 10];
        let mut any = false;
        // Not without end: a command that prints on and on must not keep anybody from looking.
        for _ in 0..64 {
            let Some(reader) = &mut self.reader else { break };
            match reader.read(&mut piece) {
                Ok(0) => self.reader = None,
                Ok(length) => {
                    take(piece.get(..length).unwrap_or_default());
                    any = true;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => self.reader = None,
            }
        }
        any
    }

    /// The same by lines.
    fn lines(&mut self, said: &mut dyn FnMut(&str)) -> bool {
        let mut begun = std::mem::take(&mut self.begun);
        let any = self.read(&mut |bytes| {
            for &byte in bytes {
                let is_end = byte == b'\n';
                if !is_end {
                    begun.push(byte);
                }
                if is_end || begun.len() >= LONGEST_LINE {
                    tell(&mut begun, said);
                }
            }
        });
        if self.reader.is_none() {
            tell(&mut begun, said);
        }
        self.begun = begun;
        any
    }

    /// Reads on for nobody.
    fn forget(&mut self) {
        let Some(mut reader) = self.reader.take() else { return };
        let waits =
            fcntl_getfl(&reader).and_then(|flags| fcntl_setfl(&reader, flags - OFlags::NONBLOCK));
        if waits.is_ok() {
            thread::spawn(move || io::copy(&mut reader, &mut io::sink()));
        }
    }
}

fn tell(line: &mut Vec<u8>, said: &mut dyn FnMut(&str)) {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end();
    if !text.is_empty() {
        said(text);
    }
    line.clear();
}
