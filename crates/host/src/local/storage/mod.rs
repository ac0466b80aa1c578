//! Volumes that weighin loads itself: directories, block devices and files.
//!
//! In a directory weighin makes a folder of its own. A device or a file must be empty or weighin's
//! own, known by a mark in its first block, or else both the study and the command line must allow
//! to overwrite it. Empty means that all of it that will be written was read and is zero. What is mounted, swap or part of an array is never touched.

mod blocks;
mod contents;
pub(crate) mod fuzzing;
mod held;
mod identity;
mod mark;
mod probe;
mod signatures;

pub(crate) use self::held::{clear, hold};

use self::identity::check_same;
use crate::local::size;
use files::Directory;
use model::{Failure, FailureKind, VolumePlace};
use std::fs::File;
use std::io;
use std::path::Path;

/// Whether a volume is blocks, a device or a file, and not a directory.
///
/// # Errors
/// When it is none of these, or not there.
fn is_blocks(path: &Path) -> Result<bool, Failure> {
    blocks::can_be(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => refused(
            FailureKind::NotPermitted,
            path,
            "is neither a directory nor a block device nor a file",
            "name one of these",
        ),
        _ => trouble("look at", path, &error),
    })
}

/// Keeps other processes of weighin from using a directory as a volume, as long as the file lives.
///
/// Other tools open the data in it by path as well. So others may make files in it (in a sticky
/// directory such as `/tmp`), and must not be able to exchange those that are there.
///
/// # Errors
/// `NotPermitted` where another works in it, or others could exchange weighin's files there.
fn hold_directory(path: &Path) -> Result<File, Failure> {
    let directory = Directory::open(path).map_err(|error| trouble("open", path, &error))?;
    directory.check_trusted_path().map_err(|error| in_others_hands(path, &error))?;
    let directory = File::from(directory);
    match directory.try_lock() {
        Ok(()) => Ok(directory),
        Err(_) => Err(refused(
            FailureKind::NotPermitted,
            path,
            "is in use by another weighin",
            "wait until that has ended",
        )),
    }
}

/// Makes sure that others cannot exchange a device or file, by the path that it was resolved to.
fn check_parent(path: &Path, resolved: &Path) -> Result<(), Failure> {
    let (parent, _) =
        Directory::of_file(resolved).map_err(|error| trouble("look at", path, &error))?;
    parent.check_trusted_path().map_err(|error| in_others_hands(path, &error))
}

fn in_others_hands(path: &Path, error: &io::Error) -> Failure {
    refused(
        FailureKind::NotPermitted,
        path,
        &format!("is in the hands of others, who could exchange weighin's files there: {error}"),
        "give the directory that is named to the account that runs weighin or to root, and take the \
         right to write from others (chown, chmod go-w, or chmod +t for one that all share); or run \
         weighin as its owner",
    )
}

/// What is said of a directory with too little room, both in bytes; `shared` where others on its file
/// system are to be filled before it, and that is what all of them need.
pub fn no_room(path: &Path, free: u64, needed: u64, shared: bool) -> Failure {
    let of_all = " for all volumes of the study on its file system up to this one";
    let (free, needed) = (size::in_words(free), size::in_words(needed));
    let whose = if shared { of_all } else { "" };
    let what = format!("has {free} free, and {needed} are needed{whose}");
    refused(FailureKind::DiskFull, path, &what, LESS)
}

/// How to need less room.
const LESS: &str = "make `vms` or `data` smaller, or name a larger volume";

/// What is said of data that is in the way.
fn holds(place: &VolumePlace, consented: bool, what: &str) -> Failure {
    let path = place.path.display();
    let remedy = match (place.erase, consented) {
        (false, _) => format!(
            "name another volume; if all of it may be lost, add erase = [\"{path}\"] to the target and --erase {path} to the command"
        ),
        (true, _) => format!(
            "the study allows to erase it; if all of it may be lost, say so on the command line as well: --erase {path}"
        ),
    };
    refused(FailureKind::ForeignData, &place.path, &format!("holds {what}"), &remedy)
}

fn refused(kind: FailureKind, path: &Path, what: &str, remedy: &str) -> Failure {
    Failure::new(kind, format!("the volume {} {what}", path.display()), remedy)
}

fn trouble(verb: &str, path: &Path, error: &io::Error) -> Failure {
    let (kind, remedy) = match error.raw_os_error() {
        Some(libc::ENOSPC | libc::EDQUOT) => (FailureKind::DiskFull, LESS),
        Some(libc::EACCES | libc::EPERM | libc::EROFS) => {
            (FailureKind::AccessDenied, "run weighin as a user who may write there")
        }
        Some(libc::ENOENT | libc::ENXIO | libc::ENODEV) => {
            (FailureKind::Unreachable, "correct the path, or mount what belongs there")
        }
        _ => (FailureKind::Other, "look into the kernel's log (dmesg)"),
    };
    Failure::new(kind, format!("cannot {verb} {}: {error}", path.display()), remedy)
}
