use model::{
    Block, CacheState, KeyValue, Place, PlacedVolume, Plan, SandboxSpec, Study, Target, Test,
    Trial, VolumeLayout,
};
use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

/// Initialising and starting a sandbox, on a machine that has done it before.
const SANDBOX_SETUP: Duration = Duration::from_secs(2);
/// Stopping a sandbox in good order and starting it again.
const RESTART: Duration = Duration::from_millis(1500);
/// Syncing file systems and dropping the operating system's caches, beyond the restart.
const COLD_START: Duration = Duration::from_secs(2);
/// Connecting, checking the tables, reading counters, draining, and writing the record.
const TRIAL_OVERHEAD: Duration = Duration::from_millis(500);
/// Rows that preparing inserts per second.
const ROWS_PER_SECOND: f64 = 100_000.0;
/// Keys that preparing writes per second, and bytes of values.
const KEYS_PER_SECOND: f64 = 200_000.0;
const VALUE_BYTES_PER_SECOND: f64 = 200e6;
/// Bytes that filling the files of a target of storage writes per second.
const BLOCK_BYTES_PER_SECOND: f64 = 500e6;

/// How long a plan will take: the load itself, which is exact, and around it preparing, restarts
/// and cold starts, which are rough figures from a machine with two cores and an SSD.
pub fn estimate(plan: &Plan, study: &Study) -> Duration {
    let set_up = estimate_set_up(study);
    let counts: HashSet<u32> = plan.trials().map(|trial| trial.position).collect();
    let of_block = |block: &Block| -> Duration {
        let trials = block.trials.iter().filter(|trial| counts.contains(&trial.position));
        let rounds = study.rounds(&trials.collect::<Vec<_>>());
        rounds.iter().map(|round| of_round(round, study)).sum()
    };
    set_up + plan.blocks.iter().map(of_block).sum::<Duration>()
}

/// How long trials take that are under way at once: as long as the longest, or where their loads take
/// turns as long as all of these.
fn of_round(round: &[&Trial], study: &Study) -> Duration {
    let longest = round.iter().map(|trial| of_trial(trial, study)).max().unwrap_or_default();
    let Some(slices) = study.slices.filter(|_| round.len() > 1) else { return longest };
    let waits_for = |trial: &&Trial| {
        let load = study.test(&trial.key.test).and_then(Test::load);
        let count = load.map_or(0, |load| slices.cut(load.duration).0);
        trial.load_time + slices.settling * count
    };
    let longest_load = round.iter().map(|trial| trial.load_time).max().unwrap_or_default();
    longest.saturating_sub(longest_load) + round.iter().map(waits_for).sum::<Duration>()
}

/// How long a trial will take.
fn of_trial(trial: &Trial, study: &Study) -> Duration {
    let target = study.measured().find(|target| target.name == trial.key.target);
    let test = study.test(&trial.key.test);
    let around = target.zip(test).map_or(TRIAL_OVERHEAD, |(target, test)| {
        overhead(target, test) + refill(target, test, study)
    });
    let load = trial.load_time + around;
    // The other tool needs as long again.
    if test.is_some_and(|test| test.cross_check) { 2 * load } else { load }
}

/// How much of it passes before the first trial: starting servers and making data where nothing is
/// there yet.
pub fn estimate_set_up(study: &Study) -> Duration {
    study.servers().map(|target| set_up(target, study)).sum()
}

fn overhead(target: &Target, test: &Test) -> Duration {
    let cold = test.cache == CacheState::Cold;
    let restarts = cold || matches!(&target.place, Place::Sandbox(sandbox) if sandbox.restart);
    let restart = if restarts { RESTART } else { Duration::ZERO };
    let cold_start = if cold { COLD_START } else { Duration::ZERO };
    TRIAL_OVERHEAD + restart + cold_start
}

/// Writing keys again before a trial, because the last one was on others, or because the server
/// forgot them when it was started again.
fn refill(target: &Target, test: &Test, study: &Study) -> Duration {
    let Some(keys) = test.key_value() else { return Duration::ZERO };
    let data = |keys: &KeyValue| (keys.keys, keys.value_size);
    let others = key_values(study).any(|other| data(other) != data(keys));
    let forgets =
        matches!(&target.place, Place::Sandbox(sandbox) if sandbox.restart && forgets(sandbox));
    if others || forgets { preload(keys) } else { Duration::ZERO }
}

/// Whether a private Redis server keeps nothing when it is stopped: neither a log nor a snapshot.
fn forgets(sandbox: &SandboxSpec) -> bool {
    let setting = |name| sandbox.settings.get(name).map(String::as_str);
    setting("save") == Some("") && !matches!(setting("appendonly"), Some("yes" | "ON"))
}

fn preload(keys: &KeyValue) -> Duration {
    if !keys.preload {
        return Duration::ZERO;
    }
    let count = f64::from(keys.keys);
    let bytes = count * keys.value_size.mean();
    Duration::from_secs_f64(count / KEYS_PER_SECOND + bytes / VALUE_BYTES_PER_SECOND)
}

fn key_values(study: &Study) -> impl Iterator<Item = &KeyValue> {
    study.tests.iter().filter_map(Test::key_value)
}

fn set_up(target: &Target, study: &Study) -> Duration {
    let start = match &target.place {
        Place::Sandbox(_) => SANDBOX_SETUP * (1 + target.replicas() as u32),
        Place::Server(_) | Place::Storage(_) | Place::Imported => Duration::ZERO,
    };
    // Tests that differ only in their mix share their tables.
    let shapes: BTreeSet<(u32, u32)> = study
        .tests
        .iter()
        .filter_map(|test| test.data()?.oltp().ok())
        .map(|oltp| (oltp.tables, oltp.table_size))
        .collect();
    let rows: f64 = shapes.iter().map(|(tables, rows)| f64::from(*tables) * f64::from(*rows)).sum();
    let keys = key_values(study).next().map_or(Duration::ZERO, preload);
    let blocks: u64 = space(study)
        .into_iter()
        .filter(|volume| volume.target == target.name)
        .map(|volume| volume.bytes)
        .sum();
    let data = rows / ROWS_PER_SECOND + blocks as f64 / BLOCK_BYTES_PER_SECOND;
    start + Duration::from_secs_f64(data) + keys
}

/// What a study needs of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VolumeSpace<'a> {
    /// The target that the volume belongs to.
    pub target: &'a str,
    /// Where it is.
    pub volume: PlacedVolume<'a>,
    /// Virtual machines on it, in the test with the most.
    pub vms: u32,
    /// Bytes that its files take, all of which are written once before the first trial.
    pub bytes: u64,
}

/// Disk space that the study needs, volume by volume; none without targets of storage.
pub fn space(study: &Study) -> Vec<VolumeSpace<'_>> {
    let layout = VolumeLayout::for_loads(study.tests.iter().filter_map(Test::storage));
    let mut needs = Vec::new();
    for target in &study.targets {
        let Place::Storage(place) = &target.place else { continue };
        for (number, volume) in place.placed().enumerate() {
            let vms = place.vms_on(number, layout.vms);
            let bytes = u64::from(vms).saturating_mul(layout.bytes_per_vm);
            needs.push(VolumeSpace { target: &target.name, volume, vms, bytes });
        }
    }
    needs
}
