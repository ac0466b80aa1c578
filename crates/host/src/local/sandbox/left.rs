//! Sandboxes that go, and what is left of those whose run was killed with all its guardians.

use super::kind::program_prefixes;
use super::owner::{MARKER, Owner, PREFIX};
use super::trouble::{file_trouble, parent_trouble};
use crate::local::os;
use crate::local::volume::Holders;
use crate::supervise::{self, Charge, Guardian};
use crate::waiting::{self, Waiting};
use files::{Access, Directory};
use model::Failure;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a sandbox is waited for that goes: a server that is killed may have to wait for its disk.
const GONE_LIMIT: Duration = Duration::from_secs(60);
/// The same of one that another process holds.
const HELD_LIMIT: Duration = Duration::from_secs(5);
/// The same of all those together that earlier runs left.
const SWEEP_LIMIT: Duration = Duration::from_secs(2);

/// The directories that this process has swept.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Waits until a sandbox is gone. One that another process holds is left to its guardian after a while,
/// and named.
pub(super) fn see_off(mut guardian: Guardian, path: &Path) {
    guardian.release();
    let home = path.to_owned();
    let _waiting = Waiting::told_by(move || {
        format!("{} to be removed{}", home.display(), Holders::for_home(&home).in_words())
    });
    let began = Instant::now();
    let mut held = Duration::ZERO;
    while held < HELD_LIMIT && began.elapsed() < GONE_LIMIT {
        let look = Instant::now();
        if guardian.is_done(Duration::from_secs(1)) {
            break;
        }
        held = if Holders::for_home(path).any() { held + look.elapsed() } else { Duration::ZERO };
    }
    guardian.leave();
    name_left(path, "");
}

/// Says that a sandbox is still there, where it is.
fn name_left(path: &Path, whose: &str) {
    if !path.exists() {
        return;
    }
    let holders = Holders::for_home(path);
    waiting::notice(&format!(
        "{whose}{} could not be removed yet{}; what removes it now: {}",
        path.display(),
        holders.in_words(),
        holders.remedy(path)
    ));
}

/// Removes what is left of private servers of runs that were killed with all their guardians, in a
/// directory of sandboxes or the usual one; how many there were. What cannot be removed is told.
///
/// # Errors
/// When the directory cannot be opened, or others could exchange it.
pub fn remove_left(directory: Option<&Path>) -> Result<usize, Failure> {
    let parent = directory.map_or_else(super::sandbox_directory, Path::to_owned);
    let trouble = |error| file_trouble("what is left of private servers", &parent, &error);
    let within = Directory::open(&parent).map_err(trouble)?;
    within.check_trusted_path().map_err(|error| parent_trouble(&parent, &error))?;
    Ok(sweep(&within))
}

/// Does so once in each process, and names what could not be removed: nobody waits for long for what
/// others have left.
pub(super) fn sweep_once(parent: &Directory) {
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if swept.insert(parent.path().to_owned()) {
        drop(swept);
        sweep(parent);
    }
}

/// Removes the sandboxes of runs that are over in `parent`: runs that were killed together with
/// their guardians, or whose machine went down.
///
/// Only what nobody else can have made or changed is believed, directory and marker, so that nobody
/// can have us remove anything by planting a marker. What can't be read is let be.
///
/// Returns how many were removed.
fn sweep(parent: &Directory) -> usize {
    let names = parent.names().unwrap_or_default();
    let mut left = Vec::new();
    for name in names.iter().filter(|name| name.as_bytes().starts_with(PREFIX.as_bytes())) {
        let Ok((root, owner)) = owned(parent, name) else { continue };
        if !owner.is_gone() {
            continue;
        }
        // One that has a guardian yet could have been waiting for its holder for long.
        let guardian = if has_guardian(root.path()) { None } else { removal(&root) };
        left.push((root.path().to_owned(), guardian));
    }
    let deadline = Instant::now() + SWEEP_LIMIT;
    let mut removed = 0;
    for (path, guardian) in left {
        if let Some(mut guardian) = guardian {
            guardian.release();
            guardian.is_done(deadline.saturating_duration_since(Instant::now()));
            guardian.leave();
        }
        removed += usize::from(!path.exists());
        name_left(&path, "an earlier run left something behind: ");
    }
    removed
}

/// A directory in `parent`, and whose sandbox it is, by its marker.
fn owned(parent: &Directory, name: &OsStr) -> io::Result<(Directory, Owner)> {
    /// More than any marker.
    const LONGEST_MARKER: u64 = 4096;
    let root = parent.directory(name)?;
    let facts = root.facts()?;
    facts.check_trusted(root.path())?;
    if !facts.is_own() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let mut text = String::new();
    let marker = root.open_trusted_file(MARKER, Access::Read)?;
    marker.take(LONGEST_MARKER).read_to_string(&mut text)?;
    let owner = text.parse()?;
    Ok((root, owner))
}

/// What ends a sandbox when nobody holds it any more.
///
/// # Errors
/// As [`Guardian::watch`].
pub(super) fn guard(directory: &Path) -> io::Result<Guardian> {
    Guardian::watch(Charge::Sandbox { directory, prefixes: program_prefixes() })
}

/// What ends what is left of a sandbox, as soon as it is released.
pub(super) fn removal(root: &Directory) -> Option<Guardian> {
    let mut guardian = guard(root.path()).ok()?;
    guardian.say_made(root).ok()?;
    Some(guardian)
}

/// Whether a guardian is at work on a sandbox.
pub(super) fn has_guardian(path: &Path) -> bool {
    path.to_str().is_some_and(|path| {
        os::processes_with_argument(path).iter().any(|pid| {
            let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            words.split(|&byte| byte == 0).any(|word| word == supervise::NAME.as_bytes())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_sweep_takes_the_sandboxes_of_the_dead_and_no_others() {
        let parent = tempfile::tempdir().unwrap();
        let plant = |name: &str, marker: Option<String>| {
            let root = parent.path().join(name);
            fs::create_dir(&root).unwrap();
            if let Some(marker) = marker {
                fs::write(root.join(MARKER), marker).unwrap();
            }
            root
        };
        let owner = Owner::this_process().unwrap();
        let dead = Owner { started: owner.started + 1, ..owner.clone() };
        let doomed = plant("weighin-dead", Some(dead.to_string()));
        let spared = [
            plant("weighin-alive", Some(owner.to_string())),
            plant("weighin-unmarked", None),
            plant("weighin-garbled", Some("1 2".to_owned())),
            plant("data", Some(dead.to_string())),
        ];
        assert_eq!(remove_left(Some(parent.path())).unwrap(), 1);
        assert!(!doomed.exists());
        assert!(spared.iter().all(|root| root.exists()), "{spared:?}");
    }
}
