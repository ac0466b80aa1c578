//! The files that stand in for a volume's devices.

use crate::local::size;
use crate::waiting::Waiting;
use model::{BuiltVolume, Failure, FailureKind};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What is written at once, in bytes.
const PIECE: usize = 1 << 20;

/// Makes the files of all devices in the home of a sandbox, of zeros that are written out: the space
/// is taken, and the first write to a place costs the disk below no more than later ones.
///
/// # Errors
/// `DiskFull` when there is no room for them.
pub(super) fn make(volume: &BuiltVolume, home: &Path) -> Result<Vec<PathBuf>, Failure> {
    let directory = home.join("devices");
    let trouble = |error: io::Error| {
        let full = error.kind() == io::ErrorKind::StorageFull;
        Failure::new(
            if full { FailureKind::DiskFull } else { FailureKind::SandboxStart },
            format!("the files of a volume could not be made in {}: {error}", directory.display()),
            if full {
                "free space there, make the volume smaller, or name another directory"
            } else {
                ""
            },
        )
    };
    fs::create_dir(&directory).map_err(trouble)?;
    let bytes = size::in_words(volume.bytes());
    let _waiting =
        Waiting::for_the(format!("{bytes} of a volume to be written in {}", directory.display()));
    (0..volume.devices)
        .map(|number| {
            let path = directory.join(format!("{number}.img"));
            fill(&path, volume.device_bytes).map(|()| path).map_err(trouble)
        })
        .collect()
}

fn fill(path: &Path, bytes: u64) -> io::Result<()> {
    let mut file = File::options().write(true).create_new(true).open(path)?;
    let zeros = vec![0; PIECE];
    let mut left = bytes;
    while left > 0 {
        // No more than a piece, which is a usize.
        let piece = usize::try_from(left).map_or(PIECE, |left| left.min(PIECE));
        file.write_all(&zeros[..piece])?;
        left -= piece as u64;
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn the_space_of_every_device_is_taken() {
        let home = tempfile::tempdir_in("/var/tmp").unwrap();
        let volume = BuiltVolume {
            devices: 2,
            device_bytes: (PIECE + 4096) as u64,
            chunk_bytes: None,
            file_system: model::FileSystem::Ext4,
            limits: model::IoLimits::default(),
        };
        let files = make(&volume, home.path()).unwrap();
        assert_eq!(files.len(), 2);
        for file in files {
            let facts = file.metadata().unwrap();
            assert_eq!(facts.len(), volume.device_bytes);
            assert!(facts.blocks() * 512 >= volume.device_bytes, "{facts:?}");
        }
    }
}
