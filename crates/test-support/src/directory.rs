//! Where tests have servers and disks.

use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};
use std::fs::{File, Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

/// A directory on the disk that a server's own account can reach too.
///
/// # Panics
/// When there is no room for one.
pub fn shared_directory() -> TempDir {
    let directory = tempfile::tempdir_in("/var/tmp").expect("a temporary directory");
    set_permissions(directory.path(), Permissions::from_mode(0o755)).expect("it is ours");
    // Each server has some hundred files and is soon gone. ext4 gives the numbers of files that were just
    // removed to no other ones, and looks through all of them for each new file in the same part of the
    // disk; by this flag it puts each directory in here into another part. Other file systems know none.
    let opened = File::open(directory.path()).expect("it is ours");
    if let Ok(flags) = ioctl_getflags(&opened) {
        let _ = ioctl_setflags(&opened, flags | IFlags::TOPDIR);
    }
    directory
}
