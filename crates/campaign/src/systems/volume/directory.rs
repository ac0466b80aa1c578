//! The files of virtual machines in a directory, before they are made.

use crate::failure::storage_failure;
use engine::storage::{FileSpec, Made, made_files};
use model::Failure;
use std::path::Path;

/// What weighin has made in a directory already.
///
/// # Errors
/// When something is in its way there that may be somebody else's.
pub(super) fn look(within: &Path) -> Result<Made, Failure> {
    made_files(within).map_err(|error| storage_failure(&error))
}

/// Bytes that weighin's own files in a directory take on its disk.
pub(super) fn allocated(within: &Path) -> u64 {
    made_files(within).map_or(0, |made| made.allocated)
}

/// Whether all of these files are there, filled: they get their names only then.
pub(super) fn are_made(within: &Path, files: &[FileSpec]) -> bool {
    let made = made_files(within).unwrap_or_default().filled;
    files.iter().all(|file| made.contains(&(file.path.clone(), file.length)))
}
