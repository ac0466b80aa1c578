use crate::child::{self, Ended};
use model::{Failure, FailureKind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(10);

/// The installed sysbench.
#[derive(Clone, Debug)]
pub struct Sysbench {
    program: PathBuf,
    version: String,
}

impl Sysbench {
    /// Finds sysbench 1.0 on the `PATH`.
    ///
    /// # Errors
    /// `MissingProgram` when it is not there, or is not of that version.
    pub fn find() -> Result<Self, Failure> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        Self::find_in(std::env::split_paths(&path))
    }

    fn find_in(mut directories: impl Iterator<Item = PathBuf>) -> Result<Self, Failure> {
        let program = directories
            .find_map(|directory| Some(directory.join("sysbench")).filter(|file| file.is_file()))
            .ok_or_else(|| missing("sysbench is not on the PATH".to_owned()))?;
        let says =
            match child::run(Command::new(&program).arg("--version"), b"", PATIENCE, &|| false) {
                Ok(Ended::Finished(finished)) => finished.stdout,
                Ok(Ended::Stopped | Ended::TimedOut) => String::new(),
                Err(error) => {
                    return Err(missing(format!("{} does not start: {error}", program.display())));
                }
            };
        match version(&says) {
            Some(version) => Ok(Self { version: version.to_owned(), program }),
            None => Err(missing(format!(
                "{} is not sysbench 1.0: asked for its version, it says «{}»",
                program.display(),
                says.trim()
            ))),
        }
    }

    /// Name and version, such as `sysbench 1.0.20`.
    pub fn name(&self) -> String {
        format!("sysbench {}", self.version)
    }

    /// Where the program is.
    pub fn program(&self) -> &Path {
        &self.program
    }
}

/// `1.0.20` of `sysbench 1.0.20 (using system LuaJIT 2.1)`; `None` for other versions than 1.x.
fn version(says: &str) -> Option<&str> {
    let version = says.trim().strip_prefix("sysbench ")?.split_whitespace().next()?;
    version.starts_with("1.").then_some(version)
}

fn missing(message: String) -> Failure {
    Failure::new(
        FailureKind::MissingProgram,
        message,
        "install it (Debian and Ubuntu: the package sysbench), or ask for no second opinion",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_missing_sysbench_is_named_with_its_package() {
        let nowhere = tempfile::tempdir().unwrap();
        let failure = Sysbench::find_in([nowhere.path().to_owned()].into_iter()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::MissingProgram);
        assert!(failure.remedy.contains("package sysbench"), "{failure:?}");
    }

    #[test]
    fn another_program_of_that_name_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("sysbench");
        std::fs::write(&program, "#!/bin/sh\necho sysbench 0.4.12\n").unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        let failure = Sysbench::find_in([directory.path().to_owned()].into_iter()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::MissingProgram);
        assert!(failure.message.contains("sysbench 0.4.12"), "{failure:?}");
    }

    #[test]
    fn versions_are_told_apart() {
        assert_eq!(version("sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n"), Some("1.0.20"));
        assert_eq!(version("sysbench 1.1.0-3ceba0b\n"), Some("1.1.0-3ceba0b"));
        assert_eq!(version("sysbench 0.4.12\n"), None);
        assert_eq!(version(""), None);
    }
}
