//! What the kernel counts for the processes of a load, over the whole of it: bytes from storage,
//! limits of processor time, heat.

use super::group::{number, parse_throttling};
use crate::local::groups::{Hierarchy, group_of, mounts};
use crate::local::os::family;
use model::{HostAccount, ProcessorUse, Throttling};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// An account that was opened and is to be closed.
#[derive(Debug)]
pub struct OpenAccount {
    server_pid: Option<u32>,
    before: Moment,
}

/// Everything that is counted, as it is at a moment.
#[derive(Debug)]
struct Moment {
    server_read_bytes: Option<u64>,
    server_limits: Option<Limits>,
    client_limits: Option<Limits>,
    thermal_events: Option<u64>,
}

/// Throttling since it was made, by control group.
type Limits = BTreeMap<PathBuf, Throttling>;

impl OpenAccount {
    /// Opens an account of weighin and of the server process, where it runs on this host.
    pub fn open(server_pid: Option<u32>) -> Self {
        Self { server_pid, before: Moment::now(server_pid) }
    }

    /// What was counted since.
    pub fn close(self) -> HostAccount {
        let (before, after) = (self.before, Moment::now(self.server_pid));
        let grown = |before: Option<u64>, after: Option<u64>| {
            before.zip(after).map(|(before, after)| after.saturating_sub(before))
        };
        HostAccount {
            server_read_bytes: grown(before.server_read_bytes, after.server_read_bytes),
            server_throttling: tightest(before.server_limits, after.server_limits),
            client_throttling: tightest(before.client_limits, after.client_limits),
            thermal_events: grown(before.thermal_events, after.thermal_events),
            processor_use: ProcessorUse::default(),
        }
    }
}

impl Moment {
    fn now(server_pid: Option<u32>) -> Self {
        Self {
            server_read_bytes: server_pid.and_then(read_by_all),
            server_limits: server_pid.and_then(limits),
            client_limits: limits(std::process::id()),
            thermal_events: thermal_events(),
        }
    }
}

/// Of the groups that a process is in, one within the other, the one that was throttled most.
fn tightest(before: Option<Limits>, after: Option<Limits>) -> Option<Throttling> {
    let (before, after) = before.zip(after)?;
    let since = |(group, now): (PathBuf, Throttling)| {
        let then = before.get(&group).copied().unwrap_or_default();
        Throttling {
            periods: now.periods.saturating_sub(then.periods),
            throttled: now.throttled.saturating_sub(then.throttled),
        }
    };
    Some(after.into_iter().map(since).max_by_key(|limit| limit.throttled).unwrap_or_default())
}

/// The same of a server that is several processes: the kernel adds those that have ended to the first.
fn read_by_all(pid: u32) -> Option<u64> {
    let own = storage_bytes_read(pid)?;
    let others = family(pid).into_iter().skip(1).filter_map(storage_bytes_read);
    Some(others.fold(own, u64::saturating_add))
}

/// Bytes that a process has had read from storage, from `/proc/<pid>/io` (proc(5)).
fn storage_bytes_read(pid: u32) -> Option<u64> {
    number(&fs::read_to_string(format!("/proc/{pid}/io")).ok()?, "read_bytes:")
}

/// The limits of all groups that a process is in. `None` where that cannot be known.
fn limits(pid: u32) -> Option<Limits> {
    let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
    let mounts = mounts();
    let mut limits = Limits::new();
    // Of the controller of processor time, in the second version of control groups or the first.
    for (kind, controller) in [("cgroup2", ""), ("cgroup", "cpu")] {
        let Some(hierarchy) = Hierarchy::find(&mounts, kind, controller) else { continue };
        let group = group_of(&groups, controller).and_then(|group| hierarchy.directory(&group));
        let outer = group.iter().flat_map(|group| group.ancestors());
        for group in outer.take_while(|group| group.starts_with(&hierarchy.top)) {
            let text = fs::read_to_string(group.join("cpu.stat")).unwrap_or_default();
            limits.extend(parse_throttling(&text).map(|limit| (group.to_owned(), limit)));
        }
    }
    Some(limits)
}

/// How often the cores have lowered their frequency, all together; `None` where no processor
/// tells, as in most virtual machines.
fn thermal_events() -> Option<u64> {
    let processors = fs::read_dir("/sys/devices/system/cpu").ok()?.flatten();
    processors
        .filter_map(|processor| {
            let path = processor.path().join("thermal_throttle/core_throttle_count");
            fs::read_to_string(path).ok()?.trim().parse::<u64>().ok()
        })
        .reduce(u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(periods: u64, throttled: u64) -> Throttling {
        Throttling { periods, throttled }
    }

    #[test]
    fn the_group_that_was_throttled_most_since_counts() {
        let before = Limits::from([("/a".into(), limit(10, 9)), ("/a/b".into(), limit(10, 0))]);
        let after = Limits::from([("/a".into(), limit(20, 10)), ("/a/b".into(), limit(20, 5))]);
        assert_eq!(tightest(Some(before), Some(after)), Some(limit(10, 5)));
        assert_eq!(tightest(Some(Limits::new()), Some(Limits::new())), Some(limit(0, 0)));
        assert_eq!(tightest(None, Some(Limits::new())), None);
    }

    #[test]
    fn this_process_has_an_account() {
        let own = || OpenAccount::open(Some(std::process::id())).close();
        // Where its processor time is limited, a period may end between two looks at the same group.
        assert!((0..100).any(|_| {
            let account = own();
            account.server_throttling == account.client_throttling
        }));
        let account = own();
        assert!(account.server_throttling.is_some() && account.client_throttling.is_some());
        assert!(account.server_read_bytes.is_some());
        assert_eq!(OpenAccount::open(Some(u32::MAX)).close().server_read_bytes, None);
    }
}
