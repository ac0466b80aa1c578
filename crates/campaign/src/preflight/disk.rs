//! Room for the data of all private servers, which may share a disk.

use super::{Diagnostics, Examined};
use host::size_in_words;
use model::{Failure, FailureKind, Place};
use std::collections::BTreeMap;
use system::Hosts;

/// Sums up what the private servers of a study will take of each file system.
pub(super) fn check(targets: &[Examined], hosts: &Hosts, found: &mut Diagnostics) {
    let mut by_device: BTreeMap<(String, u64), (u64, u64, usize)> = BTreeMap::new();
    for examined in targets {
        let (Place::Sandbox(spec), Some(data)) = (&examined.target.place, &examined.data) else {
            continue;
        };
        let host = hosts.for_target(&examined.target).filter(|_| spec.volume.is_none());
        let Some((host, space)) = host.and_then(|host| {
            Some((host.name().to_owned(), host.space(spec.directory.as_deref())?))
        }) else {
            continue;
        };
        let device = (host, space.device);
        let (_, needed, servers) = by_device.entry(device).or_insert((space.free, 0, 0));
        let replicas = spec.replication.as_ref().map_or(0, |group| group.replicas);
        *needed = needed.saturating_add(data.bytes.saturating_mul(u64::from(replicas) + 1));
        *servers += replicas as usize + 1;
    }
    for ((host, _), (free, needed, servers)) in by_device {
        if free >= needed {
            continue;
        }
        let (free, needed) = (size_in_words(free), size_in_words(needed));
        let whose = match servers {
            1 => "its private server needs".to_owned(),
            _ => format!("{servers} private servers need"),
        };
        found.error(Failure::new(
            FailureKind::DiskFull,
            format!("the disk of private servers on {host} has {free} free, and the data that {whose} takes about {needed}"),
            "name a larger disk with `volume = \"/path\"` in the sandbox or WEIGHIN_SANDBOX_DIR, or \
             lower the size of the data",
        ));
    }
}
