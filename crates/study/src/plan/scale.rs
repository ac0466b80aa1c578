use crate::keys::volume::min_mib;
use model::bounds::{MAX_DURATION, MAX_OPERATIONS, SCALE};
use model::{Backlog, BuiltVolume, Load, Place, Storage, Study, Target, Task, Workload};
use std::time::Duration;

/// Shortest time that scaling leaves: below it a trial has no interval to show.
const SHORTEST: Duration = Duration::from_secs(1);

/// The least data of a virtual machine that scaling leaves, in blocks of the largest size.
const MIN_BLOCKS: u64 = 16;

const MIB: u64 = 1 << 20;

/// Fewest rows of a table, or keys, that scaling leaves.
const FEWEST_ROWS: u32 = 1000;

/// The study with every warm-up, duration, backlog and fixed amount of work multiplied by `factor`, for a trial
/// run or a longer look; interventions keep their place in the measured phase. Nothing gets shorter
/// than a second by it; what was shorter stays as it is. A factor below one also makes data smaller:
/// that of storage tests in whole blocks, and whole MiB where that is possible; rows and keys where
/// all servers are private ones, since others may have their tables already; and volumes for the
/// temporary files of such servers.
///
/// A factor above the largest of [`SCALE`] counts as that; one that is not a positive number
/// changes nothing.
pub fn scaled(study: &Study, factor: f64) -> Study {
    let mut study = study.clone();
    if factor > 0.0 {
        let factor = factor.min(*SCALE.end());
        if factor < 1.0 {
            // A table that has become smaller must meet as little room as the large one would.
            let targets = study.targets.iter_mut().chain(&mut study.aa_control);
            for volume in targets.filter_map(temporary_volume) {
                let bytes = (volume.device_bytes as f64 * factor) as u64 / MIB * MIB;
                let least = min_mib(volume.devices, volume.file_system) * MIB;
                volume.device_bytes = bytes.max(least).min(volume.device_bytes);
            }
        }
        let private = study.targets.iter().all(|target| !matches!(target.place, Place::Server(_)));
        for test in &mut study.tests {
            match &mut test.task {
                Task::Load(load) => scale_load(load, factor),
                Task::Search(search) => scale_load(&mut search.load, factor),
                Task::Statement(statement) => statement.scale_load(|time| scale(time, factor)),
                // A failover takes as long as it takes.
                Task::CatchUp(task) => {
                    task.backlog = match task.backlog {
                        Backlog::Transactions(count) => Backlog::Transactions(times(count, factor)),
                        Backlog::Bytes(count) => Backlog::Bytes(times(count, factor)),
                        Backlog::Time(length) => Backlog::Time(scale(length, factor)),
                    };
                }
                Task::Failover(_) | Task::Imported(_) => {}
            }
            if factor < 1.0 {
                data_mut(&mut test.task).into_iter().for_each(|data| shrink(data, factor, private));
            }
        }
    }
    study
}

/// The volume that a private server has for temporary files.
fn temporary_volume(target: &mut Target) -> Option<&mut BuiltVolume> {
    match &mut target.place {
        Place::Sandbox(spec) => spec.temporary_volume.as_mut(),
        Place::Server(_) | Place::Storage(_) | Place::Imported => None,
    }
}

/// The workloads whose data a test has.
fn data_mut(task: &mut Task) -> Vec<&mut Workload> {
    match task {
        Task::Load(load) => vec![&mut load.workload],
        Task::Search(search) => vec![&mut search.load.workload],
        Task::Statement(statement) => {
            let beside = statement.beside.iter_mut().map(|beside| &mut beside.load.workload);
            statement.data.iter_mut().chain(beside).collect()
        }
        Task::CatchUp(task) => vec![&mut task.workload],
        Task::Failover(_) | Task::Imported(_) => Vec::new(),
    }
}

fn scale_load(load: &mut Load, factor: f64) {
    load.warmup = scale(load.warmup, factor);
    load.steady_within = load.steady_within.map(|longest| scale(longest, factor));
    let duration = match &mut load.profile {
        Some(profile) => {
            for stage in &mut profile.stages {
                (stage.ramp, stage.hold) = (whole(stage.ramp, factor), whole(stage.hold, factor));
            }
            profile.duration()
        }
        None => scale(load.duration, factor),
    };
    for intervention in &mut load.interventions {
        // At the same share of the measured phase, which may have shrunk by less.
        let share = duration.div_duration_f64(load.duration);
        intervention.at = intervention.at.mul_f64(share);
    }
    load.duration = duration;
    load.operations = load.operations.map(|count| times(count, factor));
}

/// In whole seconds, and at least one of what there is.
fn whole(length: Duration, factor: f64) -> Duration {
    let seconds = (length.as_secs_f64() * factor).round().max(1.0);
    if length.is_zero() { length } else { Duration::from_secs(seconds as u64) }
}

fn times(count: u64, factor: f64) -> u64 {
    ((count as f64 * factor) as u64).clamp(1, MAX_OPERATIONS)
}

fn shrink(data: &mut Workload, factor: f64, private: bool) {
    let fewer = |rows: u32| ((f64::from(rows) * factor) as u32).max(FEWEST_ROWS).min(rows);
    match data {
        Workload::Oltp(oltp) if private => oltp.table_size = fewer(oltp.table_size),
        Workload::KeyValue(load) if private => load.keys = fewer(load.keys),
        Workload::Oltp(_) | Workload::Transactions(_) | Workload::KeyValue(_) => {}
        Workload::Storage(storage) => shrink_blocks(storage, factor),
    }
}

fn scale(time: Duration, factor: f64) -> Duration {
    // Neither overflows: a time is at most 30 days, also where a stored study says otherwise.
    let product = time.min(MAX_DURATION).mul_f64(factor);
    product.max(SHORTEST.min(time))
}

fn shrink_blocks(storage: &mut Storage, factor: f64) {
    let block = u64::from(storage.largest_block()).max(1);
    let fewest = MIN_BLOCKS.max(storage.threads.into());
    let wanted = (storage.bytes_per_vm as f64 * factor) as u64;
    // Whole MiB read better, where the blocks fit into them.
    let unit = if MIB.is_multiple_of(block) && wanted >= MIB { MIB } else { block };
    let least = (fewest * block).next_multiple_of(unit);
    storage.bytes_per_vm = (wanted / unit * unit).max(least).min(storage.bytes_per_vm);
}
