//! Tools that may be installed: found on the `PATH`, and run.

use host::{Ended, Finished, Host, ProgramOrder};
use model::{Failure, FailureKind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long a program may take to say its version.
const VERSION_TIMEOUT: Duration = Duration::from_secs(10);

/// A tool as weighin looks for it.
#[derive(Debug)]
pub(crate) struct ToolSpec {
    /// What its program may be called; the first that is there is taken.
    pub programs: &'static [&'static str],
    /// What it must be, for messages: `sysbench 1.0`.
    pub wanted: &'static str,
    /// Its version, in what it says when asked with `--version`; `None` for what is not wanted.
    pub version: fn(&str) -> Option<&str>,
    /// How to get it.
    pub remedy: &'static str,
}

/// A tool that is installed on a host.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    host: Arc<dyn Host>,
    path: PathBuf,
    called: &'static str,
    version: String,
}

impl Program {
    /// Finds a tool on the `PATH` of a host.
    ///
    /// # Errors
    /// `MissingProgram` when it is not there, or is not what is wanted.
    pub(crate) fn find(host: &Arc<dyn Host>, spec: &ToolSpec) -> Result<Self, Failure> {
        let found = spec.programs.iter().find_map(|&called| {
            let path = host.find_program(called)?;
            Some((called, path))
        });
        let Some((called, path)) = found else {
            let message = format!("{} is not on the PATH", spec.programs.join(" or "));
            return Err(Failure::new(FailureKind::MissingProgram, message, spec.remedy));
        };
        Self::at(host, spec, called, path)
    }

    /// The program of that path, once it has said its version.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub(crate) fn at(
        host: &Arc<dyn Host>,
        spec: &ToolSpec,
        called: &'static str,
        path: PathBuf,
    ) -> Result<Self, Failure> {
        let missing = |message| Failure::new(FailureKind::MissingProgram, message, spec.remedy);
        let arguments = ["--version".to_owned()];
        let order = ProgramOrder::new(&path, &arguments, VERSION_TIMEOUT);
        let says = match host.run(&order, &|| false) {
            Ok(Ended::Finished(finished)) => finished.stdout,
            Ok(Ended::Stopped | Ended::TimedOut) => String::new(),
            Err(failure) => return Err(missing(failure.message)),
        };
        match (spec.version)(says.trim()) {
            Some(version) => {
                Ok(Self { host: Arc::clone(host), version: version.to_owned(), called, path })
            }
            None => Err(missing(format!(
                "{} is not {}: asked for its version, it says «{}»",
                path.display(),
                spec.wanted,
                says.trim().lines().next().unwrap_or_default()
            ))),
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

    /// What it is to do, within so long.
    pub(crate) fn order<'a>(
        &'a self,
        arguments: &'a [String],
        limit: Duration,
    ) -> ProgramOrder<'a> {
        ProgramOrder::new(&self.path, arguments, limit)
    }

    /// Runs it to its end, however it ends; `None` when `stop` said so.
    ///
    /// # Errors
    /// When it does not start, and `TimedOut` when it does not end within the limit; `slow` says
    /// how to find out why.
    pub(crate) fn run(
        &self,
        order: &ProgramOrder<'_>,
        slow: &str,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Finished>, Failure> {
        let seconds = order.limit.as_secs();
        match self.host.run(order, stop)? {
            Ended::Finished(finished) => Ok(Some(finished)),
            Ended::Stopped => Ok(None),
            Ended::TimedOut => Err(Failure::new(
                FailureKind::TimedOut,
                format!("{} did not end within {seconds} s and was killed", self.called),
                slow,
            )),
        }
    }

    #[cfg(test)]
    pub(crate) fn fake(called: &'static str, version: &str) -> Self {
        let host = Arc::new(host::Local);
        Self { host, path: PathBuf::from(called), called, version: version.to_owned() }
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

    /// A tool with two names, in a directory.
    fn tool(directory: &tempfile::TempDir) -> ToolSpec {
        let named = |name| &*directory.path().join(name).display().to_string().leak();
        ToolSpec {
            programs: vec![named("tool"), named("tool-fork")].leak(),
            wanted: "tool 2",
            version: |says| says.strip_prefix("tool ").filter(|version| version.starts_with('2')),
            remedy: "install the package tool",
        }
    }

    fn find(spec: &ToolSpec) -> Result<Program, Failure> {
        let host: Arc<dyn Host> = Arc::new(host::Local);
        Program::find(&host, spec)
    }

    fn install(directory: &tempfile::TempDir, name: &str, says: &str) {
        let program = directory.path().join(name);
        test_support::write_program(&program, &format!("#!/bin/sh\necho {says}\n"));
    }

    #[test]
    fn a_missing_program_is_named_with_its_remedy() {
        let failure = find(&tool(&tempfile::tempdir().unwrap())).unwrap_err();
        assert_eq!(failure.kind, FailureKind::MissingProgram);
        assert!(failure.message.contains("/tool or /"), "{failure:?}");
        assert!(failure.message.contains("/tool-fork is not on the PATH"), "{failure:?}");
        assert!(failure.remedy.contains("package tool"), "{failure:?}");
    }

    #[test]
    fn another_program_of_that_name_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        install(&directory, "tool", "tool 1.9");
        let failure = find(&tool(&directory)).unwrap_err();
        assert_eq!(failure.kind, FailureKind::MissingProgram);
        assert!(failure.message.contains("tool 1.9"), "{failure:?}");
    }

    #[test]
    fn another_name_for_the_same_is_found() {
        let directory = tempfile::tempdir().unwrap();
        install(&directory, "tool-fork", "tool 2.1");
        let found = find(&tool(&directory)).unwrap();
        assert!(found.name().ends_with("/tool-fork 2.1"), "{}", found.name());
    }
}
