//! Cumulative readings of the host, and the rates between two of them.

use super::cpu::CpuTimes;
use super::disk::parse_diskstats;
use crate::local::processors::Holding;
use crate::question::DiskCounters;
use model::{CpuShares, DiskRates};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;
use std::time::Instant;

/// Reads the host's counters.
#[derive(Debug, Default)]
pub struct HostReader {
    /// Of which alone the figures of processors are; `None` for all.
    processors: Option<Arc<Holding>>,
    whole: BTreeSet<String>,
}

/// The host's counters since boot, at a moment.
#[derive(Clone, Debug)]
pub struct HostReading {
    /// When they were read.
    pub taken_at: Instant,
    /// Processor time; absent where `/proc/stat` can't be read.
    pub cpu: Option<CpuTimes>,
    /// How often the processors turned to another thread since boot; absent where it can't be read.
    pub context_switches: Option<u64>,
    /// Whole devices (no partitions) that did anything since boot, by kernel name.
    pub disks: BTreeMap<String, DiskCounters>,
}

impl HostReader {
    /// A reader of this host.
    pub fn new() -> Self {
        Self::default()
    }

    /// One whose figures of processors are of these alone, where some are given. How often they turned to
    /// another thread is not known of some.
    pub fn of_processors(processors: Option<Arc<Holding>>) -> Self {
        Self { processors, ..Self::default() }
    }

    /// Reads all counters now. What can't be read is absent.
    pub fn read(&mut self) -> HostReading {
        let taken_at = Instant::now();
        let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
        let (cpu, switches) = match &self.processors {
            Some(own) => (own.cpu_times(), None),
            None => (CpuTimes::parse(&stat, &[]), context_switches(&stat)),
        };
        let mut disks = parse_diskstats(&fs::read_to_string("/proc/diskstats").unwrap_or_default());
        disks.retain(|name, counters| !counters.idle_since_boot() && self.is_whole(name));
        HostReading { taken_at, cpu, context_switches: switches, disks }
    }

    /// Whether a device is a whole one. A partition's IO is in its disk's figures already.
    fn is_whole(&mut self, name: &str) -> bool {
        if self.whole.contains(name) {
            return true;
        }
        // Names with a slash, such as cciss/c0d0, are written with an exclamation mark in sysfs.
        let sysfs = format!("/sys/class/block/{}", name.replace('/', "!"));
        if fs::exists(format!("{sysfs}/partition")).unwrap_or(false) {
            return false;
        }
        self.whole.insert(name.to_owned());
        true
    }
}

/// What `/proc/stat` says of context switches.
fn context_switches(stat: &str) -> Option<u64> {
    stat.lines().find_map(|line| line.strip_prefix("ctxt "))?.trim().parse().ok()
}

impl HostReading {
    /// How often the processors turned to another thread between two readings, per second.
    pub fn switches_since(&self, earlier: &Self) -> Option<f64> {
        let switches = self.context_switches?.checked_sub(earlier.context_switches?)?;
        let elapsed = self.taken_at.saturating_duration_since(earlier.taken_at).as_secs_f64();
        (elapsed > 0.0).then(|| switches as f64 / elapsed)
    }
}

/// What the processors and the disks did between two readings, the figures of `iostat -x`.
///
/// A disk that one of the readings lacks is left out: a device that appeared has counters from an
/// unknown moment on. Processor shares are all zero where they couldn't be read.
pub fn rates(earlier: &HostReading, later: &HostReading) -> (CpuShares, Vec<DiskRates>) {
    let cpu = match (&earlier.cpu, &later.cpu) {
        (Some(earlier), Some(later)) => later.shares_since(earlier),
        _ => CpuShares::default(),
    };
    let elapsed = later.taken_at.saturating_duration_since(earlier.taken_at);
    let disks = later
        .disks
        .iter()
        .filter_map(|(name, now)| Some(now.rates_since(earlier.disks.get(name)?, elapsed, name)))
        .collect();
    (cpu, disks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn reading(taken_at: Instant, disks: &str) -> HostReading {
        HostReading { taken_at, cpu: None, context_switches: None, disks: parse_diskstats(disks) }
    }

    #[test]
    fn disks_that_appear_or_vanish_are_left_out() {
        let start = Instant::now();
        let earlier =
            reading(start, "8 0 sda 10 0 0 0 10 0 0 0 0 0 0\n8 16 sdb 1 0 0 0 1 0 0 0 0 0 0");
        let later = reading(
            start + Duration::from_secs(2),
            "8 0 sda 30 0 0 0 10 0 0 0 0 0 0\n8 32 sdc 99 0 0 0 1 0 0 0 0 0 0",
        );
        let (cpu, disks) = rates(&earlier, &later);
        assert_eq!(cpu, CpuShares::default());
        assert_eq!(disks.len(), 1);
        assert_eq!((disks[0].device.as_str(), disks[0].reads), ("sda", 10.0));
    }

    #[test]
    fn this_host_can_be_read() {
        let reading = HostReader::new().read();
        let cpu = reading.cpu.expect("every Linux host has /proc/stat");
        assert!(cpu.user + cpu.system + cpu.idle > 0);
        for name in reading.disks.keys() {
            assert!(!fs::exists(format!("/sys/class/block/{name}/partition")).unwrap(), "{name}");
        }
    }
}
