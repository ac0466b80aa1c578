//! Files for virtual machines, in a directory of weighin's own.

use super::fill::{Filling, fill};
use super::{FileSpec, StorageError};
use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The directory, within one that the user names, in which the files are.
pub const DIRECTORY: &str = "weighin-storage";
/// The file that says that the directory is weighin's own.
const MARKER: &str = "made-by-weighin.txt";
const MARKER_TEXT: &str =
    "The files in this directory were made by weighin, which overwrites and removes them.\n";

/// Makes the files of these virtual machines, so many bytes each (a multiple of 4096), in the
/// directory [`DIRECTORY`] within `within`, and fills them. Those that are there with that size are
/// taken as they are: they were filled whole, because a file gets its name only then.
///
/// # Errors
/// When `within` cannot be used, something is in the way that weighin did not make, or there is not
/// enough room: then nothing was written, and what was begun is removed.
pub fn make_files(
    within: &Path,
    volume: u32,
    vms: &[u32],
    bytes: u64,
    filling: &mut Filling<'_>,
) -> Result<Vec<FileSpec>, StorageError> {
    let directory = own_directory(within)?;
    let spec = |path: PathBuf, vm| FileSpec { path, offset: 0, length: bytes, volume, vm };
    let mut begun = Vec::new();
    for &vm in vms {
        let path = directory.join(file_name(vm));
        let there = fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() == bytes);
        if !there {
            begun.push(spec(begun_name(&path), vm));
        }
    }
    let made = begin_all(&begun)
        .and_then(|()| fill(&begun, filling))
        .and_then(|()| begun.iter().try_for_each(name_it));
    if let Err(error) = made {
        // Nobody else makes files by these names; those that are gone need no removing.
        begun.iter().for_each(|spec| drop(fs::remove_file(&spec.path)));
        // What keeps this from working is what the error tells of already.
        let _ = remove_if_empty(&directory);
        return Err(error);
    }
    sync_directory(&directory)?;
    Ok(vms.iter().map(|&vm| spec(directory.join(file_name(vm)), vm)).collect())
}

/// Removes the files that [`make_files`] made within a directory. Returns whether there were any.
/// What else is in weighin's directory stays, and so does the directory then.
///
/// # Errors
/// When the directory is not weighin's own, or cannot be changed.
pub fn remove_files(within: &Path) -> Result<bool, StorageError> {
    let directory = within.join(DIRECTORY);
    if !directory.exists() {
        return Ok(false);
    }
    if !is_own(&directory) {
        return Err(StorageError::Foreign { path: directory });
    }
    let failed = |source| StorageError::Directory { path: directory.clone(), source };
    for entry in fs::read_dir(&directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| {
            name.starts_with("weighin-vm-") && (name.ends_with(".dat") || name.ends_with(".part"))
        });
        if is_ours {
            fs::remove_file(entry.path()).map_err(failed)?;
        }
    }
    remove_if_empty(&directory).map_err(failed)?;
    Ok(true)
}

/// Removes weighin's own directory where nothing but the marker is in it.
fn remove_if_empty(directory: &Path) -> io::Result<()> {
    if fs::read_dir(directory)?.count() > 1 {
        return Ok(());
    }
    match fs::remove_file(directory.join(MARKER)) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::remove_dir(directory)
}

/// Where [`make_files`] makes the files of these virtual machines.
pub fn files_within(within: &Path, volume: u32, vms: &[u32], bytes: u64) -> Vec<FileSpec> {
    let directory = within.join(DIRECTORY);
    let spec = |&vm: &u32| FileSpec {
        path: directory.join(file_name(vm)),
        offset: 0,
        length: bytes,
        volume,
        vm,
    };
    vms.iter().map(spec).collect()
}

fn file_name(vm: u32) -> String {
    format!("weighin-vm-{vm:03}.dat")
}

/// The name of a file until it is filled.
fn begun_name(path: &Path) -> PathBuf {
    path.with_extension("part")
}

/// Weighin's own directory, made if need be.
fn own_directory(within: &Path) -> Result<PathBuf, StorageError> {
    let directory = within.join(DIRECTORY);
    let failed = |source| StorageError::Directory { path: directory.clone(), source };
    match fs::create_dir(&directory) {
        Ok(()) => {
            if let Err(error) = fs::write(directory.join(MARKER), MARKER_TEXT) {
                // Without its marker it would be somebody else's ever after.
                let _ = remove_if_empty(&directory);
                return Err(failed(error));
            }
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            if !is_own(&directory) {
                return Err(StorageError::Foreign { path: directory });
            }
        }
        Err(source) => {
            return Err(StorageError::Directory { path: within.to_owned(), source });
        }
    }
    Ok(directory)
}

/// Whether a directory has the marker, and is no link to another.
fn is_own(directory: &Path) -> bool {
    fs::symlink_metadata(directory).is_ok_and(|found| found.is_dir())
        && fs::read_to_string(directory.join(MARKER)).is_ok_and(|text| text == MARKER_TEXT)
}

/// Makes files and reserves all their room, before the first of them is filled.
fn begin_all(specs: &[FileSpec]) -> Result<(), StorageError> {
    for spec in specs {
        let failed = |source| StorageError::Fill { path: spec.path.clone(), offset: None, source };
        match fs::remove_file(&spec.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let file =
            OpenOptions::new().write(true).create_new(true).open(&spec.path).map_err(failed)?;
        match fallocate(&file, FallocateFlags::empty(), 0, spec.length) {
            Ok(()) => {}
            // Filling allocates as well, and fails where there is no room.
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => file.set_len(spec.length).map_err(failed)?,
            Err(error) => return Err(failed(error.into())),
        }
    }
    Ok(())
}

/// Gives a file that is filled its name.
fn name_it(spec: &FileSpec) -> Result<(), StorageError> {
    let named = spec.path.with_extension("dat");
    fs::rename(&spec.path, named).map_err(|source| StorageError::Fill {
        path: spec.path.clone(),
        offset: None,
        source,
    })
}

fn sync_directory(directory: &Path) -> Result<(), StorageError> {
    let synced: io::Result<()> = fs::File::open(directory).and_then(|file| file.sync_all());
    synced.map_err(|source| StorageError::Directory { path: directory.to_owned(), source })
}
