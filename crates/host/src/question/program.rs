//! Programs that are run on a machine: to their end, the user's commands, weighin once more.

use super::lines::Lines;
use engine::Nanos;
use model::{Failure, Stop};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::io;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// A program to be run to its end.
#[derive(Clone, Copy, Debug)]
pub struct ProgramOrder<'a> {
    pub path: &'a Path,
    pub arguments: &'a [String],
    /// What it finds on standard input.
    pub input: &'a [u8],
    /// After that time it is killed.
    pub limit: Duration,
    /// What it prints goes to [`crate::Finished`]; some results it writes only to a file. The last
    /// argument is then this, with the path of a file behind it.
    pub result_option: Option<&'a str>,
    /// The processors that it is limited to; all where absent.
    pub processors: Option<f64>,
}

impl<'a> ProgramOrder<'a> {
    /// Without input, on all processors, with results that are printed.
    pub fn new(path: &'a Path, arguments: &'a [String], limit: Duration) -> Self {
        Self { path, arguments, input: b"", limit, result_option: None, processors: None }
    }
}

/// What came of a program.
#[derive(Debug)]
pub enum Ended {
    /// It ended by itself.
    Finished(Finished),
    /// It was killed because somebody asked to stop.
    Stopped,
    /// It was killed because its time was up.
    TimedOut,
}

/// A program that ended by itself.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// What it printed to standard output, the first 64 MiB; bytes that are no text are replaced.
    pub stdout: String,
    /// What it printed to standard error, likewise: the first mebibyte.
    pub stderr: String,
    /// What it wrote to the file for its results, likewise; empty without one.
    pub result: String,
    /// From before its start until after its end.
    pub elapsed: Duration,
    /// What it used.
    pub usage: Usage,
}

/// What a program used, the children included that it waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Processor time in its own code.
    pub user: Duration,
    /// Processor time in the kernel.
    pub system: Duration,
    /// Highest resident set in bytes. A program starts out with the peak of the process that
    /// started it (the kernel counts the time before `exec`), so what is not above that is not
    /// known.
    pub peak_rss_bytes: Option<u64>,
}

impl Usage {
    /// User and system time together.
    pub fn cpu(&self) -> Duration {
        self.user + self.system
    }
}

/// A command of the user.
#[derive(Clone, Debug)]
pub struct CommandOrder {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// What it finds in its environment besides what every program does.
    pub variables: Vec<(&'static str, String)>,
    /// After that time it is ended.
    pub limit: Duration,
}

/// What brings something of the user's up, and takes it down again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InstanceOrder {
    /// Programs with their arguments.
    pub up: Vec<String>,
    pub down: Vec<String>,
    /// What both find in their environment besides what every program does.
    pub variables: Vec<(String, String)>,
    /// Names of variables of this process that they get as well.
    pub environment: Vec<String>,
    /// After that time each of them is ended.
    pub limit: Duration,
    /// What messages call the two of them: the keys that they have in a study.
    pub names: (String, String),
    /// Whether what `up` prints on standard output is its answer, which is text; it is told by lines
    /// otherwise, as standard error is.
    pub answers: bool,
}

/// A command that is ready to be run once. With this, or with weighin, however that ends, ends
/// whatever the command has started and not detached.
pub trait UserCommand: Send {
    /// Runs it to its end. The last lines that it printed, in one; `None` where it printed nothing.
    ///
    /// # Errors
    /// When it does not start, does not end well or takes too long; [`Failure::stopped`].
    fn run(&mut self) -> Result<Option<String>, Failure>;
}

/// Something that is brought up and taken down by commands of the user. What was brought up is taken
/// down when this is dropped, or weighin ends, however it does: by a process that goes on for that.
pub trait KeptInstance: Send + Debug {
    /// Brings it up; what `up` printed on standard output, where that is its answer. `said` gets each line
    /// that it printed besides.
    ///
    /// # Errors
    /// When it does not start, does not end well or takes too long; [`Failure::stopped`].
    fn up(&mut self, stop: &Stop, said: &mut dyn FnMut(&str)) -> Result<String, Failure>;

    /// Takes it down, where `up` was begun, and ends `up` first where that goes on. `said` gets each
    /// line that is printed.
    ///
    /// # Errors
    /// When it does not start, does not end well or takes too long.
    fn down(&mut self, said: &mut dyn FnMut(&str)) -> Result<(), Failure>;
}

/// A process of weighin, started once more; it ends when this is dropped.
pub trait Weighin: Send {
    /// The process's number on its machine.
    fn pid(&self) -> u32;

    /// A moment by the clock of its machine, as far as that is known.
    fn there(&self, at: Instant) -> Nanos;

    /// How long it takes to tell it something and hear the answer, at best.
    fn round_trip(&self) -> Duration {
        Duration::ZERO
    }

    /// Tells it something: a line of text.
    ///
    /// # Errors
    /// When it listens no more.
    fn tell(&mut self, line: &str) -> io::Result<()>;

    /// Has it told that line again and again, as long as this machine is there, by whoever stands
    /// between: that may go on when the lead is gone. A process with nobody between is told nothing; it
    /// hears of the lead's end through its pipe.
    ///
    /// # Errors
    /// As [`Self::tell`].
    fn tell_at_beats(&mut self, _line: &str) -> io::Result<()> {
        Ok(())
    }

    /// What it says; `None` when that was taken already.
    fn take_answers(&mut self) -> Option<Lines>;

    /// How it ended, in words that follow its name. Only of one whose answers have ended.
    fn last_words(&mut self) -> String;

    /// Why its machine does not answer any more; `None` where it does.
    fn lost(&self) -> Option<Failure> {
        None
    }

    /// Lets it know that it is to end.
    fn dismiss(&mut self);
}
