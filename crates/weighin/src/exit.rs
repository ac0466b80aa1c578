use campaign::RunError;
use model::{Failure, text};
use std::fmt::Display;
use store::StoreError;
use study::StudyError;
use system::Diagnostic;

/// How weighin ends; the numbers are documented in docs/commands.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All done.
    Done = 0,
    /// What was done is not as it should be: some trials failed, part of an import could not be read,
    /// or a gate found a run worse.
    Failed = 1,
    /// Wrong usage or study file.
    Usage = 2,
    /// Something that is needed could not be reached, started, read or written.
    Unavailable = 3,
    /// A gate could not tell.
    NotKnown = 4,
    /// Interrupted; what was completed is kept.
    Interrupted = 130,
}

/// Why a command ended early: what happened, and how to fix it.
#[derive(Debug)]
pub(crate) struct CliError {
    exit: Exit,
    message: String,
    help: String,
    /// Of the same kind.
    further: Vec<CliError>,
    /// Whose words they are, at the start of the line.
    from: &'static str,
}

/// What messages begin with.
const FROM: &str = "weighin";

impl CliError {
    /// Messages may hold what servers and files say: they are cut where they are long, and their
    /// further lines are indented.
    fn new(exit: Exit, message: impl Into<String>, help: impl Into<String>) -> Self {
        let said = |text: String| text::indented(&text::message(&text), "  ");
        Self {
            exit,
            message: said(message.into()),
            help: said(help.into()),
            further: Vec::new(),
            from: FROM,
        }
    }

    /// Wrong usage.
    pub(crate) fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message, help)
    }

    /// Something needed is not there.
    pub(crate) fn unavailable(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(Exit::Unavailable, message, help)
    }

    /// The user stopped it.
    pub(crate) fn interrupted(help: impl Into<String>) -> Self {
        Self::new(Exit::Interrupted, "stopped", help)
    }

    /// A file could not be read or written.
    pub(crate) fn file(what: &str, path: &std::path::Path, error: impl Display) -> Self {
        Self::unavailable(
            format!("cannot {what} {}: {error}", text::line(&path.display().to_string())),
            "",
        )
    }

    /// The same error, with another end of the process.
    pub(crate) fn ending_with(self, exit: Exit) -> Self {
        Self { exit, ..self }
    }

    /// The same error, with another word at the start of its lines, for readers that look for it.
    pub(crate) fn said_as(mut self, from: &'static str) -> Self {
        self.further = self.further.into_iter().map(|error| error.said_as(from)).collect();
        Self { from, ..self }
    }

    /// The same error, with what it is about before it.
    pub(crate) fn about(self, whose: &str) -> Self {
        Self { message: format!("{whose}: {}", self.message), ..self }
    }

    /// This error, and what follows from it.
    pub(crate) fn then(mut self, error: Self) -> Self {
        self.further.push(error);
        self
    }

    /// Says more on how to go on.
    pub(crate) fn add_help(&mut self, help: &str) {
        if !self.help.is_empty() {
            self.help.push_str("\n  = help: ");
        }
        self.help.push_str(help);
    }

    /// What happened, without how to fix it.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// The lines that tell it to the user.
    pub(crate) fn lines(&self) -> Vec<String> {
        let help = (!self.help.is_empty()).then(|| format!("  = help: {}", self.help));
        let own = std::iter::once(format!("{}: {}", self.from, self.message)).chain(help);
        own.chain(self.further.iter().flat_map(Self::lines)).collect()
    }
}

impl From<Failure> for CliError {
    fn from(failure: Failure) -> Self {
        if failure.is_stop() {
            return Self::interrupted("");
        }
        Self::unavailable(failure.message, failure.remedy)
    }
}

impl From<StudyError> for CliError {
    fn from(error: StudyError) -> Self {
        // At most a screen, and of several problems each begins a line.
        Self {
            exit: Exit::Usage,
            message: error.to_string(),
            help: String::new(),
            further: Vec::new(),
            from: FROM,
        }
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        Self::unavailable(error.to_string(), "")
    }
}

impl From<RunError> for CliError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Target { failure, .. } if failure.is_stop() => failure.into(),
            RunError::Target { target, failure } => {
                Self::unavailable(format!("target {target}: {}", failure.message), failure.remedy)
            }
            RunError::Refused(errors) => refused(errors),
            RunError::Store(error) => error.into(),
            RunError::Stopped => Self::interrupted(""),
        }
    }
}

/// All errors that keep a study from running.
fn refused(errors: Vec<Diagnostic>) -> CliError {
    let of = |error: Diagnostic| {
        let whose = error.target.iter().map(|target| format!("target {target}: "));
        CliError::unavailable(whose.collect::<String>() + &error.message, error.remedy)
    };
    let mut errors = errors.into_iter().map(of);
    let mut first =
        errors.next().unwrap_or_else(|| CliError::unavailable("the study cannot run", ""));
    first.further = errors.collect();
    first
}
