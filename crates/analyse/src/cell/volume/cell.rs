//! The disks under a server over the repeats of a cell.

use super::TrialVolume;
use crate::cell::CellData;
use crate::cell::series::Series;
use model::{DiskRates, TrialRecord};
use serde::Serialize;
use stats::Estimate;
use std::collections::BTreeMap;

/// The disks that a server's data stands on, over the trials of a cell that are not void.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellVolume {
    /// All of them together: rates and queues added up, times of requests averaged over all
    /// requests, utilisation the mean.
    pub together: DiskEstimates,
    /// Utilisation of the one that had work most of the time, 0 to 1.
    pub busiest: Option<Estimate>,
    /// Operations (transactions) for each IO completed, see [`TrialVolume::operations_per_io`].
    pub operations_per_io: Option<Estimate>,
    /// Each of them.
    pub devices: Vec<DiskEstimates>,
}

/// The figures of `iostat -x` over the repeats. What a device did not do in each of them has no time
/// and no size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiskEstimates {
    /// Kernel name; several, with commas, where they are taken together.
    pub device: String,
    /// `r/s`: reads completed per second.
    pub reads: Option<Estimate>,
    /// `w/s`: writes completed per second.
    pub writes: Option<Estimate>,
    /// `rkB/s`, in bytes per second.
    pub read_bytes: Option<Estimate>,
    /// `wkB/s`, in bytes per second.
    pub written_bytes: Option<Estimate>,
    /// `rrqm/s`: reads merged into others per second.
    pub reads_merged: Option<Estimate>,
    /// `wrqm/s`: writes merged into others per second.
    pub writes_merged: Option<Estimate>,
    /// `%rrqm`, as a share from 0 to 1.
    pub reads_merged_share: Option<Estimate>,
    /// `%wrqm`, as a share from 0 to 1.
    pub writes_merged_share: Option<Estimate>,
    /// `r_await`: milliseconds that a read took.
    pub read_await_ms: Option<Estimate>,
    /// `w_await`: milliseconds that a write took.
    pub write_await_ms: Option<Estimate>,
    /// `rareq-sz`, in bytes.
    pub read_size_bytes: Option<Estimate>,
    /// `wareq-sz`, in bytes.
    pub write_size_bytes: Option<Estimate>,
    /// `f/s`: flushes completed per second.
    pub flushes: Option<Estimate>,
    /// `f_await`: milliseconds that a flush took.
    pub flush_await_ms: Option<Estimate>,
    /// `d/s`: discards completed per second.
    pub discards: Option<Estimate>,
    /// `dkB/s`, in bytes per second.
    pub discarded_bytes: Option<Estimate>,
    /// `drqm/s`: discards merged into others per second.
    pub discards_merged: Option<Estimate>,
    /// `d_await`: milliseconds that a discard took.
    pub discard_await_ms: Option<Estimate>,
    /// `aqu-sz`: requests in the queue or on the device.
    pub queue: Option<Estimate>,
    /// `%util`, as a share from 0 to 1.
    pub utilisation: Option<Estimate>,
    /// Requests that an IO was merged from: (IOs + merged) ÷ IOs, at least 1.
    pub merge_factor: Option<Estimate>,
}

/// A disk, or several together, by repeat, and how long was measured, in seconds.
type Repeats<'a> = BTreeMap<u32, (&'a DiskRates, f64)>;

/// The disks of a cell; `None` where those of no trial are known.
pub(crate) fn of_cell(cell: &CellData, confidence: f64) -> Option<CellVolume> {
    let trials = trials(cell);
    if trials.is_empty() {
        return None;
    }
    let mut names: Vec<&str> = Vec::new();
    for device in trials.values().flat_map(|trial| &trial.devices) {
        if !names.contains(&device.device.as_str()) {
            names.push(&device.device);
        }
    }
    let together = repeats(&trials, |trial| Some(&trial.volume.together));
    let busiest = trials.iter().map(|(&repeat, trial)| (repeat, trial.volume.busiest)).collect();
    Some(CellVolume {
        together: estimates(&names.join(", "), &together, confidence),
        busiest: Series::from_values(busiest, 0.0).estimate(confidence),
        operations_per_io: per_io(&trials, confidence),
        devices: names
            .iter()
            .map(|name| {
                let found =
                    repeats(&trials, |trial| trial.devices.iter().find(|d| d.device == *name));
                estimates(name, &found, confidence)
            })
            .collect(),
    })
}

/// What a disk did in each trial that has it.
fn repeats<'a>(
    trials: &'a BTreeMap<u32, TrialVolume>,
    disk: impl Fn(&'a TrialVolume) -> Option<&'a DiskRates>,
) -> Repeats<'a> {
    let one =
        |(&repeat, trial): (&u32, &'a TrialVolume)| Some((repeat, (disk(trial)?, trial.seconds)));
    trials.iter().filter_map(one).collect()
}

/// How many operations one IO of the disks served, over the trials of a cell that count. `None`
/// where the disks are not known, or did nothing.
pub(crate) fn operations_per_io(cell: &CellData, confidence: f64) -> Option<Estimate> {
    per_io(&trials(cell), confidence)
}

fn per_io(trials: &BTreeMap<u32, TrialVolume>, confidence: f64) -> Option<Estimate> {
    let values = trials.iter().filter_map(|(&repeat, t)| Some((repeat, t.operations_per_io()?)));
    let fewest = trials.values().map(|t| t.volume.together.ios() * t.seconds);
    let fewest = fewest.filter(|ios| *ios > 0.0).fold(f64::INFINITY, f64::min);
    // One IO more or less may have fallen within the phase.
    Series::from_values(values.collect(), 1.0 / fewest).estimate(confidence)
}

/// What the trials of a cell that count say of their disks, by repeat.
fn trials(cell: &CellData) -> BTreeMap<u32, TrialVolume> {
    let known = |record: &TrialRecord| Some((record.key.repeat, TrialVolume::from_record(record)?));
    cell.usable_records().filter_map(|(record, _)| known(record)).collect()
}

fn estimates(device: &str, repeats: &Repeats<'_>, confidence: f64) -> DiskEstimates {
    let estimate = |figure: &dyn Fn(&DiskRates) -> Option<f64>, rounding: f64| {
        let one = |(&repeat, (disk, _)): (&u32, &(&DiskRates, f64))| Some((repeat, figure(disk)?));
        let values: BTreeMap<u32, f64> = repeats.iter().filter_map(one).collect();
        // A disk that was hardly read from has a time of reads in some repeats only: chance.
        let everywhere = values.len() == repeats.len();
        Series::from_values(values, rounding).estimate(confidence).filter(|_| everywhere)
    };
    // What cannot be beyond a bound is not said to be.
    let share = |estimate: Option<Estimate>| estimate.map(|share| share.map(|s| s.min(1.0)));
    let at_least_one = |estimate: Option<Estimate>| estimate.map(|one| one.map(|n| n.max(1.0)));
    let mean = |figure: fn(&DiskRates) -> Option<f64>| estimate(&figure, 0.0);
    let rate = |figure: fn(&DiskRates) -> f64| estimate(&|disk| Some(figure(disk)), 0.0);
    // Events that were counted: one more or less may have fallen within the phase.
    let events = |figure: fn(&DiskRates) -> f64| {
        let counts = repeats.values().map(|(disk, seconds)| figure(disk) * seconds);
        let fewest = counts.filter(|count| *count > 0.0).fold(f64::INFINITY, f64::min);
        estimate(&|disk| Some(figure(disk)), 1.0 / fewest)
    };
    DiskEstimates {
        device: device.to_owned(),
        reads: events(|disk| disk.reads),
        writes: events(|disk| disk.writes),
        read_bytes: rate(|disk| disk.read_bytes),
        written_bytes: rate(|disk| disk.written_bytes),
        reads_merged: events(|disk| disk.reads_merged),
        writes_merged: events(|disk| disk.writes_merged),
        reads_merged_share: share(mean(DiskRates::reads_merged_share)),
        writes_merged_share: share(mean(DiskRates::writes_merged_share)),
        read_await_ms: mean(|disk| disk.read_await_ms),
        write_await_ms: mean(|disk| disk.write_await_ms),
        read_size_bytes: mean(DiskRates::read_size),
        write_size_bytes: mean(DiskRates::write_size),
        flushes: events(|disk| disk.flushes),
        flush_await_ms: mean(|disk| disk.flush_await_ms),
        discards: events(|disk| disk.discards),
        discarded_bytes: rate(|disk| disk.discarded_bytes),
        discards_merged: events(|disk| disk.discards_merged),
        discard_await_ms: mean(|disk| disk.discard_await_ms),
        queue: rate(|disk| disk.queue),
        utilisation: share(rate(|disk| disk.utilisation)),
        merge_factor: at_least_one(mean(DiskRates::merge_factor)),
    }
}
