//! What the disks did that a server's data stands on: iostat's figures in the measured phase, and
//! how many requests one IO served.

mod cell;

pub use cell::{CellVolume, DiskEstimates};
pub(crate) use cell::{of_cell, operations_per_io};

use model::{DiskRates, LoadResult, Sample, TrialRecord, VolumeRates, Window};

/// Share of the measured phase that must have been sampled, so that its figures are those of the
/// phase.
const SAMPLED: f64 = 0.5;

/// The disks under a server while a trial measured.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialVolume {
    /// Each disk, over the whole measured phase; at least one.
    pub devices: Vec<DiskRates>,
    /// All of them together.
    pub volume: VolumeRates,
    /// How long was measured, in seconds.
    pub seconds: f64,
    /// Operations (transactions) that succeeded per second.
    throughput: f64,
}

impl TrialVolume {
    /// What was sampled in the measured phase, every sample weighted with the part of it that lies
    /// within. `None` where it is not known on which disks the data is, or they were not sampled
    /// for half of the phase.
    pub fn from_record(record: &TrialRecord) -> Option<Self> {
        let load = record.load()?;
        let (samples, disks) = (record.sampling.target_samples(), record.sampling.target_disks());
        let devices = disks.iter().map(|device| mean(&samples, load, device));
        let devices: Vec<DiskRates> = devices.collect::<Option<_>>()?;
        let volume = VolumeRates::from_disks(&devices.iter().collect::<Vec<_>>())?;
        Some(Self {
            devices,
            volume,
            seconds: load.measure.elapsed.as_secs_f64(),
            throughput: load.measure.transactions_per_second(),
        })
    }

    /// Operations for each IO of the disks, throughput ÷ (reads + writes completed per second), so
    /// that what the queue merged is one IO. `None` without IOs.
    pub fn operations_per_io(&self) -> Option<f64> {
        let ios = self.volume.together.ios();
        (ios > 0.0).then(|| self.throughput / ios)
    }
}

/// What a disk did in the measured phase.
fn mean(samples: &[Sample], load: &LoadResult, device: &str) -> Option<DiskRates> {
    let window = Window::for_load(load);
    let mut parts: Vec<(&DiskRates, f64)> = samples
        .iter()
        .filter_map(|sample| {
            let disk = sample.disks.iter().find(|disk| disk.device == device)?;
            Some((disk, window.overlap(sample)?))
        })
        .collect();
    let sampled: f64 = parts.iter().map(|(_, seconds)| seconds).sum();
    parts.iter_mut().for_each(|(_, weight)| *weight /= sampled);
    let enough = sampled > 0.0 && sampled >= SAMPLED * load.measure.elapsed.as_secs_f64();
    enough.then(|| DiskRates::combined(device, parts))
}
