//! Files for virtual machines, in a directory of weighin's own.

use super::fill::{Filling, fill};
use super::own::{DIRECTORY, Own, begun_name, file_name};
use super::{FileSpec, StorageError};
use files::Kind;
use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;
use std::io::ErrorKind;
use std::path::Path;

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
    let own = Own::find_or_make(within)?;
    let failed = |source| StorageError::Directory { path: within.join(DIRECTORY), source };
    let mut begun = Vec::new();
    for &vm in vms {
        let there = own.directory().facts_of(file_name(vm)).map_err(failed)?;
        if there.is_none_or(|file| file.kind != Kind::File || file.length != bytes) {
            begun.push(vm);
        }
    }
    let specs: Vec<FileSpec> =
        begun.iter().map(|&vm| spec(within, &begun_name(vm), volume, vm, bytes)).collect();
    let made = specs
        .iter()
        .try_for_each(|spec| begin(&own, spec))
        .and_then(|()| fill(&specs, filling))
        .and_then(|()| specs.iter().try_for_each(|spec| name_it(&own, spec)));
    if let Err(error) = made {
        // Nobody else makes files by these names; those that are gone need no removing.
        begun.iter().for_each(|&vm| drop(own.directory().remove_file(begun_name(vm))));
        // What keeps this from working is what the error tells of already.
        let _ = own.remove_if_empty();
        return Err(error);
    }
    own.directory().sync().map_err(failed)?;
    Ok(files_within(within, volume, vms, bytes))
}

/// Removes the files that [`make_files`] made within a directory. Returns whether there were any.
/// What else is in weighin's directory stays, and so does the directory then.
///
/// # Errors
/// When the directory is not weighin's own, or cannot be changed.
pub fn remove_files(within: &Path) -> Result<bool, StorageError> {
    let Some(own) = Own::find(within)? else { return Ok(false) };
    let failed = |source| StorageError::Directory { path: within.join(DIRECTORY), source };
    for name in own.file_names().map_err(failed)? {
        own.directory().remove_file(name).map_err(failed)?;
    }
    own.remove_if_empty().map_err(failed)?;
    Ok(true)
}

/// Where [`make_files`] makes the files of these virtual machines.
pub fn files_within(within: &Path, volume: u32, vms: &[u32], bytes: u64) -> Vec<FileSpec> {
    vms.iter().map(|&vm| spec(within, &file_name(vm), volume, vm, bytes)).collect()
}

fn spec(within: &Path, name: &str, volume: u32, vm: u32, bytes: u64) -> FileSpec {
    let path = within.join(DIRECTORY).join(name);
    FileSpec { path, offset: 0, length: bytes, volume, vm }
}

/// Makes a file and reserves all its room; to be done of all files before the first is filled.
fn begin(own: &Own, spec: &FileSpec) -> Result<(), StorageError> {
    let failed = |source| StorageError::Fill { path: spec.path.clone(), offset: None, source };
    let name = begun_name(spec.vm);
    match own.directory().remove_file(&name) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let file = own.directory().create_file(&name, 0o600).map_err(failed)?;
    match fallocate(&file, FallocateFlags::empty(), 0, spec.length) {
        Ok(()) => Ok(()),
        // Filling allocates as well, and fails where there is no room.
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => file.set_len(spec.length).map_err(failed),
        Err(error) => Err(failed(error.into())),
    }
}

/// Gives a file that is filled its name.
fn name_it(own: &Own, spec: &FileSpec) -> Result<(), StorageError> {
    let failed = |source| StorageError::Fill { path: spec.path.clone(), offset: None, source };
    let (begun, filled) = (begun_name(spec.vm), file_name(spec.vm));
    own.directory().rename(begun, own.directory(), filled).map_err(failed)
}
