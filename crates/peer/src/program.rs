//! Tools that may be installed: found on the `PATH`, and run.

use host::local::child::{self, Ended, Finished};
use model::{Failure, FailureKind};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(10);

/// A tool as weighin looks for it.
#[derive(Debug)]
pub(crate) struct Sought {
    /// What its program may be called; the first that is there is taken.
    pub programs: &'static [&'static str],
    /// What it must be, for messages: `sysbench 1.0`.
    pub wanted: &'static str,
    /// Its version, in what it says when asked with `--version`; `None` for what is not wanted.
    pub version: fn(&str) -> Option<&str>,
    /// How to get it.
    pub remedy: &'static str,
}

/// An installed tool.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    path: PathBuf,
    called: &'static str,
    version: String,
}

impl Program {
    /// Finds a tool on the `PATH`.
    ///
    /// # Errors
    /// `MissingProgram` when it is not there, or is not what is wanted.
    pub(crate) fn find(sought: &Sought) -> Result<Self, Failure> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        Self::find_in(sought, &std::env::split_paths(&path).collect::<Vec<_>>())
    }

    /// The same in these directories.
    pub(crate) fn find_in(sought: &Sought, directories: &[PathBuf]) -> Result<Self, Failure> {
        let missing = |message| Failure::new(FailureKind::MissingProgram, message, sought.remedy);
        let found = sought.programs.iter().find_map(|&called| {
            let mut files = directories.iter().map(|directory| directory.join(called));
            files.find(|file| file.is_file()).map(|path| (called, path))
        });
        let Some((called, path)) = found else {
            return Err(missing(format!("{} is not on the PATH", sought.programs.join(" or "))));
        };
        Self::at(sought, called, path).map_err(missing)
    }

    /// The program of that path, once it has said its version.
    pub(crate) fn at(sought: &Sought, called: &'static str, path: PathBuf) -> Result<Self, String> {
        let says = match child::run(
            host::local::command(&path).arg("--version"),
            b"",
            PATIENCE,
            &|| false,
        ) {
            Ok(Ended::Finished(finished)) => finished.stdout,
            Ok(Ended::Stopped | Ended::TimedOut) => String::new(),
            Err(error) => return Err(format!("{} does not start: {error}", path.display())),
        };
        match (sought.version)(says.trim()) {
            Some(version) => Ok(Self { version: version.to_owned(), called, path }),
            None => Err(format!(
                "{} is not {}: asked for its version, it says «{}»",
                path.display(),
                sought.wanted,
                says.trim().lines().next().unwrap_or_default()
            )),
        }
    }

    /// Name and version, such as `sysbench 1.0.20`.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.called, self.version)
    }

    /// Its name alone.
    pub(crate) fn called(&self) -> &'static str {
        self.called
    }

    /// Runs it to its end, however it ends; `None` when `stop` said so.
    ///
    /// # Errors
    /// When it does not start, and `TimedOut` when it does not end within the limit; `slow` says
    /// how to find out why.
    pub(crate) fn run(
        &self,
        arguments: &[String],
        input: &[u8],
        limit: Duration,
        stop: &dyn Fn() -> bool,
        slow: &str,
    ) -> Result<Option<Finished>, Failure> {
        self.run_command(self.command(arguments), input, limit, stop, slow)
    }

    /// What starts it.
    pub(crate) fn command(&self, arguments: &[String]) -> Command {
        let mut command = host::local::command(&self.path);
        command.args(arguments);
        command
    }

    /// Runs what starts it, likewise.
    pub(crate) fn run_command(
        &self,
        mut command: Command,
        input: &[u8],
        limit: Duration,
        stop: &dyn Fn() -> bool,
        slow: &str,
    ) -> Result<Option<Finished>, Failure> {
        match child::run(&mut command, input, limit, stop) {
            Ok(Ended::Finished(finished)) => Ok(Some(finished)),
            Ok(Ended::Stopped) => Ok(None),
            Ok(Ended::TimedOut) => Err(Failure::new(
                FailureKind::TimedOut,
                format!("{} did not end within {} s and was killed", self.called, limit.as_secs()),
                slow,
            )),
            Err(error) => Err(Failure::new(
                FailureKind::Other,
                format!("{} could not be run: {error}", self.called),
                "check the limits on processes and memory",
            )),
        }
    }

    #[cfg(test)]
    pub(crate) fn fake(called: &'static str, version: &str) -> Self {
        Self { path: PathBuf::from(called), called, version: version.to_owned() }
    }

    /// What it printed is not understood.
    pub(crate) fn not_understood(&self, message: &str) -> Failure {
        Failure::new(
            FailureKind::Other,
            message,
            format!("run {} by hand to see what it prints", self.path.display()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    const TOOL: Sought = Sought {
        programs: &["tool", "tool-fork"],
        wanted: "tool 2",
        version: |says| says.strip_prefix("tool ").filter(|version| version.starts_with('2')),
        remedy: "install the package tool",
    };

    fn install(directory: &tempfile::TempDir, name: &str, says: &str) {
        let program = directory.path().join(name);
        std::fs::write(&program, format!("#!/bin/sh\necho {says}\n")).unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    }

    #[test]
    fn a_missing_program_is_named_with_its_remedy() {
        let nowhere = tempfile::tempdir().unwrap();
        let failure = Program::find_in(&TOOL, &[nowhere.path().to_owned()]).unwrap_err();
        assert_eq!(failure.kind, FailureKind::MissingProgram);
        assert!(failure.message.contains("tool or tool-fork"), "{failure:?}");
        assert!(failure.remedy.contains("package tool"), "{failure:?}");
    }

    #[test]
    fn another_program_of_that_name_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        install(&directory, "tool", "tool 1.9");
        let failure = Program::find_in(&TOOL, &[directory.path().to_owned()]).unwrap_err();
        assert_eq!(failure.kind, FailureKind::MissingProgram);
        assert!(failure.message.contains("tool 1.9"), "{failure:?}");
    }

    #[test]
    fn another_name_for_the_same_is_found() {
        let directory = tempfile::tempdir().unwrap();
        install(&directory, "tool-fork", "tool 2.1");
        let found = Program::find_in(&TOOL, &[directory.path().to_owned()]).unwrap();
        assert_eq!(found.name(), "tool-fork 2.1");
    }
}
