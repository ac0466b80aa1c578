//! Names of groups, and removing those that nobody needs any more.

use crate::local::os::ProcessIdentity;
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

/// What names begin with.
const PREFIX: &str = "weighin-cpus-";
/// How often to look whether the last member of a group has gone: threads of the kernel's that
/// worked for one take a moment to end after it.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How often at most. What a device that does not answer holds is left to the next weighin.
const LOOKS: u32 = 200;

/// The name of a group: which process made it, told apart from later ones with the same id, and how
/// many it had made before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name {
    owner: ProcessIdentity,
    number: u32,
}

impl Name {
    /// One that this process has not used.
    ///
    /// # Errors
    /// When `/proc` can't be read.
    pub(super) fn next() -> io::Result<Self> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let owner = ProcessIdentity::for_pid(std::process::id()).ok_or(io::ErrorKind::NotFound)?;
        Ok(Self { owner, number: MADE.fetch_add(1, Ordering::Relaxed) })
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ProcessIdentity { pid, started } = self.owner;
        write!(f, "{PREFIX}{pid}-{started}-{}", self.number)
    }
}

impl FromStr for Name {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let words: Vec<&str> = text.strip_prefix(PREFIX).ok_or(())?.split('-').collect();
        let [pid, started, number] = words[..] else { return Err(()) };
        let pid = pid.parse().map_err(drop)?;
        let started = started.parse().map_err(drop)?;
        let owner = ProcessIdentity { pid, started };
        Ok(Self { owner, number: number.parse().map_err(drop)? })
    }
}

/// The groups of any weighin within another.
fn names(within: &Path) -> impl Iterator<Item = Name> {
    let entries = fs::read_dir(within).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Whether there is a group of any weighin.
pub(super) fn has_any(within: &Path) -> bool {
    names(within).next().is_some()
}

/// Removes the groups whose weighin is gone. The kernel removes none that has members: should the
/// owner live in another container, whose processes can't be seen, its load goes on.
pub(super) fn remove(within: &Path) {
    for name in names(within).filter(|name| !name.owner.exists()) {
        let _ = fs::remove_dir(within.join(name.to_string()));
    }
}

/// Removes a group, waiting for its last members to end.
pub(super) fn remove_when_empty(group: &Path) {
    for _ in 0..LOOKS {
        match fs::remove_dir(group) {
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => thread::sleep(LOOK_EVERY),
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_were_written_and_no_others() {
        let name = Name::next().unwrap();
        assert_eq!(name.to_string().parse(), Ok(name));
        assert_ne!(Name::next().unwrap(), name);
        for other in
            ["weighin-0a1b", "weighin-cpus-1-2", "weighin-cpus-1-2-3-4", "weighin-cpus-x-2-3"]
        {
            assert_eq!(other.parse::<Name>(), Err(()), "{other}");
        }
    }

    #[test]
    fn groups_of_those_who_are_gone_are_removed_and_others_left() {
        let within = tempfile::tempdir().unwrap();
        let own = Name::next().unwrap();
        let gone = Name {
            owner: ProcessIdentity { started: own.owner.started + 1, ..own.owner },
            number: 0,
        };
        for name in [own.to_string(), gone.to_string(), "weighin-0a1b".to_owned()] {
            fs::create_dir(within.path().join(name)).unwrap();
        }
        remove(within.path());
        let mut left: Vec<_> =
            fs::read_dir(within.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["weighin-0a1b", own.to_string().as_str()]);
        assert!(has_any(within.path()));
    }
}
