//! Limits of a volume's devices, kept by the kernel's control groups (cgroups(7)).
//!
//! A limit belongs to a group and a device, and holds for what the group's processes do there. A
//! file system has the kernel's own threads do a part of it: they write the journal, and what was
//! not synced in time. So a group of the server alone would not do.
//!
//! In version 1 (blkio), these threads are in the first of all groups, which can be limited as any
//! other: the server is put there too, and the limit of that group for the volume's device holds
//! for all that happens to the device. In version 2 (io), the first group has no limits, and the
//! server has a group of its own; what the kernel writes late is counted to who wrote it, and the
//! thread that writes ext4's journal can be put into the group. The logs of XFS and btrfs are written
//! by threads that can't, so there they have no limits.

mod controller;
pub(super) mod journal;

pub(super) use controller::Controller;

use super::trouble;
use crate::local::groups::grouped_for_another;
use model::{BuiltVolume, Failure, IoLimits};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A group whose processes are limited.
#[derive(Debug)]
pub(super) struct Limits {
    group: PathBuf,
    /// Whether the group was made for this.
    is_own: bool,
    /// Files of the group, what is written there after a device's numbers to limit it, and what to
    /// lift the limit again.
    files: Vec<(PathBuf, String, String)>,
}

impl Limits {
    /// Makes the group of a sandbox, where one is needed; nothing is limited yet. What is to be
    /// undone is written down in the home first. `None` without limits.
    ///
    /// # Errors
    /// When the machine cannot keep the limits, or the group can't be made.
    pub(super) fn prepare(volume: &BuiltVolume, home: &Path) -> Result<Option<Self>, Failure> {
        if volume.limits.is_none() {
            return Ok(None);
        }
        let controller = Controller::of_this_host(volume.file_system)?;
        Self::in_controller(&controller, &volume.limits, home)
            .map(Some)
            .map_err(|error| trouble("a control group could not be made for its limits", &error))
    }

    fn in_controller(controller: &Controller, limits: &IoLimits, home: &Path) -> io::Result<Self> {
        let limits = match controller {
            Controller::First(root) => {
                Self { group: root.clone(), is_own: false, files: first(limits, root) }
            }
            Controller::Second(root) => {
                let group = root.join(home.file_name().unwrap_or_default());
                let files = vec![second(limits, &group)];
                Self { group, is_own: true, files }
            }
        };
        let lines =
            limits.files.iter().map(|(file, _, lift)| format!("{} {lift}\n", file.display()));
        fs::write(home.join("limits"), lines.collect::<String>())?;
        if limits.is_own {
            fs::write(home.join("group"), format!("{}\n", limits.group.display()))?;
            fs::create_dir(&limits.group)?;
        }
        Ok(limits)
    }

    /// Limits a device, given by its numbers.
    ///
    /// # Errors
    /// When the kernel takes none.
    pub(super) fn set(&self, device: &str) -> io::Result<()> {
        self.files
            .iter()
            .try_for_each(|(file, limit, _)| fs::write(file, format!("{device} {limit}")))
    }

    /// Lifts the limits of a device. What can't be lifted now is lifted when the volume goes.
    pub(super) fn lift(&self, device: &str) {
        for (file, _, lift) in &self.files {
            let _ = fs::write(file, format!("{device} {lift}"));
        }
    }

    /// The same command, run in the group from its beginning, whichever account it is then given to.
    /// Its input is empty.
    ///
    /// # Errors
    /// When the group can't be written to.
    pub(super) fn grouped(&self, command: &Command) -> io::Result<Command> {
        grouped_for_another(command, &self.processes())
    }

    /// The list of the group's processes; a number that is written to it is added.
    fn processes(&self) -> PathBuf {
        self.group.join("cgroup.procs")
    }
}

/// What version 1 takes: a file for each limit.
fn first(limits: &IoLimits, root: &Path) -> Vec<(PathBuf, String, String)> {
    let files = [
        ("read_iops", limits.read_iops),
        ("write_iops", limits.write_iops),
        ("read_bps", limits.read_bytes),
        ("write_bps", limits.write_bytes),
    ];
    files
        .into_iter()
        .filter_map(|(name, limit)| {
            let file = root.join(format!("blkio.throttle.{name}_device"));
            Some((file, limit?.to_string(), "0".to_owned()))
        })
        .collect()
}

/// What version 2 takes: one line with all of them.
fn second(limits: &IoLimits, group: &Path) -> (PathBuf, String, String) {
    let words = [
        ("riops", limits.read_iops),
        ("wiops", limits.write_iops),
        ("rbps", limits.read_bytes),
        ("wbps", limits.write_bytes),
    ];
    let set = words.iter().filter_map(|(name, limit)| Some(format!("{name}={}", (*limit)?)));
    let lift = words.iter().map(|(name, _)| format!("{name}=max"));
    let joined = |words: Vec<String>| words.join(" ");
    (group.join("io.max"), joined(set.collect()), joined(lift.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: IoLimits = IoLimits {
        read_iops: None,
        write_iops: Some(1000),
        read_bytes: None,
        write_bytes: Some(52_428_800),
    };

    fn read(path: &Path) -> String {
        fs::read_to_string(path).unwrap()
    }

    #[test]
    fn version_1_limits_the_first_group_and_says_how_to_lift_that() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let controller = Controller::First(root.path().to_owned());
        let limits = Limits::in_controller(&controller, &LIMITS, home.path()).unwrap();
        limits.set("7:3").unwrap();
        let iops = root.path().join("blkio.throttle.write_iops_device");
        let rate = root.path().join("blkio.throttle.write_bps_device");
        assert_eq!((read(&iops).as_str(), read(&rate).as_str()), ("7:3 1000", "7:3 52428800"));
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 2);
        let kept = format!("{} 0\n{} 0\n", iops.display(), rate.display());
        assert_eq!(read(&home.path().join("limits")), kept);
        limits.lift("7:3");
        assert_eq!(read(&iops), "7:3 0");
        assert!(!home.path().join("group").exists());
    }

    #[test]
    fn version_2_has_a_group_by_the_name_of_the_home() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let controller = Controller::Second(root.path().to_owned());
        let limits = Limits::in_controller(&controller, &LIMITS, home.path()).unwrap();
        let group = root.path().join(home.path().file_name().unwrap());
        limits.set("7:3").unwrap();
        assert_eq!(read(&group.join("io.max")), "7:3 wiops=1000 wbps=52428800");
        let lift = "riops=max wiops=max rbps=max wbps=max";
        let kept = format!("{}/io.max {lift}\n", group.display());
        assert_eq!(read(&home.path().join("limits")), kept);
        assert_eq!(read(&home.path().join("group")), format!("{}\n", group.display()));
    }
}
