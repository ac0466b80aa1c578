use super::StorageError;
use super::own::{Own, is_own_file};
use model::Storage;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Where the data of one virtual machine is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSpec {
    /// A file or a block device.
    pub path: PathBuf,
    /// Where the data begins in it, in bytes: a multiple of 4096.
    pub offset: u64,
    /// How long it is, in bytes.
    pub length: u64,
    /// The number of the volume that it is on, from 0.
    pub volume: u32,
    /// The number of the virtual machine, from 0; no other has it.
    pub vm: u32,
}

/// How a file is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    ReadAndWrite,
}

/// Memory whose address is a multiple of its size, for looking at files without the ring.
#[repr(align(4096))]
struct Page([u8; 4096]);

/// Opens a file or device for input and output past the page cache. What has the name of weighin's
/// own files must be one: nothing is opened that others can have put in its place.
pub(super) fn open_direct(path: &Path, access: Access) -> Result<File, StorageError> {
    let opened = match is_own_file(path) {
        true => open_own(path, access)?,
        false => OpenOptions::new()
            .read(true)
            .write(access == Access::ReadAndWrite)
            .custom_flags(libc::O_DIRECT | libc::O_CLOEXEC)
            .open(path),
    };
    opened.map_err(|source| match source.kind() {
        ErrorKind::InvalidInput => StorageError::NoDirect { path: path.to_owned() },
        _ => StorageError::Open { path: path.to_owned(), source },
    })
}

/// The same of a file in weighin's own directory.
fn open_own(path: &Path, access: Access) -> Result<io::Result<File>, StorageError> {
    let within = path.ancestors().nth(2).unwrap_or(Path::new("/"));
    let (Some(own), Some(name)) = (Own::find(within)?, path.file_name()) else {
        return Ok(Err(ErrorKind::NotFound.into()));
    };
    let access = match access {
        Access::Read => files::Access::Read,
        Access::ReadAndWrite => files::Access::ReadWrite,
    };
    let opened = own.directory().open_trusted_file(name, access);
    Ok(opened.and_then(|file| {
        fcntl_setfl(&file, fcntl_getfl(&file)? | OFlags::DIRECT)?;
        Ok(file)
    }))
}

/// Opens the data of a virtual machine and makes sure that the workload fits it.
pub(super) fn open(spec: &FileSpec, storage: &Storage) -> Result<File, StorageError> {
    let access = if storage.writes() { Access::ReadAndWrite } else { Access::Read };
    let file = open_direct(&spec.path, access)?;
    let needed = spec.offset.saturating_add(storage.bytes_per_vm.max(spec.length));
    let there = length(&file).map_err(|source| open_error(spec, source))?;
    if there < needed {
        return Err(StorageError::TooShort { path: spec.path.clone(), there, needed });
    }
    for block in storage.blocks.iter().map(|share| share.bytes) {
        try_block(&file, spec, block)?;
    }
    Ok(file)
}

/// Bytes of a file or block device.
pub(super) fn length(mut file: &File) -> io::Result<u64> {
    // Works for devices too, whose metadata say 0.
    io::Seek::seek(&mut file, io::SeekFrom::End(0))
}

/// Reads where only the device's own blocks being too large can be in the way.
fn try_block(file: &File, spec: &FileSpec, block: u32) -> Result<(), StorageError> {
    let mut page = Page([0; 4096]);
    let size = (block as usize).min(page.0.len());
    match file.read_at(&mut page.0[..size], spec.offset + u64::from(block) % 4096) {
        Err(error) if error.kind() == ErrorKind::InvalidInput => {
            let logical = logical_block(file);
            Err(StorageError::Block { path: spec.path.clone(), block, logical })
        }
        // Other errors are the load's: it counts them by its policy.
        _ => Ok(()),
    }
}

/// The smallest block of the device that a file is on, or is; `None` where the system does not say.
fn logical_block(file: &File) -> Option<u32> {
    let metadata = file.metadata().ok()?;
    let device = if metadata.rdev() != 0 { metadata.rdev() } else { metadata.dev() };
    let directory = format!("/sys/dev/block/{}:{}", libc::major(device), libc::minor(device));
    // Partitions have it one level up.
    ["queue", "../queue"].iter().find_map(|queue| {
        let text =
            std::fs::read_to_string(format!("{directory}/{queue}/logical_block_size")).ok()?;
        text.trim().parse().ok()
    })
}

fn open_error(spec: &FileSpec, source: io::Error) -> StorageError {
    StorageError::Open { path: spec.path.clone(), source }
}
