//! Volumes with the data of virtual machines.

use super::blocks::Blocks;
use super::{check_same, hold_directory, is_blocks, probe, trouble};
use crate::local::os;
use crate::local::sample::volume_of;
use crate::question::{HeldVolume, Looking, Share, Space, VolumeFacts};
use engine::storage::{
    FileSpec, Filling, Made, StorageError, files_within, made_files, make_files, remove_files,
};
use model::{Failure, Stop, VolumeLayout, VolumePlace};
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Opens a volume and looks for whatever would keep it from being used, besides what is on a device
/// or file.
///
/// # Errors
/// The first thing that would.
pub(crate) fn hold(path: &Path, block: u32) -> Result<Box<dyn HeldVolume>, Failure> {
    if is_blocks(path)? {
        return Ok(Box::new(Blocks::open(path, block)?));
    }
    let lock = hold_directory(path)?;
    made_files(path).map_err(failure)?;
    probe::directory(path, block)?;
    let device = lock.metadata().map_err(|error| trouble("look at", path, &error))?.dev();
    let facts = VolumeFacts { is_blocks: false, under: volume_of(path) };
    Ok(Box::new(HeldDirectory { path: path.to_owned(), lock, device, facts }))
}

/// Removes what weighin made on a volume; whether there was anything of its own.
///
/// # Errors
/// When it is in use, or what is there is not weighin's to remove.
pub(crate) fn clear(path: &Path, stop: &Stop) -> Result<bool, Failure> {
    if is_blocks(path)? {
        let blocks = Blocks::open(path, 0)?;
        return blocks.erase(Looking { stop, progress: &mut |_, _| {} });
    }
    let _lock = hold_directory(path)?;
    remove_files(path).map_err(failure)
}

fn failure(error: StorageError) -> Failure {
    Failure::from(&error)
}

/// A directory, locked.
#[derive(Debug)]
struct HeldDirectory {
    path: PathBuf,
    lock: File,
    /// Which file system it is on.
    device: u64,
    facts: VolumeFacts,
}

impl HeldDirectory {
    fn made(&self) -> Made {
        made_files(&self.path).unwrap_or_default()
    }
}

impl HeldVolume for HeldDirectory {
    fn facts(&self) -> &VolumeFacts {
        &self.facts
    }

    fn check_same(&self) -> Result<(), Failure> {
        check_same(&self.path, &self.lock)
    }

    fn check_contents(
        &mut self,
        _: &VolumePlace,
        _: bool,
        _: VolumeLayout,
        _: Looking<'_>,
    ) -> Result<Option<String>, Failure> {
        Ok(None)
    }

    fn space(&self) -> Result<Option<Space>, Failure> {
        let free =
            os::free_space(&self.path).map_err(|error| trouble("look at", &self.path, &error))?;
        Ok(Some(Space { device: self.device, free, own: self.made().allocated }))
    }

    fn files(&self, share: &Share) -> Result<Vec<FileSpec>, Failure> {
        Ok(files_within(&self.path, share.volume, &share.vms, share.layout.bytes_per_vm))
    }

    /// Files get their names only when they are filled.
    fn is_filled(&self, share: &Share) -> Result<bool, Failure> {
        let filled = self.made().filled;
        let mut files = self.files(share)?.into_iter();
        Ok(files.all(|file| filled.contains(&(file.path, file.length))))
    }

    fn fill(&mut self, share: &Share, mut filling: Filling<'_>) -> Result<(), Failure> {
        // Files of another size, or to be filled again, make room first.
        remove_files(&self.path).map_err(failure)?;
        let bytes = share.layout.bytes_per_vm;
        make_files(&self.path, share.volume, &share.vms, bytes, &mut filling)
            .map(drop)
            .map_err(failure)
    }
}
