//! Volumes that weighin builds for the data of a private server: loop devices over files of its
//! own, striped where the study says so, with a file system, limited by control groups.
//!
//! All of it stands in the home of a sandbox, by which it is found again when it has to go: the
//! guardian (`guardian/sandbox.sh`) takes it apart, also for runs that were killed. What is here
//! only builds it, and sets and lifts its limits.

mod check;
mod file_system;
mod files;
mod holders;
mod limits;
mod programs;

pub use check::check;
pub(crate) use holders::Holders;

use self::limits::{Limits, journal};
use self::programs::run;
use crate::local::os;
use model::{BuiltVolume, Failure, FailureKind, FileSystem};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A volume of a sandbox, mounted. Dropping it leaves it to the sandbox's guardian.
#[derive(Debug)]
pub(crate) struct Volume {
    point: PathBuf,
    /// Names of its loop devices, such as `loop3`.
    devices: Vec<String>,
    limits: Option<Limits>,
}

impl Volume {
    /// Builds a volume in the home of a sandbox, which exists and has a guardian, and mounts it
    /// there. Only this account may write in the home, and in the root of the new file system: that
    /// is why paths in them can be used.
    ///
    /// # Errors
    /// What the machine lacks for it, as [`check`] says it; or which step failed, in the words of
    /// the program that did it.
    pub(crate) fn build(volume: &BuiltVolume, home: &Path) -> Result<Self, Failure> {
        check(volume, home, volume.bytes())?;
        let point = mount_point(home);
        fs::create_dir(&point)
            .map_err(|error| trouble("its mount point could not be made", &error))?;
        // Before there is a device, so that there is none whose limits nobody knows how to lift.
        let limits = Limits::prepare(volume, home)?;
        let mut devices = Vec::new();
        for file in files::make(volume, home)? {
            devices.push(attach(&file)?);
        }
        let system = volume.file_system;
        // Btrfs stripes by itself; the others see one device.
        let under = match volume.chunk_bytes {
            Some(chunk) if system != FileSystem::Btrfs => vec![array(home, &devices, chunk)?],
            _ => devices.clone(),
        };
        file_system::make(system, &under)?;
        file_system::mount(system, &under, &point)?;
        if let Some(limits) = &limits {
            journal::join(limits, system, &under)?;
        }
        Ok(Self { point, devices, limits })
    }

    /// Holds its devices to their limits from now on. What was written before is on them already.
    ///
    /// # Errors
    /// When a control group can't be written to.
    pub(crate) fn limit(&self) -> Result<(), Failure> {
        let Some(limits) = &self.limits else { return Ok(()) };
        os::sync_filesystem_of(&self.point)
            .map_err(|error| trouble("what is on it could not be written out", &error))?;
        let set = |device: &String| limits.set(&numbers(device)?);
        self.devices
            .iter()
            .try_for_each(set)
            .map_err(|error| trouble("its limits could not be set", &error))
    }

    /// Lifts the limits again, as far as that is possible.
    pub(crate) fn lift(&self) {
        let Some(limits) = &self.limits else { return };
        self.devices
            .iter()
            .flat_map(|device| numbers(device))
            .for_each(|device| limits.lift(&device));
    }

    /// The same command, run in the control group that is limited, whichever account it is then
    /// given to. Its input is empty.
    ///
    /// # Errors
    /// When the group can't be written to.
    pub(crate) fn grouped(&self, mut command: Command) -> io::Result<Command> {
        match &self.limits {
            Some(limits) => limits.grouped(&command),
            None => {
                command.stdin(Stdio::null());
                Ok(command)
            }
        }
    }
}

/// Where the volume of a sandbox is mounted, in its home.
pub(crate) fn mount_point(home: &Path) -> PathBuf {
    home.join("volume")
}

const DIRECT_IO: &str = "the files of volumes need a file system with direct IO, such as ext4 or xfs: \
                         name a directory on one beside `volume`";

/// Makes a file a loop device; returns the device's name. Direct IO, because otherwise the machine's
/// memory would hold the data a second time, and answer for the disk.
fn attach(file: &Path) -> Result<String, Failure> {
    let options = ["--find", "--show", "--direct-io=on"].map(OsStr::new);
    let device = run("losetup", options.into_iter().chain([file.as_os_str()]));
    let device = device.map_err(|failure| match failure.kind {
        FailureKind::SandboxStart => Failure { remedy: DIRECT_IO.to_owned(), ..failure },
        _ => failure,
    })?;
    let device = device.trim();
    device.strip_prefix("/dev/").map(str::to_owned).ok_or_else(|| {
        let message = format!("losetup made a device of {}, and said {device:?}", file.display());
        Failure::new(FailureKind::SandboxStart, message, "")
    })
}

/// Makes an array of devices (RAID 0); returns its name, such as `md127`.
fn array(home: &Path, devices: &[String], chunk_bytes: u64) -> Result<String, Failure> {
    // The home's own name is random, so that it is no other array's.
    let name = home.file_name().unwrap_or_default().to_string_lossy();
    run("mdadm", array_arguments(&name, devices, chunk_bytes))?;
    let first = devices.first().map_or("", String::as_str);
    let holders =
        fs::read_dir(format!("/sys/block/{first}/holders")).into_iter().flatten().flatten();
    let mut names = holders.filter_map(|holder| holder.file_name().into_string().ok());
    names.find(|name| name.starts_with("md")).ok_or_else(|| {
        let message = format!("mdadm made an array of {}, which is not there", devices.join(", "));
        Failure::new(FailureKind::SandboxStart, message, "")
    })
}

fn array_arguments(name: &str, devices: &[String], chunk_bytes: u64) -> Vec<String> {
    let mut arguments =
        ["--create", "--quiet", "--run", "--level=0", "--metadata=1.2"].map(str::to_owned).to_vec();
    // mdadm counts chunks in KiB.
    arguments.push(format!("--chunk={}", chunk_bytes >> 10));
    arguments.push(format!("--raid-devices={}", devices.len()));
    arguments.push(format!("/dev/md/{name}"));
    arguments.extend(devices.iter().map(|device| format!("/dev/{device}")));
    arguments
}

/// The numbers of a device, such as `7:3`.
fn numbers(device: &str) -> io::Result<String> {
    Ok(fs::read_to_string(format!("/sys/block/{device}/dev"))?.trim().to_owned())
}

fn trouble(what: &str, error: &io::Error) -> Failure {
    let message = format!("a volume was to be built, and {what}: {error}");
    Failure::new(FailureKind::SandboxStart, message, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_has_the_chunk_of_the_study_in_kib() {
        let devices = ["loop3", "loop7"].map(str::to_owned);
        let arguments = array_arguments("weighin-0a", &devices, 256 << 10);
        let expected = "--create --quiet --run --level=0 --metadata=1.2 --chunk=256 --raid-devices=2 \
                        /dev/md/weighin-0a /dev/loop3 /dev/loop7";
        assert_eq!(arguments.join(" "), expected);
    }
}
