//! The private parsers of this crate on any text, for the crate `fuzz` alone.

use super::disk::parse_diskstats;
use super::{CpuTimes, facts, group, mounts, process};
use std::path::Path;
use std::time::Duration;

/// Reads two texts as if the kernel showed them one after the other in each file that is sampled.
///
/// # Panics
/// Never, or there is something to fix.
pub fn read_kernel_text(earlier: &str, later: &str) {
    if let (Some(earlier), Some(later)) =
        (CpuTimes::parse(earlier, &[]), CpuTimes::parse(later, &[]))
    {
        let shares = later.shares_since(&earlier);
        assert!((0.0..=1.000_001).contains(&shares.busy()), "{shares:?}");
    }
    let before = parse_diskstats(earlier);
    for (device, now) in parse_diskstats(later) {
        if let Some(before) = before.get(&device) {
            let rates = now.rates_since(before, Duration::from_secs(1), &device);
            assert!((0.0..=1.0).contains(&rates.utilisation), "{rates:?}");
        }
    }
    let _ = mounts::mount_of(later, Path::new("/srv/data"));
    let _ = group::parse(later, Some(earlier));
    let _ = group::parse(later, None);
    process::read_texts(later);
    facts::read_texts(later);
}
