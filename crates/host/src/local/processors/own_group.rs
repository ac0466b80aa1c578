//! The control group that weighin runs in, within which others are made, so that whatever limits weighin as
//! a whole goes on to do so.

use crate::local::groups::{Hierarchy, group_of, lists, mounts};
use crate::local::os;
use model::{Failure, FailureKind};
use std::fs;
use std::path::PathBuf;

/// The directory of a group, by the version of its hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OwnGroup {
    First(PathBuf),
    Second(PathBuf),
}

/// What groups are made for.
pub(super) struct Purpose {
    /// Which controller they need.
    pub(super) controller: &'static str,
    /// What such groups do.
    pub(super) does: &'static str,
    /// What cannot be done without.
    pub(super) cannot: &'static str,
    /// What can always be done instead.
    pub(super) leave_out: &'static str,
}

/// The mounts that this process sees, and the groups that it is in.
pub(super) fn of_this_process() -> (String, String) {
    (mounts(), fs::read_to_string("/proc/self/cgroup").unwrap_or_default())
}

impl Purpose {
    /// The group where others can be made for this, given what [`of_this_process`] reads.
    ///
    /// # Errors
    /// `NotPermitted` with the reason why they cannot, and what would permit it.
    pub(super) fn own_group(&self, mountinfo: &str, cgroup: &str) -> Result<OwnGroup, Failure> {
        if let Some(first) = self.first(mountinfo, cgroup) {
            return first.map(OwnGroup::First);
        }
        let second = Hierarchy::find(mountinfo, "cgroup2", "").zip(group_of(cgroup, ""));
        let Some((found, own)) = second else { return Err(self.missing()) };
        let own = found.directory(&own).ok_or_else(|| self.hidden())?;
        let Self { controller, cannot, .. } = self;
        if lists(&own.join("cgroup.controllers"), controller) {
            return Ok(OwnGroup::Second(own));
        }
        if !lists(&found.top.join("cgroup.controllers"), controller) {
            return Err(self.missing());
        }
        let message = format!(
            "{cannot} in {}, the control group that weighin runs in: it does not have the controller \
             {controller}",
            own.display()
        );
        Err(refused(&message, &self.own_scope()))
    }

    /// That of version 1, where that has the controller.
    pub(super) fn first(&self, mountinfo: &str, cgroup: &str) -> Option<Result<PathBuf, Failure>> {
        let found = Hierarchy::find(mountinfo, "cgroup", self.controller)?;
        let own = group_of(cgroup, self.controller)?;
        Some(found.directory(&own).ok_or_else(|| self.hidden()))
    }

    /// How to get a group of one's own from systemd.
    pub(super) fn own_scope(&self) -> String {
        let user = if os::is_root() { "" } else { " --user" };
        let Self { controller, leave_out, .. } = self;
        format!(
            "run it in a group of its own: systemd-run{user} --scope -p Delegate={controller} weighin \
             ...; or {leave_out}"
        )
    }

    /// What would permit it where version 1 does not.
    pub(super) fn as_root(&self) -> String {
        format!("run weighin as root, outside of containers; or {}", self.leave_out)
    }

    fn missing(&self) -> Failure {
        let message = format!("this machine has no control groups that {}", self.does);
        refused(&message, self.leave_out)
    }

    fn hidden(&self) -> Failure {
        let message = format!(
            "{} here: this container does not show the control group that weighin runs in",
            self.cannot
        );
        refused(&message, &format!("run weighin outside of containers, or {}", self.leave_out))
    }
}

pub(super) fn refused(message: &str, remedy: &str) -> Failure {
    Failure::new(FailureKind::NotPermitted, message, remedy)
}
