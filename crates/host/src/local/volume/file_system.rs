//! File systems on a volume's devices.

use super::programs::run;
use model::{Failure, FileSystem};
use std::path::Path;

/// The program that makes a file system.
pub(super) fn program(system: FileSystem) -> String {
    format!("mkfs.{}", system.name())
}

/// Makes a file system on a device, or btrfs on several, striped.
///
/// # Errors
/// In the words of `mkfs`.
pub(super) fn make(system: FileSystem, devices: &[String]) -> Result<(), Failure> {
    // Never discards, which would give back the space that was taken.
    let options: &[&str] = match system {
        // Nothing is put off that would be done while a trial measures.
        FileSystem::Ext4 => &["-q", "-F", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"],
        FileSystem::Xfs => &["-q", "-f", "-K"],
        FileSystem::Btrfs if devices.len() > 1 => &["-q", "-f", "-K", "-d", "raid0", "-m", "raid0"],
        FileSystem::Btrfs => &["-q", "-f", "-K"],
    };
    let devices = devices.iter().map(|device| format!("/dev/{device}"));
    run(&program(system), options.iter().map(ToString::to_string).chain(devices))?;
    Ok(())
}

/// Mounts it.
///
/// # Errors
/// In the words of `mount`.
pub(super) fn mount(system: FileSystem, devices: &[String], point: &Path) -> Result<(), Failure> {
    let mut options = "nodiscard".to_owned();
    if system == FileSystem::Btrfs {
        // The kernel may not have been told of the others yet.
        options.extend(devices.iter().map(|device| format!(",device=/dev/{device}")));
    }
    let first = devices.first().map_or_else(String::new, |device| format!("/dev/{device}"));
    let arguments = ["-t", system.name(), "-o", &options, &first].map(str::to_owned);
    run("mount", arguments.iter().map(AsRef::as_ref).chain([point.as_os_str()]))?;
    Ok(())
}
