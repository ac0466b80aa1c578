//! What the block devices under volumes count.

use host::{DiskCounters, Host};
use model::ServerCounters;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of the sectors that the kernel counts in.
const SECTOR: u64 = 512;

/// The counters of several machines together; `None` without one.
pub(super) fn sum(all: Vec<ServerCounters>) -> Option<ServerCounters> {
    let mut named: BTreeMap<String, i64> = BTreeMap::new();
    for (name, count) in all.iter().flat_map(ServerCounters::iter) {
        let sum = named.entry(name.to_owned()).or_default();
        *sum = sum.saturating_add(count);
    }
    (!all.is_empty()).then(|| named.into())
}

/// The counters of these devices together, since boot; `None` where there are none.
pub(super) fn counters(host: &dyn Host, devices: &BTreeSet<String>) -> Option<ServerCounters> {
    if devices.is_empty() {
        return None;
    }
    let disks = host.disk_counters();
    // A machine that does not answer, or does not tell.
    if disks.is_empty() {
        return None;
    }
    // A device that did nothing since boot is left out of readings.
    let counted: Vec<&DiskCounters> =
        devices.iter().filter_map(|device| disks.get(device)).collect();
    let sum = |of: fn(&DiskCounters) -> u64| counted.iter().map(|counters| of(counters)).sum();
    let named: [(&str, u64); 7] = [
        ("device_reads", sum(|c| c.reads)),
        ("device_reads_merged", sum(|c| c.reads_merged)),
        ("device_read_bytes", sum(|c| c.sectors_read.saturating_mul(SECTOR))),
        ("device_writes", sum(|c| c.writes)),
        ("device_writes_merged", sum(|c| c.writes_merged)),
        ("device_written_bytes", sum(|c| c.sectors_written.saturating_mul(SECTOR))),
        ("device_flushes", sum(|c| c.flushes)),
    ];
    let signed = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    Some(named.into_iter().map(|(name, count)| (name.to_owned(), signed(count))).collect())
}
