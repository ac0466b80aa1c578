//! What the disks did in a trial, drawn over time.

use crate::charts::svg::{Line, Panel};
use model::{DiskRates, Sample, TrialRecord, VolumeRates};
use std::collections::BTreeMap;

/// Bytes of an MB.
const MEGA: f64 = 1e6;

/// Panels that a volume has at most, by line.
pub(super) const LINES: usize = 9;

/// A line of a panel: its class in the stylesheet, and its figure.
type Trace = (&'static str, fn(&VolumeRates) -> Option<f64>);

/// A panel: its heading and its lines.
#[derive(Debug)]
struct Figure {
    heading: &'static str,
    lines: &'static [Trace],
}

/// Of volumes that are known.
const FIGURES: [Figure; 5] = [
    Figure {
        heading: "IOs/s",
        lines: &[
            ("read", |volume| Some(volume.together.reads)),
            ("write", |volume| Some(volume.together.writes)),
        ],
    },
    Figure {
        heading: "merged requests/s",
        lines: &[
            ("read", |volume| Some(volume.together.reads_merged)),
            ("write", |volume| Some(volume.together.writes_merged)),
        ],
    },
    Figure {
        heading: "MB/s",
        lines: &[
            ("read", |volume| Some(volume.together.read_bytes / MEGA)),
            ("write", |volume| Some(volume.together.written_bytes / MEGA)),
        ],
    },
    Figure {
        heading: "await, ms",
        lines: &[
            ("read", |volume| volume.together.read_await_ms),
            ("write", |volume| volume.together.write_await_ms),
        ],
    },
    Figure { heading: "aqu-sz", lines: &[("load", |volume| Some(volume.together.queue))] },
];

/// How busy disks were; with several the busiest as well.
const UTILISATION: [Trace; 2] = [
    ("busiest", |volume| Some(volume.busiest * 100.0)),
    ("load", |volume| Some(volume.together.utilisation * 100.0)),
];

/// What the disks of trials at one level have in common.
#[derive(Debug, Default)]
pub(super) struct DiskExtent {
    /// The largest value of each line of each figure.
    largest: Vec<Vec<f64>>,
    /// Of trials whose volume is not known: the device that was written to most in any of them,
    /// and how much. Not a sum: a volume and the disks below it would count twice.
    device: Option<String>,
    writes: f64,
}

impl DiskExtent {
    pub(super) fn for_records(records: &[&TrialRecord]) -> Self {
        let volumes: Vec<VolumeRates> = records
            .iter()
            .flat_map(|record| {
                let disks = record.sampling.target_disks();
                let samples = record.sampling.target_samples();
                let rates = samples.iter().map(|sample| VolumeRates::sampled(sample, &disks));
                rates.collect::<Vec<_>>()
            })
            .flatten()
            .collect();
        let of_line = |line: &Trace| volumes.iter().filter_map(line.1).fold(0.0, f64::max);
        let largest = |figure: &Figure| figure.lines.iter().map(of_line).collect();
        let unknown: Vec<_> = records
            .iter()
            .filter(|record| record.sampling.target_disks().is_empty())
            .map(|record| record.sampling.target_samples())
            .collect();
        let unknown = || unknown.iter().flat_map(|samples| samples.iter());
        let device = busiest(unknown());
        let writes = unknown().filter_map(|sample| writes(sample, device.as_deref()?));
        Self {
            largest: FIGURES.iter().map(largest).collect(),
            writes: writes.fold(0.0, f64::max),
            device,
        }
    }

    /// The panels of one trial.
    pub(super) fn panels(&self, record: &TrialRecord) -> Vec<Panel> {
        let (samples, names) = (record.sampling.target_samples(), record.sampling.target_disks());
        if names.is_empty() {
            return self.device.iter().map(|device| self.of_device(record, device)).collect();
        }
        let line = |trace: Trace| line(&samples, &names, trace);
        let disks = names.join(" + ");
        let drawn = |(figure, largest): (&Figure, &Vec<f64>)| {
            // What never happened is not drawn: where all is in memory nothing is ever read.
            let lines = figure.lines.iter().zip(largest).filter(|(_, largest)| **largest > 0.0);
            Panel {
                heading: format!("{}, {disks}", figure.heading),
                largest: largest.iter().copied().fold(0.0, f64::max),
                lines: lines.map(|(trace, _)| line(*trace)).collect(),
                heat: None,
            }
        };
        let mut panels: Vec<Panel> = FIGURES.iter().zip(&self.largest).map(drawn).collect();
        let several = names.len() > 1;
        let traces = if several { &UTILISATION[..] } else { &UTILISATION[1..] };
        panels.push(Panel {
            heading: format!("%util, {disks}"),
            largest: 100.0,
            lines: traces.iter().map(|trace| line(*trace)).collect(),
            heat: None,
        });
        panels
    }

    fn of_device(&self, record: &TrialRecord, device: &str) -> Panel {
        let samples = record.sampling.target_samples();
        let points = samples.iter();
        Panel {
            heading: format!("disk writes/s, {device}"),
            largest: self.writes,
            lines: vec![Line {
                class: "load",
                points: points.filter_map(|s| Some((middle(s), writes(s, device)?))).collect(),
            }],
            heat: None,
        }
    }
}

fn line(samples: &[Sample], disks: &[String], (class, figure): Trace) -> Line {
    let point = |sample: &Sample| {
        let rates = VolumeRates::sampled(sample, disks)?;
        Some((middle(sample), figure(&rates)?))
    };
    Line { class, points: samples.iter().filter_map(point).collect() }
}

/// The middle of the time that a sample covers, in seconds from the start of the load.
pub(super) fn middle(sample: &Sample) -> f64 {
    sample.at_seconds - sample.length.as_secs_f64() / 2.0
}

fn busiest<'a>(samples: impl Iterator<Item = &'a Sample>) -> Option<String> {
    let mut totals: BTreeMap<&str, f64> = BTreeMap::new();
    for disk in samples.flat_map(|sample| &sample.disks) {
        *totals.entry(&disk.device).or_default() += disk.writes;
    }
    let most = totals.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(most.0.to_owned())
}

fn writes(sample: &Sample, device: &str) -> Option<f64> {
    let disk = |disk: &&DiskRates| disk.device == device;
    sample.disks.iter().find(disk).map(|disk| disk.writes)
}
