use engine::storage::{FileSpec, Filling, Method, StorageLoad, make_files};
use engine::{Action, ErrorPolicy, Limit, LoadError, Schedule, Stop};
use model::{LoadResult, Storage};
use std::path::Path;
use std::time::Duration;

/// Data of each virtual machine.
pub const BYTES: u64 = 8 << 20;

pub const METHODS: [Method; 2] = [Method::Ring, Method::Threads];

/// 4 KiB blocks, 70 % of them reads, at random.
pub fn storage(vms: u32) -> Storage {
    Storage { read_percent: 70, vms, bytes_per_vm: BYTES, ..Storage::default() }
}

/// So many operations by that method; errors are counted.
pub fn load(storage: Storage, files: Vec<FileSpec>, method: Method, events: u64) -> StorageLoad {
    StorageLoad {
        storage,
        files,
        queue_depth: 8,
        schedule: Schedule {
            warmup: Duration::ZERO,
            limit: Limit::LastReply {
                duration: Some(Duration::from_secs(60)),
                events: Some(events),
            },
            turns: None,
        },
        open: None,
        policy: ErrorPolicy { other: Action::Ignore, ..ErrorPolicy::default() },
        drain_limit: Duration::from_secs(120),
        seed: 11,
        workers: Some(2),
        method: Some(method),
        mark: engine::storage::mark(),
        checksummed: false,
        processors: None,
    }
}

pub fn run(load: &StorageLoad) -> Result<LoadResult, LoadError> {
    let result = engine::run(load, &Stop::default(), &mut |_| {})?;
    assert!(result.ledger.balances(), "{:?}", result.ledger);
    Ok(result)
}

/// Files of [`BYTES`] each within a directory; checksummed in units of that size.
pub fn files(within: &Path, vms: u32, unit: Option<usize>) -> Vec<FileSpec> {
    let stop = Stop::default();
    let progress = &mut |_, _| {};
    let mut filling = Filling { seed: 5, unit, method: None, stop: &stop, progress };
    let vms: Vec<u32> = (0..vms).collect();
    make_files(within, 0, &vms, BYTES, &mut filling).unwrap()
}
