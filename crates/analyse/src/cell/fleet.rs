//! What fleets of virtual machines did on volumes: by volume, by virtual machine and by data.

use crate::cell::CellData;
use crate::cell::series::Series;
use findings::{Finding, Subject, VmProcessors};
use model::{
    Fleet, FleetProcessors, IoFigures, Level, LoadResult, Place, RemoteHost, Storage, Study, Test,
};
use serde::Serialize;
use stats::{Estimate, Sample};
use std::collections::BTreeMap;

/// What the trials of one target at one level of a test on storage say of its volumes.
#[derive(Clone, Debug, Serialize)]
pub struct FleetCell {
    pub target: String,
    pub level: Level,
    /// By volume, in the order of the study; of several machines that of the first on each, then the
    /// second on each, and so on.
    pub volumes: Vec<VolumeFigures>,
    /// By machine, where there are several with volumes, in the order of the study.
    pub hosts: Vec<HostFigures>,
    pub vms: VmFigures,
    /// The processors that they shared, where they were limited to some.
    pub processors: Option<VmProcessors>,
    /// Reads and writes per second for each GB (10⁹ bytes) of data of the virtual machines.
    pub ios_per_gb: Option<Estimate>,
}

/// One volume.
#[derive(Clone, Debug, Serialize)]
pub struct VolumeFigures {
    /// Virtual machines on it.
    pub vms: u32,
    /// Reads and writes per second.
    pub ios: Option<Estimate>,
    /// Bytes per second, in both directions together.
    pub bytes: Option<Estimate>,
    /// Mean latency of reads in milliseconds.
    pub read_mean_ms: Option<Estimate>,
    /// Their 99th percentile.
    pub read_p99_ms: Option<Estimate>,
    /// Mean latency of writes in milliseconds.
    pub write_mean_ms: Option<Estimate>,
    /// Their 99th percentile.
    pub write_p99_ms: Option<Estimate>,
}

/// The virtual machines on one of several machines.
#[derive(Clone, Debug, Serialize)]
pub struct HostFigures {
    /// As the study calls it.
    pub host: String,
    pub vms: u32,
    /// Reads and writes per second.
    pub ios: Option<Estimate>,
    /// Bytes per second, in both directions together.
    pub bytes: Option<Estimate>,
}

/// The virtual machines of a trial.
#[derive(Clone, Debug, Serialize)]
pub struct VmFigures {
    /// Reads and writes per second of each, on average.
    pub ios: Option<Estimate>,
    /// Bytes per second of each, on average.
    pub bytes: Option<Estimate>,
    /// Reads and writes per second of the one that did the fewest.
    pub slowest_ios: Option<Estimate>,
    /// That one's over the one's that did the most; absent with a single virtual machine.
    pub evenness: Option<Estimate>,
    /// The largest 99th percentile, in milliseconds, of the reads or writes of any.
    pub worst_p99_ms: Option<Estimate>,
}

/// A load on storage with its account.
type FleetLoad<'a> = (&'a LoadResult, &'a Fleet);
/// What is read off such an account; nothing where it does not say.
type Figure<'a> = dyn Fn(FleetLoad<'_>) -> Option<f64> + 'a;

/// What the trials of a test on storage say; nothing of other tests.
pub(crate) fn fleets(study: &Study, test: &Test, cells: &[CellData]) -> Vec<FleetCell> {
    let Some(storage) = test.storage() else { return Vec::new() };
    cells.iter().map(|cell| fleet_cell(study, storage, cell)).collect()
}

fn fleet_cell(study: &Study, storage: &Storage, cell: &CellData) -> FleetCell {
    let volumes = cell
        .usable_records()
        .filter_map(|(record, _)| Some(record.load()?.fleet.as_ref()?.volumes.len()))
        .max()
        .unwrap_or(0);
    let estimate = |of: &Figure<'_>| {
        let values: BTreeMap<u32, f64> = cell
            .usable_records()
            .filter_map(|(record, _)| {
                let load = record.load()?;
                let value = of((load, load.fleet.as_deref()?))?;
                (value.is_finite() && value >= 0.0).then_some((record.key.repeat, value))
            })
            .collect();
        Series::from_values(values, 0.0).estimate(study.confidence)
    };
    let data = f64::from(storage.vms) * storage.bytes_per_vm as f64 / 1e9;
    FleetCell {
        target: cell.target.to_owned(),
        level: cell.level,
        volumes: (0..volumes).map(|number| volume(number, cell, &estimate)).collect(),
        hosts: hosts(study, storage, cell, &estimate),
        vms: VmFigures {
            ios: estimate(&|(load, fleet)| {
                Some(load.measure.transactions_per_second() / fleet.vms.len() as f64)
            }),
            bytes: estimate(&|(load, fleet)| {
                Some(load.measure.bytes_per_second() / fleet.vms.len() as f64)
            }),
            slowest_ios: estimate(&|(load, fleet)| {
                Some(counts(fleet).min()? as f64 / load.measure.elapsed.as_secs_f64())
            }),
            evenness: estimate(&|(_, fleet)| {
                let (fewest, most) = counts(fleet).min().zip(counts(fleet).max())?;
                (fleet.vms.len() > 1).then_some(fewest as f64 / most as f64)
            }),
            worst_p99_ms: estimate(&|(_, fleet)| {
                let of_vms = fleet.vms.iter().flat_map(|vm| [vm.reads.p99_ms, vm.writes.p99_ms]);
                of_vms.flatten().max_by(f64::total_cmp)
            }),
        },
        processors: shared_processors(storage, cell, study.confidence),
        ios_per_gb: estimate(&|(load, _)| Some(load.measure.transactions_per_second() / data)),
    }
}

/// What each of several machines did; nothing where there is one.
fn hosts(
    study: &Study,
    storage: &Storage,
    cell: &CellData,
    estimate: &dyn Fn(&Figure<'_>) -> Option<Estimate>,
) -> Vec<HostFigures> {
    let target = study.measured().find(|target| target.name == cell.target);
    let Some(Place::Storage(place)) = target.map(|target| &target.place) else {
        return Vec::new();
    };
    let count = place.hosts.len();
    if count < 2 {
        return Vec::new();
    }
    let figures = |(number, host): (usize, &RemoteHost)| {
        // Virtual machine k is on machine k modulo their number.
        let per_second = |of: fn(&IoFigures) -> u64| {
            estimate(&|(load, fleet)| {
                let own = fleet.vms.iter().skip(number).step_by(count);
                let sum: u64 = own.map(|vm| of(&vm.reads) + of(&vm.writes)).sum();
                Some(sum as f64 / load.measure.elapsed.as_secs_f64())
            })
        };
        HostFigures {
            host: host.name.clone(),
            vms: (number as u32..storage.vms).step_by(count).count() as u32,
            ios: per_second(|figures| figures.count),
            bytes: per_second(|figures| figures.bytes),
        }
    };
    place.hosts.iter().enumerate().map(figures).collect()
}

fn volume(
    number: usize,
    cell: &CellData,
    estimate: &dyn Fn(&Figure<'_>) -> Option<Estimate>,
) -> VolumeFigures {
    let of = |fleet: &Fleet| -> Option<(IoFigures, IoFigures)> {
        let account = fleet.volumes.get(number)?;
        Some((account.reads.figures(), account.writes.figures()))
    };
    let per_second = |both: fn(&IoFigures) -> u64| {
        estimate(&|(load, fleet)| {
            let (reads, writes) = of(fleet)?;
            Some((both(&reads) + both(&writes)) as f64 / load.measure.elapsed.as_secs_f64())
        })
    };
    // A load that fell behind its rate has no latencies.
    let latency = |figure: fn(&(IoFigures, IoFigures)) -> Option<f64>| {
        estimate(&|(load, fleet)| figure(&of(fleet).filter(|_| !load.is_overloaded())?))
    };
    let vms = cell
        .usable_records()
        .filter_map(|(record, _)| Some(record.load()?.fleet.as_ref()?.volumes.get(number)?.vms));
    VolumeFigures {
        vms: vms.max().unwrap_or(0),
        ios: per_second(|figures| figures.count),
        bytes: per_second(|figures| figures.bytes),
        read_mean_ms: latency(|(reads, _)| reads.mean_ms),
        read_p99_ms: latency(|(reads, _)| reads.p99_ms),
        write_mean_ms: latency(|(_, writes)| writes.mean_ms),
        write_p99_ms: latency(|(_, writes)| writes.p99_ms),
    }
}

/// Reads and writes of each virtual machine.
fn counts(fleet: &Fleet) -> impl Iterator<Item = u64> {
    fleet.vms.iter().map(|vm| vm.reads.count + vm.writes.count)
}

/// The processors that the virtual machines of a cell share; `None` where they were limited to none, or no trial counts.
fn shared_processors(storage: &Storage, cell: &CellData, confidence: f64) -> Option<VmProcessors> {
    let asked = storage.oversubscription?;
    let found: Vec<(FleetProcessors, f64)> = cell
        .usable_records()
        .filter_map(|(record, _)| {
            let load = record.load()?;
            let seconds = load.measure.elapsed.as_secs_f64();
            Some((load.fleet.as_ref()?.processors?, seconds))
        })
        .filter(|(_, seconds)| *seconds > 0.0)
        .collect();
    let estimate = |of: fn(&(FleetProcessors, f64)) -> f64| {
        let sample = Sample::new(found.iter().map(of).collect()).ok()?;
        Some(Estimate::of_median(&sample, confidence))
    };
    // No share is more than all, whatever the scatter of a few repeats would allow.
    let share =
        |of| estimate(of).map(|share: Estimate| share.map(|end| end.min(share.point.max(1.0))));
    Some(VmProcessors {
        vms: storage.vms,
        asked,
        count: found.first()?.0.count,
        busy: share(|(processors, _)| processors.busy)?,
        throttled: share(|(processors, _)| processors.throttling.share())?,
        throttled_per_second: estimate(|(processors, seconds)| {
            processors.throttled_seconds / seconds
        })?,
        period: found.first()?.0.period,
    })
}

/// One for each cell whose virtual machines were limited to processors.
pub(crate) fn findings(test: &str, fleets: &[FleetCell]) -> Vec<Finding> {
    let of_cell = |cell: &FleetCell| {
        let subject = Subject::test(test).on(&cell.target).at(cell.level);
        Some(Finding::new(subject, cell.processors?))
    };
    fleets.iter().filter_map(of_cell).collect()
}
