//! Room on the file systems of volumes that are directories.

use super::Volumes;
use model::Failure;
use std::collections::BTreeMap;
use std::path::Path;
use target::storage::check_space;

/// What a directory takes of its file system before it is filled.
#[derive(Debug)]
pub(super) struct Room<'a> {
    pub(super) path: &'a Path,
    /// Which file system.
    pub(super) device: u64,
    /// Bytes in weighin's own files, which make room for the new ones.
    pub(super) own: u64,
    /// Bytes to be written.
    pub(super) needed: u64,
}

/// Checks that file systems have room for all directories on them together that are to be filled.
///
/// # Errors
/// `DiskFull` where one has not.
pub(crate) fn check_room<'a>(
    volumes: impl IntoIterator<Item = &'a Volumes>,
) -> Result<(), Failure> {
    let mut by_device: BTreeMap<u64, Room<'_>> = BTreeMap::new();
    for room in volumes.into_iter().flat_map(Volumes::rooms) {
        let sum = by_device.entry(room.device).or_insert(Room { own: 0, needed: 0, ..room });
        sum.own = sum.own.saturating_add(room.own);
        sum.needed = sum.needed.saturating_add(room.needed);
    }
    by_device.values().try_for_each(|room| check_space(room.path, room.own, room.needed))
}
