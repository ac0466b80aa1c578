//! How many transactions make one IO of the server's disk, from what was sampled beside a trial.

use crate::Metric;
use crate::cell::CellData;
use crate::series::Series;
use model::{Dataset, DiskRates, Place, Target, TrialRecord};
use stats::Estimate;
use std::collections::BTreeMap;

/// Transactions ÷ IOs of the server's disk (reads and writes completed, what the queue merged
/// being one) in the measured phase, over the trials of a cell that count. `None` where the disk
/// of the server is not known, or did nothing.
pub(super) fn requests_per_io(
    dataset: &Dataset,
    target: &Target,
    cell: &CellData,
) -> Option<Estimate> {
    let disk = disk_of(dataset, target)?;
    let values: BTreeMap<u32, f64> = cell
        .usable_records()
        .filter_map(|(record, figures)| {
            let requests = figures.value(Metric::Throughput)? / ios_per_second(record, disk)?;
            requests.is_finite().then_some((record.key.repeat, requests))
        })
        .collect();
    Series::from_values(values, 0.0).estimate(dataset.study.confidence)
}

/// The device that a sandbox keeps its data on. Of a server that runs elsewhere, and of a sandbox
/// with a directory or a volume of its own, nothing is known.
fn disk_of<'a>(dataset: &'a Dataset, target: &Target) -> Option<&'a str> {
    let Place::Sandbox(spec) = &target.place else { return None };
    if spec.directory.is_some() || spec.volume.is_some() {
        return None;
    }
    let system = dataset.run.host.sandbox_filesystem.as_deref()?;
    let (_, device) = system.split_once(" on /dev/")?;
    device.split_whitespace().next()
}

/// The mean over the samples that lie within the measured phase.
fn ios_per_second(record: &TrialRecord, disk: &str) -> Option<f64> {
    let load = record.load()?;
    let start = load.warmup.elapsed.as_secs_f64();
    let end = start + load.measure.elapsed.as_secs_f64();
    let (mut ios, mut seconds) = (0.0, 0.0);
    for sample in &record.sampling.samples {
        let length = sample.length.as_secs_f64();
        let within = sample.at_seconds - length >= start && sample.at_seconds <= end;
        let Some(rates) = sample.disks.iter().find(|rates| holds(rates, disk)) else { continue };
        if within {
            ios += (rates.reads + rates.writes) * length;
            seconds += length;
        }
    }
    (ios > 0.0).then(|| ios / seconds)
}

/// Whether a whole disk is the device, or has it as a partition: `vda1` and `nvme0n1p2` are parts
/// of `vda` and `nvme0n1`.
fn holds(rates: &DiskRates, device: &str) -> bool {
    let partition = |rest: &str| {
        let number = rest.strip_prefix('p').unwrap_or(rest);
        rest.is_empty() || (!number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
    };
    device.strip_prefix(rates.device.as_str()).is_some_and(partition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_found_on_its_disk() {
        let disk = |name: &str| DiskRates { device: name.to_owned(), ..DiskRates::default() };
        for (name, device, found) in [
            ("vda", "vda", true),
            ("vda", "vda1", true),
            ("vda", "vdaa", false),
            ("nvme0n1", "nvme0n1p2", true),
            ("nvme0n1", "nvme0n1p", false),
            ("sdb", "sda1", false),
        ] {
            assert_eq!(holds(&disk(name), device), found, "{name} {device}");
        }
    }
}
