//! What a run tells line by line: on standard error, and in a file where the user names one.

use crate::arguments::TellingArguments;
use crate::exit::CliError;
use crate::messages::{shown, tell};
use crate::output;
use model::text;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// The file of the log, where there is one, for what does not come by way of a run: what is waited for.
static WAITS_GO_TO: Mutex<Option<File>> = Mutex::new(None);

/// Tells what takes long, in the file of the log too.
pub(crate) fn tell_wait(message: &str) {
    let file = WAITS_GO_TO.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(mut file) = file.as_ref() {
        // Where it cannot be written, the log itself says so.
        drop(write_line(&mut file, message));
    }
    tell(message);
}

fn write_line(file: &mut impl Write, message: &str) -> std::io::Result<()> {
    let at = humantime::format_rfc3339_seconds(SystemTime::now());
    writeln!(file, "{at} {}", text::indented(message, "  "))
}

/// How much a line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// Warnings and what failed.
    Trouble,
    Normal,
    /// Each second.
    Detail,
}

/// Where lines go, and which of them.
pub(crate) struct Log {
    /// The lightest lines that are told.
    lightest: Weight,
    file: Option<(PathBuf, File)>,
}

impl Log {
    /// # Errors
    /// When the file cannot be opened.
    pub(crate) fn new(arguments: &TellingArguments) -> Result<Self, CliError> {
        let lightest = match () {
            () if arguments.quiet => Weight::Trouble,
            () if arguments.verbose => Weight::Detail,
            () => Weight::Normal,
        };
        let file = arguments.log.as_ref();
        let file = file.map(|path| Ok::<_, CliError>((path.clone(), output::append(path)?)));
        let file = file.transpose()?;
        let of_waits = file.as_ref().and_then(|(_, file)| file.try_clone().ok());
        *WAITS_GO_TO.lock().unwrap_or_else(PoisonError::into_inner) = of_waits;
        Ok(Self { lightest, file })
    }

    /// Whether such lines go anywhere.
    pub(crate) fn takes(&self, weight: Weight) -> bool {
        weight <= self.lightest
    }

    pub(crate) fn say(&mut self, weight: Weight, message: &str) {
        if self.takes(weight) {
            tell(message);
        }
        // A file has all that a plain log has, whatever else is told.
        if weight > self.lightest.max(Weight::Normal) {
            return;
        }
        if let Some((path, file)) = &mut self.file
            && let Err(error) = write_line(file, message)
        {
            tell(&format!("warning: cannot write {}: {error}; it ends here", shown(path)));
            self.file = None;
        }
    }
}
