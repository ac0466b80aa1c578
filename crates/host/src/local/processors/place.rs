//! Where weighin may make control groups that limit processor time.

use super::own_group::{OwnGroup, Purpose, of_this_process, refused};
use model::Failure;
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

const LIMITED: Purpose = Purpose {
    controller: "cpu",
    does: "limit processor time",
    cannot: "processor time cannot be limited",
    leave_out: "leave `cpu_oversubscription` out",
};
/// Of version 1, where another controller does that.
const COUNTED: Purpose = Purpose { controller: "cpuacct", ..LIMITED };

impl Place {
    /// That of this process.
    ///
    /// # Errors
    /// `NotPermitted` with the reason why processor time can't be limited, and what would permit it.
    pub(super) fn of_this_process() -> Result<Self, Failure> {
        let (mountinfo, cgroup) = of_this_process();
        Self::find(&mountinfo, &cgroup)
    }

    fn find(mountinfo: &str, cgroup: &str) -> Result<Self, Failure> {
        let cpu = match LIMITED.own_group(mountinfo, cgroup)? {
            OwnGroup::First(cpu) => cpu,
            OwnGroup::Second(own) => return Ok(Self::Second(own)),
        };
        match COUNTED.first(mountinfo, cgroup) {
            Some(account) => Ok(Self::First { cpu, account: account? }),
            None => Err(refused(
                "this machine’s control groups limit processor time and do not count it (cpuacct)",
                LIMITED.leave_out,
            )),
        }
    }

    /// What is said where a group could not be made or set up here.
    pub(super) fn refusal(&self, error: &io::Error) -> Failure {
        let (within, remedy) = match self {
            Self::First { cpu, .. } => (cpu, LIMITED.as_root()),
            Self::Second(own) => (own, LIMITED.own_scope()),
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

#[cfg(test)]
mod tests {
    use super::*;
    use model::FailureKind;
    use std::fs;
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
