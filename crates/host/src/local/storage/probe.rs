//! Whether a volume can be read and written past the operating system's caches.

use super::{refused, trouble};
use crate::local::os;
use files::Directory;
use model::{Failure, FailureKind};
use rustix::fs::{OFlags, fcntl_setfl};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

/// Memory that direct reads and writes use must begin at a multiple of the device's block.
const ALIGNMENT: usize = 4096;

/// Tries a block of that size in a directory, in a file that is gone again afterwards.
///
/// # Errors
/// `NotPermitted` where the file system has no direct reads and writes, or none so small, or is kept
/// in memory.
pub fn directory(path: &Path, block: u32) -> Result<(), Failure> {
    let made = |error| trouble("write in", path, &error);
    let within = Directory::open(path).map_err(made)?;
    // A name that nobody can have taken before.
    let probe = format!(".weighin-probe-{}", os::random_hex(8).map_err(made)?);
    let file = within.create_file(&probe, 0o600).map_err(made)?;
    let removed = within.remove_file(&probe);
    removed.map_err(|error| trouble("remove", &path.join(&probe), &error))?;
    fcntl_setfl(&file, OFlags::DIRECT).map_err(|error| no_direct(path, &error.into()))?;
    if os::is_in_memory(path) {
        return Err(refused(
            FailureKind::NotPermitted,
            path,
            "is kept in memory, where no disk is measured",
            "name a directory on a disk",
        ));
    }
    one_block(&file, block, |file, buffer| file.write_all_at(buffer, 0))
        .map_err(|error| too_small(path, block, &error))
}

/// Tries a block of that size on a device or in a file that exists, by reading.
///
/// # Errors
/// As [`directory`].
pub fn blocks(path: &Path, block: u32) -> Result<(), Failure> {
    let file = File::options().read(true).custom_flags(libc::O_DIRECT).open(path);
    let file = file.map_err(|error| no_direct(path, &error))?;
    one_block(&file, block, |file, buffer| file.read_exact_at(buffer, u64::from(block)))
        .map_err(|error| too_small(path, block, &error))
}

/// Hands over a buffer of one block that is aligned as devices ask for.
fn one_block(
    file: &File,
    block: u32,
    act: impl FnOnce(&File, &mut [u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut memory = vec![0; block as usize + ALIGNMENT];
    let start = memory.as_ptr().align_offset(ALIGNMENT);
    act(file, &mut memory[start..start + block as usize])
}

fn no_direct(path: &Path, error: &io::Error) -> Failure {
    if error.kind() != ErrorKind::InvalidInput {
        return trouble("write in", path, error);
    }
    refused(
        FailureKind::NotPermitted,
        path,
        "is on a file system without O_DIRECT: its caches would be measured, not the disk",
        "name a directory on ext4, XFS, btrfs or another file system that has it",
    )
}

fn too_small(path: &Path, block: u32, error: &io::Error) -> Failure {
    if error.kind() != ErrorKind::InvalidInput {
        return trouble("try a block on", path, error);
    }
    refused(
        FailureKind::NotPermitted,
        path,
        &format!("takes no blocks of {block} bytes: those of its device are larger"),
        "use blocks of 4 KiB or more",
    )
}
