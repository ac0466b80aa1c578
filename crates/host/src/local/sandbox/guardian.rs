//! What ends a private server when weighin itself can't any more.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Stdio};

/// What it does, for `/bin/sh`.
const SCRIPT: &str = include_str!("guardian.sh");

/// A small process beside weighin that cleans up behind a sandbox, however weighin ends.
///
/// It waits for the end of a pipe that only weighin can write to. The kernel closes that end when
/// weighin is gone, also after SIGKILL, which no handler sees and no exit code path survives. A
/// child that weighin has forked and that hasn't yet become a server holds a copy of that end,
/// which its exec closes; so when the guardian acts, every server can be seen by its arguments.
/// The server is known by its data directory, whose name is random, and never by a process id
/// alone, which may have passed to another process.
///
/// The parent-death signal of the kernel would not do: it is cleared when the server changes its
/// user, and it fires when the thread that forked ends rather than the process.
#[derive(Debug)]
pub(super) struct Guardian {
    process: Child,
}

impl Guardian {
    /// Watches over a directory, which need not exist yet.
    ///
    /// # Errors
    /// When `/bin/sh` can't be run.
    pub(super) fn watch(directory: &Path) -> io::Result<Self> {
        let process = crate::local::command("/bin/sh")
            .args([OsStr::new("-c"), OsStr::new(SCRIPT), OsStr::new("weighin-guardian")])
            .arg(directory)
            .env("LC_ALL", "C")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // A group of its own: Ctrl-C in a terminal goes to weighin's.
            .process_group(0)
            .spawn()?;
        Ok(Self { process })
    }
}

impl Drop for Guardian {
    /// Lets the guardian do its work, and waits for it.
    fn drop(&mut self) {
        // `wait` closes the pipe. It fails only when somebody else has waited already.
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::os;
    use std::process::Command;

    #[test]
    fn processes_and_directory_go_and_others_stay() {
        let parent = tempfile::tempdir().unwrap();
        let ours = parent.path().join("ours");
        let other = parent.path().join("ours2");
        let guardian = Guardian::watch(&ours).unwrap();
        let sleeper = |directory: &Path| {
            std::fs::create_dir_all(directory.join("data")).unwrap();
            Command::new("sh")
                .args(["-c", "read -r _", "sh"])
                .arg(format!("--datadir={}/data", directory.display()))
                .stdin(Stdio::piped())
                .process_group(0)
                .spawn()
                .unwrap()
        };
        let mut doomed = sleeper(&ours);
        let mut spared = sleeper(&other);
        drop(guardian);
        assert!(!ours.exists() && other.exists());
        use std::os::unix::process::ExitStatusExt;
        assert_eq!(doomed.wait().unwrap().signal(), Some(libc::SIGKILL));
        assert_eq!(spared.try_wait().unwrap(), None);
        os::kill(spared.id()).unwrap();
        spared.wait().unwrap();
    }

    #[test]
    fn a_directory_that_was_never_made_is_no_trouble() {
        let parent = tempfile::tempdir().unwrap();
        drop(Guardian::watch(&parent.path().join("never")).unwrap());
    }
}
