use model::bounds::{MAX_DURATION, MAX_OPERATIONS, SCALE};
use model::{Storage, Study, Task, Workload};
use std::time::Duration;

/// Shortest time that scaling leaves: below it a trial has no interval to show.
const SHORTEST: Duration = Duration::from_secs(1);

/// The least data of a virtual machine that scaling leaves, in blocks of the largest size.
const MIN_BLOCKS: u64 = 16;

const MIB: u64 = 1 << 20;

/// The study with every warm-up, duration and fixed amount of work multiplied by `factor`, for a trial
/// run or a longer look; interventions keep their place in the measured phase. Nothing gets shorter than a second by it;
/// what was shorter stays as it is. A factor below one also makes the data of storage tests smaller,
/// in whole blocks, and whole MiB where that is possible.
///
/// A factor above the largest of [`SCALE`] counts as that; one that is not a positive number
/// changes nothing.
pub fn scaled(study: &Study, factor: f64) -> Study {
    let mut study = study.clone();
    if factor > 0.0 {
        let factor = factor.min(*SCALE.end());
        for test in &mut study.tests {
            if let Task::Statement(statement) = &mut test.task {
                statement.scale_load(|time| scale(time, factor));
                continue;
            }
            let Some(load) = test.load_mut() else { continue };
            load.warmup = scale(load.warmup, factor);
            let duration = scale(load.duration, factor);
            for intervention in &mut load.interventions {
                // At the same share of the measured phase, which may have shrunk by less.
                let share = duration.div_duration_f64(load.duration);
                intervention.at = intervention.at.mul_f64(share);
            }
            load.duration = duration;
            load.operations = load
                .operations
                .map(|count| ((count as f64 * factor) as u64).clamp(1, MAX_OPERATIONS));
            if let (Workload::Storage(storage), true) = (&mut load.workload, factor < 1.0) {
                shrink(storage, factor);
            }
        }
    }
    study
}

fn scale(time: Duration, factor: f64) -> Duration {
    // Neither overflows: a time is at most 30 days, also where a stored study says otherwise.
    let product = time.min(MAX_DURATION).mul_f64(factor);
    product.max(SHORTEST.min(time))
}

fn shrink(storage: &mut Storage, factor: f64) {
    let block = u64::from(storage.largest_block()).max(1);
    let fewest = MIN_BLOCKS.max(storage.threads.into());
    let wanted = (storage.bytes_per_vm as f64 * factor) as u64;
    // Whole MiB read better, where the blocks fit into them.
    let unit = if MIB.is_multiple_of(block) && wanted >= MIB { MIB } else { block };
    let least = (fewest * block).next_multiple_of(unit);
    storage.bytes_per_vm = (wanted / unit * unit).max(least).min(storage.bytes_per_vm);
}
