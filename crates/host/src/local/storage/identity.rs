use super::refused;
use model::{Failure, FailureKind};
use std::fs::{self, File, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// What to do about a volume that went away.
const AGAIN: &str = "see with dmesg why it went away, bring it back, and run the study anew";

/// Makes sure that a path still leads to the directory, device or file that is held open. A file
/// system may have been unmounted meanwhile, or another device have got the name: what is there
/// now was never offered to weighin.
///
/// # Errors
/// `VolumeFailed` where it leads elsewhere, or nowhere.
pub fn check_same(path: &Path, held: &File) -> Result<(), Failure> {
    let gone = |how: &str| refused(FailureKind::VolumeFailed, path, how, AGAIN);
    let now = fs::metadata(path).map_err(|error| gone(&format!("is gone: {error}")))?;
    let then = held.metadata().map_err(|error| gone(&format!("is gone: {error}")))?;
    if identity(&now) == identity(&then) {
        return Ok(());
    }
    Err(gone("is gone: its path leads to something else than when weighin took it"))
}

/// The number of a device; of anything else the file system with its number in there.
fn identity(of: &Metadata) -> (bool, u64, u64) {
    let is_device = of.file_type().is_block_device();
    if is_device { (true, of.rdev(), 0) } else { (false, of.dev(), of.ino()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_leads_elsewhere_is_found_out() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("volume");
        fs::create_dir(&path).unwrap();
        let held = File::open(&path).unwrap();
        check_same(&path, &held).unwrap();
        fs::rename(&path, place.path().join("aside")).unwrap();
        let failure = check_same(&path, &held).unwrap_err();
        assert_eq!(failure.kind, FailureKind::VolumeFailed);
        assert!(failure.message.contains("No such file"), "{failure}");
        fs::create_dir(&path).unwrap();
        let failure = check_same(&path, &held).unwrap_err();
        assert!(failure.message.contains("leads to something else"), "{failure}");
    }
}
