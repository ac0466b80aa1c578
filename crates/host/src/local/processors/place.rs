//! Where weighin may make control groups that limit processor time.

use crate::local::groups::{Hierarchy, group_of, lists, mounts};
use model::{Failure, FailureKind};
use std::fs;
use std::io;
use std::path::PathBuf;

/// The control group that weighin runs in itself: groups for its threads are made within it, so that
/// whatever limits weighin as a whole goes on to do so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Of version 1.
    First {
        /// In the hierarchy of the controller `cpu`, which keeps the limit.
        cpu: PathBuf,
        /// In that of `cpuacct`, which counts processor time; often the same.
        account: PathBuf,
    },
    /// Of version 2.
    Second(PathBuf),
}

/// What can always be done.
const LEAVE_OUT: &str = "leave `cpu_oversubscription` out";

impl Place {
    /// That of this process.
    ///
    /// # Errors
    /// `NotPermitted` with the reason why processor time can't be limited, and what would permit it.
    pub(super) fn of_this_process() -> Result<Self, Failure> {
        Self::find(&mounts(), &fs::read_to_string("/proc/self/cgroup").unwrap_or_default())
    }

    fn find(mountinfo: &str, cgroup: &str) -> Result<Self, Failure> {
        let first = |controller| {
            let found = Hierarchy::find(mountinfo, "cgroup", controller)?;
            let own = group_of(cgroup, controller)?;
            Some(found.directory(&own).ok_or_else(hidden))
        };
        if let Some(cpu) = first("cpu") {
            let account = first("cpuacct").ok_or_else(|| {
                refused(
                    "this machine’s control groups limit processor time and do not count it \
                     (cpuacct)",
                    LEAVE_OUT,
                )
            })?;
            return Ok(Self::First { cpu: cpu?, account: account? });
        }
        let second = Hierarchy::find(mountinfo, "cgroup2", "").zip(group_of(cgroup, ""));
        let Some((found, own)) = second else { return Err(none()) };
        let own = found.directory(&own).ok_or_else(hidden)?;
        if lists(&own.join("cgroup.controllers"), "cpu") {
            return Ok(Self::Second(own));
        }
        if !lists(&found.top.join("cgroup.controllers"), "cpu") {
            return Err(none());
        }
        Err(refused(
            &format!(
                "processor time cannot be limited in {}, the control group that weighin runs in: it \
                 does not have the controller cpu",
                own.display()
            ),
            &own_scope(),
        ))
    }

    /// What is said where a group could not be made or set up here.
    pub(super) fn refusal(&self, error: &io::Error) -> Failure {
        let (within, remedy) = match self {
            Self::First { cpu, .. } => {
                (cpu, format!("run weighin as root, outside of containers; or {LEAVE_OUT}"))
            }
            Self::Second(own) => (own, own_scope()),
        };
        let why = match (self, error.raw_os_error()) {
            // Quotas of version 1 must fit into that of the group around them.
            (Self::First { .. }, Some(libc::EINVAL)) => {
                "the group around it has a lower limit".to_owned()
            }
            // What keeps a group of version 2 from having threaded ones within it.
            (Self::Second(_), Some(libc::EOPNOTSUPP)) => {
                "it passes on controllers that count processes, such as memory, or has groups of \
                 processes within it, so that it cannot have a group of threads"
                    .to_owned()
            }
            _ => error.to_string(),
        };
        let message = format!(
            "no control group can be made in {} to limit the virtual machines to their processors: \
             {why}",
            within.display()
        );
        refused(&message, &remedy)
    }
}

/// How to get a group of one's own from systemd.
fn own_scope() -> String {
    let user = if crate::local::os::is_root() { "" } else { " --user" };
    format!(
        "run it in a group of its own: systemd-run{user} --scope -p Delegate=cpu weighin ...; or \
         {LEAVE_OUT}"
    )
}

fn none() -> Failure {
    refused("this machine has no control groups that limit processor time", LEAVE_OUT)
}

fn hidden() -> Failure {
    refused(
        "processor time cannot be limited here: this container does not show the control group that \
         weighin runs in",
        &format!("run weighin outside of containers, or {LEAVE_OUT}"),
    )
}

fn refused(message: &str, remedy: &str) -> Failure {
    Failure::new(FailureKind::NotPermitted, message, remedy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const FIRST: &str = "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                         33 31 0:30 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n\
                         41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

    fn refusal(mounts: &str, cgroup: &str) -> String {
        let failure = Place::find(mounts, cgroup).unwrap_err();
        assert_eq!(failure.kind, FailureKind::NotPermitted);
        assert!(failure.remedy.contains("leave `cpu_oversubscription` out"), "{failure:?}");
        format!("{}; {}", failure.message, failure.remedy)
    }

    #[test]
    fn version_1_is_taken_where_it_has_the_controller_together_or_apart() {
        let apart = Place::First {
            cpu: "/sys/fs/cgroup/cpu/a".into(),
            account: "/sys/fs/cgroup/cpuacct/".into(),
        };
        assert_eq!(Place::find(FIRST, "2:cpuacct:/\n1:cpu:/a\n0::/\n"), Ok(apart));
        let both = "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n";
        let one = Path::new("/sys/fs/cgroup/cpu,cpuacct/a");
        assert_eq!(
            Place::find(both, "4:cpu,cpuacct:/a\n0::/\n"),
            Ok(Place::First { cpu: one.into(), account: one.into() })
        );
        let uncounted = FIRST.replace("cpuacct", "cpuset");
        assert!(refusal(&uncounted, "2:cpuset:/\n1:cpu:/a\n").contains("do not count it"));
    }

    #[test]
    fn version_2_is_taken_where_the_own_group_has_the_controller() {
        let root = tempfile::tempdir().unwrap();
        let mounts = format!("36 25 0:31 / {} rw - cgroup2 cgroup2 rw\n", root.path().display());
        let cgroup = "0::/user.slice/a.scope\n";
        let own = root.path().join("user.slice/a.scope");
        fs::create_dir_all(&own).unwrap();
        let controllers = |at: &Path, text: &str| {
            fs::write(at.join("cgroup.controllers"), text).unwrap();
        };
        controllers(root.path(), "memory io\n");
        assert!(refusal(&mounts, cgroup).contains("no control groups that limit"));
        controllers(root.path(), "cpu memory io\n");
        controllers(&own, "memory\n");
        let said = refusal(&mounts, cgroup);
        assert!(said.contains("user.slice/a.scope") && said.contains("Delegate=cpu"), "{said}");
        controllers(&own, "cpu memory\n");
        assert_eq!(Place::find(&mounts, cgroup), Ok(Place::Second(own)));
    }

    #[test]
    fn an_error_number_is_explained_where_it_has_that_meaning() {
        let first = Place::First { cpu: "/cpu/a".into(), account: "/cpu/a".into() };
        let second = Place::Second("/unified/a".into());
        let said =
            |place: &Place, errno| place.refusal(&io::Error::from_raw_os_error(errno)).message;
        assert!(said(&first, libc::EINVAL).ends_with("the group around it has a lower limit"));
        // Version 2 lets limits stand within lower ones.
        assert!(said(&second, libc::EINVAL).contains("Invalid argument"));
        assert!(said(&second, libc::EOPNOTSUPP).contains("cannot have a group of threads"));
        assert!(said(&first, libc::EOPNOTSUPP).contains("not supported"));
    }

    #[test]
    fn without_groups_or_with_hidden_ones_it_says_so() {
        assert!(refusal("", "").contains("no control groups"));
        let part = FIRST.replace("/ /sys", "/docker/ab /sys");
        assert!(refusal(&part, "2:cpuacct:/\n1:cpu:/\n").contains("this container"));
    }
}
