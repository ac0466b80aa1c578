//! Commands of the user and of the system that are run to their end on the machine of a server.

use host::{Host, InstanceOrder};
use model::{Failure, FailureKind, Stop};
use std::collections::VecDeque;
use std::time::Duration;

/// Lines of a command that failed which a message tells.
const LAST_LINES: usize = 3;
/// How long systemd may take to say whether it has a unit.
const QUESTION_LIMIT: Duration = Duration::from_secs(20);

/// Fails where a machine has no such program as the first of these words; `what` runs it.
pub(super) fn check_program(what: &str, words: &[String], host: &dyn Host) -> Result<(), Failure> {
    let program = words.first().map_or("", String::as_str);
    match host.find_program(program) {
        Some(_) => Ok(()),
        None => Err(Failure::new(
            FailureKind::MissingProgram,
            format!("{what} runs {program}, and there is no such program on {}", host.name()),
            "install it there, or name it by its absolute path",
        )),
    }
}

/// A command that is run once.
pub(super) struct Once {
    /// What messages call it.
    pub(super) name: &'static str,
    pub(super) words: Vec<String>,
    pub(super) variables: Vec<(&'static str, String)>,
    pub(super) limit: Duration,
}

impl Once {
    fn order(self, answers: bool) -> InstanceOrder {
        InstanceOrder {
            up: self.words,
            // Nothing is left to be taken down.
            down: vec!["true".to_owned()],
            variables: self
                .variables
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            environment: Vec::new(),
            limit: self.limit,
            names: (self.name.to_owned(), "true".to_owned()),
            answers,
        }
    }

    /// Runs it on a machine to its end. A failure begins with `what`, and ends with the last lines that it
    /// printed.
    ///
    /// # Errors
    /// When it does not start, does not end well or takes too long; [`Failure::stopped`].
    pub(super) fn run(self, host: &dyn Host, what: &str, stop: &Stop) -> Result<(), Failure> {
        let mut said = LastLines::default();
        let mut kept = host.keep_instance(self.order(false))?;
        let ran = kept.up(stop, &mut |line| said.add(line));
        ran.map_err(|failure| said.explain(what, failure))?;
        kept.down(&mut |_| {})
    }
}

/// What a program of a machine says; `None` where it fails.
///
/// # Errors
/// Where it was not asked.
pub(super) fn ask(host: &dyn Host, words: &[&str]) -> Result<Option<Vec<String>>, Failure> {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    let question = Once { name: "systemctl", words, variables: Vec::new(), limit: QUESTION_LIMIT };
    let mut kept = host.keep_instance(question.order(true))?;
    // What it says beside its output is for people.
    let output = match kept.up(&Stop::default(), &mut |_| {}) {
        Ok(output) => output,
        Err(failure) => {
            return match failure.kind {
                FailureKind::HostLost
                | FailureKind::Unreachable
                | FailureKind::TimedOut
                | FailureKind::Stopped => Err(failure),
                _ => Ok(None),
            };
        }
    };
    kept.down(&mut |_| {})?;
    Ok(Some(output.lines().map(str::to_owned).collect()))
}

/// The last lines that a command said.
#[derive(Default)]
pub(super) struct LastLines(VecDeque<String>);

impl LastLines {
    pub(super) fn add(&mut self, line: &str) {
        self.0.push_back(line.to_owned());
        if self.0.len() > LAST_LINES {
            self.0.pop_front();
        }
    }

    /// A failure of that command with them, which begins with `what`.
    pub(super) fn explain(self, what: &str, failure: Failure) -> Failure {
        if failure.is_stop() {
            return failure;
        }
        let said: Vec<String> = self.0.into();
        let said = if said.is_empty() { String::new() } else { format!(": {}", said.join(" | ")) };
        // Where it printed what is wrong, that is what helps.
        let remedy = match failure.kind {
            FailureKind::Other => String::new(),
            _ => failure.remedy,
        };
        Failure::new(failure.kind, format!("{what}: {}{said}", failure.message), remedy)
    }
}
