//! The files of virtual machines in a directory, before they are made.

use engine::storage::{DIRECTORY, FileSpec};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Bytes that weighin's own files in a directory take on its disk.
pub(super) fn allocated(within: &Path) -> u64 {
    let entries = fs::read_dir(within.join(DIRECTORY)).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|facts| facts.blocks() * 512).sum()
}

/// Whether all of these files are there, filled: they get their names only then.
pub(super) fn are_made(files: &[FileSpec]) -> bool {
    files.iter().all(|file| {
        fs::metadata(&file.path).is_ok_and(|facts| facts.is_file() && facts.len() == file.length)
    })
}
