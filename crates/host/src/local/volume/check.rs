//! What a machine lacks for a volume, said before anything is made.

use super::file_system;
use super::limits::Controller;
use super::programs::{find, require};
use crate::local::{os, size};
use model::{BuiltVolume, Failure, FailureKind, FileSystem};
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// What the directory of a volume must have free beyond its files: sockets, logs, and some for
/// everybody else.
const SPARE_BYTES: u64 = 64 << 20;

/// Looks whether this machine can build a volume whose files are in `directory`, where all volumes
/// that are to be there together take so many bytes. Makes nothing; where the kernel keeps what is
/// needed in a module, has it loaded.
///
/// # Errors
/// `NotPermitted`, `MissingProgram` or `DiskFull`: the first thing that is lacking, and what to do.
pub fn check(volume: &BuiltVolume, directory: &Path, bytes: u64) -> Result<(), Failure> {
    let refuse =
        |message: &str, remedy: &str| Err(Failure::new(FailureKind::NotPermitted, message, remedy));
    if !os::is_root() {
        return refuse(
            "only root may build a volume",
            "run weighin as root, or name a directory on a volume: volume = \"/mnt/fast\"",
        );
    }
    for program in ["losetup", "mount", "umount", "mountpoint"] {
        require(program)?;
    }
    require(&file_system::program(volume.file_system))?;
    if !Path::new("/dev/loop-control").exists() && !load("loop") {
        return refuse(
            "a volume stands on loop devices, and this machine has none (/dev/loop-control)",
            "load the kernel's module loop, run weighin outside of containers, or name a directory \
             on a volume: volume = \"/mnt/fast\"",
        );
    }
    let system = volume.file_system;
    if !is_known(system) {
        return refuse(
            &format!("this machine's kernel has no {}", system.name()),
            "choose another file_system for the volume",
        );
    }
    if volume.devices > 1 && system != FileSystem::Btrfs {
        require("mdadm")?;
        if !Path::new("/proc/mdstat").exists() && !load("raid0") {
            return refuse(
                &format!(
                    "{} is striped by md, which this machine's kernel does not have",
                    system.name()
                ),
                "take file_system = \"btrfs\", which stripes by itself (by 64KiB), or devices = 1",
            );
        }
    }
    if !volume.limits.is_none() {
        Controller::of_this_host(system)?;
    }
    let free = os::free_space(directory);
    let needed = bytes.saturating_add(SPARE_BYTES);
    match free {
        Ok(free) if free < needed => Err(Failure::new(
            FailureKind::DiskFull,
            format!(
                "the volumes take {} in {}, where {} are free",
                size::in_words(needed),
                directory.display(),
                size::in_words(free)
            ),
            "free space there, make the volumes smaller, or name another directory beside `volume`",
        )),
        _ => Ok(()),
    }
}

/// Whether the kernel has a file system, if need be after loading its module.
fn is_known(system: FileSystem) -> bool {
    let known = || {
        let systems = fs::read_to_string("/proc/filesystems").unwrap_or_default();
        systems.lines().any(|line| line.split_whitespace().last() == Some(system.name()))
    };
    known() || (load(system.name()) && known())
}

/// Has the kernel load a module, as `mount` and `mdadm` would; false when it has none of that name.
fn load(module: &str) -> bool {
    let Some(program) = find("modprobe") else { return false };
    let mut command = crate::local::command::command(program);
    command.args(["--quiet", module]).stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}
