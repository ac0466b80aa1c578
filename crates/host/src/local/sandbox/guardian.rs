//! What ends a private server when weighin itself can't any more.

use files::Directory;
use std::ffi::OsStr;
use std::io::{self, Write};
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
    /// Watches over a directory that is about to be made: before [`Self::say_made`] is called nothing is
    /// in it.
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

    /// Says which directory it is: others may make one of that name where it is not yet, or not any
    /// more.
    ///
    /// # Errors
    /// When the guardian is gone.
    pub(super) fn say_made(&mut self, directory: &Directory) -> io::Result<()> {
        let (device, number) = directory.facts()?.identity;
        let told = self.process.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        writeln!(told, "{device}:{number}")
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
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;
    use std::process::Command;

    /// A process that a guardian takes for the server of a directory.
    fn server_of(directory: &Path) -> Child {
        Command::new("sh")
            .args(["-c", "read -r _", "sh"])
            .arg(format!("--datadir={}/data", directory.display()))
            .stdin(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap()
    }

    fn made(path: &Path) -> Directory {
        std::fs::create_dir_all(path.join("data")).unwrap();
        Directory::open(path).unwrap()
    }

    #[test]
    fn processes_and_directory_go_and_others_stay() {
        let parent = tempfile::tempdir().unwrap();
        let ours = parent.path().join("ours");
        let other = parent.path().join("ours2");
        let mut guardian = Guardian::watch(&ours).unwrap();
        guardian.say_made(&made(&ours)).unwrap();
        made(&other);
        let (mut doomed, mut spared) = (server_of(&ours), server_of(&other));
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
        // Or was made, and nobody could say so any more.
        let empty = parent.path().join("empty");
        let guardian = Guardian::watch(&empty).unwrap();
        std::fs::create_dir(&empty).unwrap();
        drop(guardian);
        assert!(!empty.exists());
    }

    /// What another account puts in the place of a sandbox that is gone, or not made yet: it names a
    /// program to be run, and files to be written to.
    fn plant(path: &Path, account: u32) -> PathBuf {
        let parent = path.parent().unwrap();
        let program = parent.join("program");
        std::fs::write(&program, format!("#!/bin/sh\necho run >{}/was-run\n", parent.display()))
            .unwrap();
        std::fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
        std::fs::create_dir_all(path).unwrap();
        std::fs::write(path.join("container"), format!("{}\nlabel\n", program.display())).unwrap();
        std::os::unix::fs::chown(path, Some(account), Some(account)).unwrap();
        parent.join("was-run")
    }

    #[test]
    fn what_others_put_in_its_place_is_not_believed() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let parent = tempfile::tempdir().unwrap();
        let ours = parent.path().join("ours");
        let stranger = 65_533;

        // Before it is made.
        let guardian = Guardian::watch(&ours).unwrap();
        let was_run = plant(&ours, stranger);
        drop(guardian);
        assert!(!was_run.exists() && ours.join("container").exists());
        std::fs::remove_dir_all(&ours).unwrap();

        // After it is gone; and a number may be used again.
        let mut guardian = Guardian::watch(&ours).unwrap();
        let directory = made(&ours);
        guardian.say_made(&directory).unwrap();
        let was_run = plant(&ours, stranger);
        drop(guardian);
        assert!(!was_run.exists() && ours.join("container").exists());
        std::fs::remove_dir_all(&ours).unwrap();

        // A link to what is this account's.
        let mut guardian = Guardian::watch(&ours).unwrap();
        guardian.say_made(&made(&ours)).unwrap();
        std::fs::remove_dir_all(&ours).unwrap();
        let elsewhere = parent.path().join("elsewhere");
        let was_run = plant(&elsewhere, 0);
        std::os::unix::fs::symlink(&elsewhere, &ours).unwrap();
        drop(guardian);
        assert!(!was_run.exists() && elsewhere.join("container").exists());
    }
}
