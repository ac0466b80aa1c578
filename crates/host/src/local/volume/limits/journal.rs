//! The kernel's thread that writes a journal, in the group of those for whom it does.

use super::Limits;
use model::{Failure, FailureKind, FileSystem};
use std::fs;

/// Puts the thread that writes the journal of a file system on a device into the group, where that
/// is a group of the server's own.
///
/// # Errors
/// `NotPermitted` when the thread can't be seen or be moved.
pub(in crate::local::volume) fn join(
    limits: &Limits,
    system: FileSystem,
    devices: &[String],
) -> Result<(), Failure> {
    // The first of all groups has it already.
    let (true, FileSystem::Ext4, [device]) = (limits.is_own, system, devices) else {
        return Ok(());
    };
    let refuse = |why: &str| {
        Failure::new(
            FailureKind::NotPermitted,
            format!("the limits would not hold for the journal of {device}: {why}"),
            "run weighin outside of containers, or leave the limits of the volume out",
        )
    };
    let thread =
        thread_of(device).ok_or_else(|| refuse("the thread that writes it is not seen"))?;
    fs::write(limits.processes(), thread)
        .map_err(|error| refuse(&format!("the thread that writes it can't be moved: {error}")))
}

/// The number of the thread of a device's journal, whose name is that of the device and of the
/// inode of ext4's journal, which is 8.
fn thread_of(device: &str) -> Option<String> {
    let name = format!("jbd2/{device}-8");
    fs::read_dir("/proc").ok()?.flatten().find_map(|process| {
        let command = fs::read_to_string(process.path().join("comm")).ok()?;
        (command.trim() == name).then(|| process.file_name().into_string().ok()).flatten()
    })
}
