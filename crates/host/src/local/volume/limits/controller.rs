//! Which of the kernel's controllers can limit IO here.

use crate::local::groups::{Hierarchy, lists, mounts};
use model::{Failure, FailureKind, FileSystem};
use std::path::PathBuf;

/// A controller that can keep limits, with the directory of its first group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::local::volume) enum Controller {
    /// `blkio` of version 1.
    First(PathBuf),
    /// `io` of version 2.
    Second(PathBuf),
}

impl Controller {
    /// That of this host.
    ///
    /// # Errors
    /// `NotPermitted` with the reason why limits of a volume with that file system can't be kept.
    pub(in crate::local::volume) fn of_this_host(system: FileSystem) -> Result<Self, Failure> {
        Self::find(&mounts(), system)
    }

    fn find(mountinfo: &str, system: FileSystem) -> Result<Self, Failure> {
        let mounted =
            |kind, option| Hierarchy::find(mountinfo, kind, option).map(|found| found.top);
        if let Some(root) = mounted("cgroup", "blkio") {
            return first(root);
        }
        match mounted("cgroup2", "") {
            Some(root) if lists(&root.join("cgroup.controllers"), "io") => second(root, system),
            _ => Err(refused(
                "this machine has no control groups that limit IO: neither the controller blkio of \
                 version 1 nor io of version 2 is there",
                LEAVE_OUT,
            )),
        }
    }
}

const LEAVE_OUT: &str = "leave the limits of the volume out";

fn first(root: PathBuf) -> Result<Controller, Failure> {
    // Only the very first group has this file; a container sees another as its first.
    if !root.join("release_agent").exists() {
        return Err(refused(
            "the limits of a volume hold only where the kernel's own threads can be limited too, \
             and this container does not show their control group",
            &format!("run weighin outside of containers, or {LEAVE_OUT}"),
        ));
    }
    if !root.join("blkio.throttle.write_iops_device").exists() {
        return Err(refused(
            "this machine's kernel has control groups for IO, but no limits (blkio.throttle)",
            LEAVE_OUT,
        ));
    }
    Ok(Controller::First(root))
}

fn second(root: PathBuf, system: FileSystem) -> Result<Controller, Failure> {
    if system != FileSystem::Ext4 {
        return Err(refused(
            &format!(
                "on this machine limits do not hold for {}: the kernel writes its log, and control \
                 groups of version 2 do not limit that",
                system.name()
            ),
            &format!("take file_system = \"ext4\", or {LEAVE_OUT}"),
        ));
    }
    // With the controller of memory the kernel knows whose pages it writes late.
    let passed_on = root.join("cgroup.subtree_control");
    if !lists(&passed_on, "io") || !lists(&passed_on, "memory") {
        return Err(refused(
            &format!("the controllers io and memory are not passed on by {}", passed_on.display()),
            &format!(
                "as root: echo '+io +memory' > {}; in a container run weighin outside of it; or \
                 {LEAVE_OUT}",
                passed_on.display()
            ),
        ));
    }
    Ok(Controller::Second(root))
}

fn refused(message: &str, remedy: &str) -> Failure {
    Failure::new(FailureKind::NotPermitted, message, remedy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A directory with files, and the line that says it is mounted.
    fn mounted(kind: &str, options: &str, files: &[(&str, &str)]) -> (tempfile::TempDir, String) {
        let root = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, text)| fs::write(root.path().join(name), text).unwrap());
        let line = format!("36 25 0:31 / {} rw - {kind} {kind} {options}\n", root.path().display());
        (root, line)
    }

    fn refusal(mounts: &str, system: FileSystem) -> String {
        let failure = Controller::find(mounts, system).unwrap_err();
        assert_eq!(failure.kind, FailureKind::NotPermitted);
        assert!(!failure.remedy.is_empty());
        failure.message
    }

    #[test]
    fn version_1_is_taken_where_it_limits_the_kernels_threads() {
        let files = [("release_agent", ""), ("blkio.throttle.write_iops_device", "")];
        let (root, line) = mounted("cgroup", "rw,blkio", &files);
        let both = format!("36 25 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n{line}");
        for system in FileSystem::ALL {
            assert_eq!(Controller::find(&both, system), Ok(Controller::First(root.path().into())));
        }
        fs::remove_file(root.path().join("blkio.throttle.write_iops_device")).unwrap();
        assert!(refusal(&line, FileSystem::Ext4).contains("blkio.throttle"));
        fs::remove_file(root.path().join("release_agent")).unwrap();
        assert!(refusal(&line, FileSystem::Ext4).contains("container"));
    }

    #[test]
    fn version_2_is_taken_for_ext4_where_the_controllers_are_passed_on() {
        let files = [("cgroup.controllers", "cpu io memory"), ("cgroup.subtree_control", "cpu io")];
        let (root, line) = mounted("cgroup2", "rw", &files);
        assert!(refusal(&line, FileSystem::Xfs).contains("xfs"));
        assert!(refusal(&line, FileSystem::Ext4).contains("subtree_control"));
        fs::write(root.path().join("cgroup.subtree_control"), "cpu io memory\n").unwrap();
        let found = Controller::find(&line, FileSystem::Ext4);
        assert_eq!(found, Ok(Controller::Second(root.path().into())));
    }

    #[test]
    fn a_machine_without_controllers_says_so() {
        let (_root, line) = mounted("cgroup2", "rw", &[("cgroup.controllers", "cpu memory")]);
        for mounts in ["", line.as_str(), "36 25 0:31 / /x rw - cgroup cgroup rw,cpu\n"] {
            assert!(refusal(mounts, FileSystem::Ext4).contains("no control groups"));
        }
    }
}
