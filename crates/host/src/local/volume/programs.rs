//! The system's programs that volumes are built with.

use crate::local::command::search_path;
use crate::waiting::Waiting;
use model::{Failure, FailureKind};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Stdio;

/// Where an administrator's programs are, besides `PATH`.
const USUAL_PLACES: [&str; 3] = ["/usr/sbin", "/sbin", "/usr/local/sbin"];

/// Where a program is; `None` when it is not installed.
pub(super) fn find(program: &str) -> Option<PathBuf> {
    let places = search_path(&USUAL_PLACES);
    places.into_iter().map(|place| place.join(program)).find(|file| file.is_file())
}

/// A program that has to be there.
///
/// # Errors
/// `MissingProgram` with the Debian package that has it.
pub(super) fn require(program: &str) -> Result<PathBuf, Failure> {
    find(program).ok_or_else(|| {
        let package = match program {
            "mdadm" => "mdadm",
            "mkfs.ext4" => "e2fsprogs",
            "mkfs.xfs" => "xfsprogs",
            "mkfs.btrfs" => "btrfs-progs",
            _ => "util-linux and mount",
        };
        Failure::new(
            FailureKind::MissingProgram,
            format!("the volume needs {program}, which is not installed"),
            format!("install the Debian package {package}"),
        )
    })
}

/// Runs a program to its end; returns what it printed.
///
/// # Errors
/// `MissingProgram`, or `SandboxStart` with what it said when it failed.
pub(super) fn run<A: AsRef<OsStr>>(
    program: &str,
    arguments: impl IntoIterator<Item = A>,
) -> Result<String, Failure> {
    let failed = |said: &str| {
        Failure::new(
            FailureKind::SandboxStart,
            format!("a volume was to be built, and {program} failed: {}", said.trim()),
            "",
        )
    };
    let mut command = crate::local::command::command(require(program)?);
    command.args(arguments).env("LC_ALL", "C").stdin(Stdio::null());
    let _waiting = Waiting::for_the(format!("{program} to end, for a volume"));
    let output = command.output().map_err(|error| failed(&error.to_string()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = [output.stderr, output.stdout].concat();
    Err(failed(&format!("{}\n{}", output.status, String::from_utf8_lossy(&said).trim())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_said_is_told_when_it_fails() {
        assert_eq!(run("echo", ["done"]).unwrap(), "done\n");
        let failure = run("ls", ["/no/such/directory"]).unwrap_err();
        assert!(failure.message.contains("/no/such/directory"), "{failure}");
        let missing = run("mkfs.none", [""; 0]).unwrap_err();
        assert_eq!(missing.kind, FailureKind::MissingProgram);
    }
}
