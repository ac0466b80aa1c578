//! The files beside a store: SQLite takes what they hold into the store, so that who can put one
//! there could write to it.

use crate::StoreError;
use files::{Directory, Kind, Refusal};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// What SQLite keeps beside a store.
const SIDE_FILES: [&str; 3] = ["-journal", "-wal", "-shm"];

/// The path of an existing store without links, so that all its files are beside the file itself:
/// through a link they would be elsewhere than those of who uses its own name.
pub(crate) fn resolved(path: &Path) -> Result<PathBuf, StoreError> {
    path.canonicalize().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => StoreError::Missing(path.to_path_buf()),
        _ => StoreError::NotReadable { path: path.to_path_buf(), detail: error.to_string() },
    })
}

/// Checks what is beside an existing store.
pub(crate) fn check_all(store: &Path) -> Result<(), StoreError> {
    let unreadable = |error: io::Error| StoreError::NotReadable {
        path: store.to_path_buf(),
        detail: error.to_string(),
    };
    let (directory, name) = Directory::of_file(store).map_err(unreadable)?;
    let facts = directory.facts_of(&name).map_err(unreadable)?;
    let facts = facts.ok_or_else(|| StoreError::Missing(store.to_path_buf()))?;
    if facts.kind != Kind::File {
        return Err(StoreError::NotAStore(store.to_path_buf()));
    }
    SIDE_FILES
        .iter()
        .try_for_each(|side| check(store, &directory, &suffixed(&name, side), Some(facts.uid)))
}

/// Checks that nothing is beside a store that is about to be made: SQLite would take what is left
/// of another for its own.
pub(crate) fn check_none(store: &Path) -> Result<(), StoreError> {
    let (directory, name) =
        Directory::of_file(store).map_err(|error| StoreError::not_writable(store, &error))?;
    for name in SIDE_FILES.map(|side| suffixed(&name, side)) {
        if directory.facts_of(&name).is_ok_and(|facts| facts.is_some()) {
            return Err(StoreError::Foreign {
                path: store.to_path_buf(),
                reason: format!(
                    "{} is left of another store",
                    directory.path().join(&name).display()
                ),
            });
        }
    }
    Ok(())
}

/// Checks an entry beside a store, if it is there: it must be a file with one name, of this
/// account, of root, or of the store's owner.
pub(crate) fn check(
    store: &Path,
    directory: &Directory,
    name: &OsStr,
    owner: Option<u32>,
) -> Result<(), StoreError> {
    let facts =
        directory.facts_of(name).map_err(|error| StoreError::not_writable(store, &error))?;
    let Some(facts) = facts else { return Ok(()) };
    let path = || directory.path().join(name);
    let refusal = if facts.kind != Kind::File {
        Refusal::Kind { path: path(), kind: facts.kind, wanted: Kind::File }
    } else if !facts.is_own() && facts.uid != 0 && Some(facts.uid) != owner {
        Refusal::Owner { path: path(), uid: facts.uid }
    } else if facts.links > 1 {
        Refusal::HardLinks { path: path(), links: facts.links }
    } else {
        return Ok(());
    };
    Err(StoreError::Foreign { path: store.to_path_buf(), reason: refusal.to_string() })
}

/// Bytes that a store takes with what is beside it: its length, without the holes of a file that has some.
pub(crate) fn length(store: &Path) -> u64 {
    let Ok((directory, name)) = Directory::of_file(store) else { return 0 };
    let names = [name.clone()].into_iter().chain(SIDE_FILES.map(|side| suffixed(&name, side)));
    let facts = names.filter_map(|name| directory.facts_of(&name).ok().flatten());
    facts.map(|facts| facts.length.min(facts.allocated)).sum()
}

/// Removes a store with what SQLite keeps beside it. What is not there need not be removed.
pub(crate) fn remove(store: &Path) {
    let Ok((directory, name)) = Directory::of_file(store) else { return };
    let _ = directory.remove_file(&name);
    for side in SIDE_FILES {
        let _ = directory.remove_file(suffixed(&name, side));
    }
}

pub(crate) fn suffixed(name: &OsStr, suffix: &str) -> OsString {
    let mut name = name.to_owned();
    name.push(suffix);
    name
}
