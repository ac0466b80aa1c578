//! What went wrong with a private server, in words.

use super::kind::LogWords;
use crate::size_in_words;
use model::{Failure, FailureKind};
use std::io;
use std::path::Path;
use std::process::Output;

/// How many lines of a log a message may hold: it is to fit on a screen.
const LOG_LINES: usize = 6;

/// A failure to make or write a file.
pub fn file_trouble(what: &str, path: &Path, error: &io::Error) -> Failure {
    let (kind, remedy) = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            (FailureKind::DiskFull, FREE_SPACE)
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => (
            FailureKind::NotPermitted,
            "make the directory writable, or name another with WEIGHIN_SANDBOX_DIR",
        ),
        io::ErrorKind::NotFound => (
            FailureKind::SandboxStart,
            "make the directory, or name another with WEIGHIN_SANDBOX_DIR",
        ),
        _ => (FailureKind::SandboxStart, ""),
    };
    Failure::new(kind, format!("could not make {what} in {}: {error}", path.display()), remedy)
}

/// A copy of data that a private server gets would fill a disk which others may use too.
pub(super) fn no_room_for_copy(original: &Path, takes: u64, free: u64) -> Failure {
    let (takes, free) = (size_in_words(takes), size_in_words(free));
    let message = format!(
        "a copy of {} takes {takes}, and the disk of private servers has {free} free",
        original.display()
    );
    Failure::new(
        FailureKind::DiskFull,
        message,
        "name a larger disk with `volume = \"/path\"` in the sandbox or WEIGHIN_SANDBOX_DIR, or have both on \
         one file system that clones files (XFS, Btrfs), where a copy takes no room",
    )
}

/// A directory in which others could exchange what weighin makes there.
pub(super) fn parent_trouble(parent: &Path, error: &io::Error) -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        format!(
            "no private server is made in {}, where others could exchange its files: {error}",
            parent.display()
        ),
        "give that directory to the account that runs weighin or to root, and take the right to \
         write from others (chown, chmod go-w), or name another with WEIGHIN_SANDBOX_DIR",
    )
}

const FREE_SPACE: &str = "free space there, or name a directory on another disk with \
                          WEIGHIN_SANDBOX_DIR";

/// A failure of which a program's log tells the reason.
pub(super) fn log_trouble(happened: &str, log: &str, words: &LogWords) -> Failure {
    let has_any = |words: &[&str]| words.iter().any(|words| log.contains(words));
    let full = log.contains("No space left on device") || has_any(words.disk_full);
    let kind = if full { FailureKind::DiskFull } else { FailureKind::SandboxStart };
    let remedy = if full {
        FREE_SPACE
    } else if has_any(words.unknown_setting) {
        "correct or remove that setting of the target"
    } else if log.contains("Too many open files") {
        "raise the limit of open files (ulimit -n)"
    } else {
        "look for the reason in these lines; the target's settings may not suit this machine"
    };
    let lines = telling_lines(log, words);
    let message =
        if lines.is_empty() { happened.to_owned() } else { format!("{happened}:\n{lines}") };
    Failure::new(kind, message, remedy)
}

/// A program that ended with an error when it was asked something. The loader names a library that
/// is missing.
pub(super) fn run_trouble(program: &Path, output: &Output, words: &LogWords) -> Failure {
    let said = String::from_utf8_lossy(&output.stderr);
    let said = telling_lines(&said, words);
    let remedy = if said.contains("shared librar") {
        "install the library, or name its directory in LD_LIBRARY_PATH"
    } else if said.contains("GLIBC") {
        "take a distribution for this machine's operating system, or a container"
    } else {
        "see whether it is a program for this machine"
    };
    let program = program.display();
    let happened = format!("{program} does not run here ({})", output.status);
    let message = if said.is_empty() { happened } else { format!("{happened}: {said}") };
    Failure::new(FailureKind::MissingProgram, message, remedy)
}

/// The last lines that tell of errors; the last lines at all when none do.
fn telling_lines(log: &str, words: &LogWords) -> String {
    let tells = |line: &&str| words.error.iter().any(|mark| line.contains(mark));
    let mut lines: Vec<&str> = log.lines().filter(tells).collect();
    if lines.is_empty() {
        lines = log.lines().filter(|line| !line.trim().is_empty()).collect();
    }
    lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: LogWords = LogWords {
        disk_full: &["Disk full"],
        unknown_setting: &["unknown variable"],
        error: &["[ERROR]"],
    };

    #[test]
    fn errors_are_told_before_notes() {
        let log = "[Note] starting\n[ERROR] unknown variable 'x=1'\n[ERROR] Aborting\n[Note] bye\n";
        let failure = log_trouble("the server ended", log, &WORDS);
        assert_eq!(failure.kind, FailureKind::SandboxStart);
        assert_eq!(
            failure.message,
            "the server ended:\n[ERROR] unknown variable 'x=1'\n[ERROR] Aborting"
        );
        assert!(failure.remedy.contains("setting"), "{failure:?}");
    }

    #[test]
    fn long_logs_are_cut_and_empty_ones_left_out() {
        let log: String = (0..100).map(|i| format!("line {i}\n")).collect();
        let message = log_trouble("it ended", &log, &WORDS).message;
        assert_eq!(message.lines().count(), 1 + LOG_LINES);
        assert!(message.ends_with("line 99"), "{message}");
        assert_eq!(log_trouble("it ended", "\n", &WORDS).message, "it ended");
    }

    #[test]
    fn full_disks_are_called_so() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        assert_eq!(file_trouble("x", Path::new("/y"), &full).kind, FailureKind::DiskFull);
        for log in ["[ERROR] error 28 means 'No space left on device'", "Disk full (/tmp)"] {
            assert_eq!(log_trouble("it ended", log, &WORDS).kind, FailureKind::DiskFull);
        }
    }
}
