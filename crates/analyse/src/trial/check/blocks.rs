//! Check 2 of loads on storage: what the block devices under the volumes counted.

use super::CheckResult;
use findings::{DeviceBytes, Validity};
use model::{LoadResult, Sampling};

/// Share of the bytes by which devices may have moved less. Reads and writes past the caches all
/// reach the device, whatever it merges and splits; a file system that compresses moves less.
const FEWER: f64 = 0.01;
/// Share by which they may have moved more without a word: metadata and journals.
const MORE: f64 = 0.01;

/// Compares the bytes that devices moved over the whole load with those of its reads and writes.
/// Bytes and not requests, because devices merge and split these. `None` where nothing is known of
/// the devices.
///
/// More bytes than weighin's own are others': they share the devices, which is said and is no
/// contradiction. Fewer mean that the figures are not of these devices.
pub(super) fn results(sampling: &Sampling, load: &LoadResult) -> Option<Vec<CheckResult>> {
    let (before, after) = (sampling.before.as_ref()?, sampling.after.as_ref()?);
    let moved = |name: &str| {
        let (from, to) = before.counters.get(name).zip(after.counters.get(name))?;
        u64::try_from(to.checked_sub(*from)?).ok()
    };
    let own = load.requests.moved;
    let mut results = Vec::new();
    for (name, writes, weighin) in
        [("device_read_bytes", false, own.read), ("device_written_bytes", true, own.written)]
    {
        if weighin == 0 {
            continue;
        }
        let device = moved(name)?;
        let ratio = device as f64 / weighin as f64;
        let validity = if ratio < 1.0 - FEWER {
            Validity::Suspect
        } else if ratio > 1.0 + MORE {
            Validity::Valid
        } else {
            continue;
        };
        let evidence = DeviceBytes { writes, device, weighin };
        results.push(CheckResult::new(validity, evidence));
    }
    Some(results)
}
