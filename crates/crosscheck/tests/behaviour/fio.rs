//! The installed fio on files of its own.

use crosscheck::Measured;
use crosscheck::storage::{Data, Fio, IoEngine, StorageOrder};
use model::{BlockOrder, BlockShare, Direction, HotRegion, Storage};
use std::fs::File;
use std::io::Write;
use std::time::Duration;
use tempfile::TempDir;

const NEVER: &dyn Fn() -> bool = &|| false;
const SIZE: u64 = 16 << 20;

/// Files for so many virtual machines, on a file system that takes O_DIRECT.
fn files(vms: u32) -> (TempDir, Vec<Data>) {
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    let data = (0..vms).map(|vm| {
        let path = directory.path().join(format!("vm:{vm}.dat"));
        let mut file = File::create(&path).unwrap();
        file.write_all(&vec![7; SIZE as usize]).unwrap();
        file.sync_all().unwrap();
        Data { path, offset: 0, length: SIZE }
    });
    let data = data.collect();
    (directory, data)
}

fn storage(read_percent: u8, vms: u32) -> Storage {
    Storage { read_percent, vms, bytes_per_vm: SIZE, ..Storage::default() }
}

fn order<'a>(storage: &'a Storage, data: &'a [Data], queue_depth: u32) -> StorageOrder<'a> {
    let (warmup, duration) = (Duration::from_millis(100), Duration::from_millis(500));
    StorageOrder { storage, data, queue_depth, warmup, duration }
}

#[test]
fn every_kind_of_pattern_is_run() {
    let (_directory, data) = files(2);
    let fio = Fio::find(&host::this_machine()).unwrap();
    let mixed = Storage {
        blocks: vec![BlockShare { bytes: 4096, weight: 3 }, BlockShare { bytes: 16384, weight: 1 }],
        hot: Some(HotRegion { io_percent: 90, space_percent: 10 }),
        sync_every: Some(16),
        ..storage(70, 2)
    };
    let sequential = Storage { order: BlockOrder::Sequential, threads: 2, ..storage(100, 2) };
    for (storage, engine) in [
        (storage(100, 2), IoEngine::IoUringTuned),
        (storage(0, 2), IoEngine::LibAio),
        (sequential, IoEngine::IoUring),
        (mixed, IoEngine::IoUringTuned),
    ] {
        let order = order(&storage, &data, 4);
        let load = || fio.load(&order, engine, 7, None, NEVER).unwrap().unwrap();
        // Every virtual machine keeps four under way, but for what it waits for a sync. On a busy machine
        // fio counts some of what lies outside the half second that it says it took; eight of each would
        // be twice as many in every try.
        let keeps_to_its_clients = |measured: &Measured| {
            let figures = &measured.figures;
            figures.transactions_per_second * figures.latency_mean_ms / 1e3 < 12.0
        };
        let measured = (0..20).map(|_| load()).find(keeps_to_its_clients).expect("eight under way");
        let figures = &measured.figures;
        assert!(figures.transactions > 0 && figures.cpu_seconds > 0.0, "{figures:?}");
        assert!(figures.latency_p95_ms.is_some() && measured.elapsed > figures.elapsed);
        let directions: Vec<Direction> = figures.parts.iter().map(|part| part.direction).collect();
        let expected: &[Direction] = match storage.read_percent {
            100 => &[Direction::Read],
            0 => &[Direction::Write],
            _ => &Direction::ALL,
        };
        assert_eq!(directions, expected, "{figures:?}");
        assert!(figures.parts.iter().all(|part| part.latency_p99_ms.is_some()), "{figures:?}");
        for file in &data {
            assert_eq!(std::fs::metadata(&file.path).unwrap().len(), SIZE);
        }
    }
}

#[test]
fn a_limit_is_kept() {
    let (_directory, data) = files(2);
    let limited = Storage { iops_limit: Some(200), ..storage(70, 2) };
    let fio = Fio::find(&host::this_machine()).unwrap();
    // Long enough for what fio makes up for where it was held up before it measures.
    let order = StorageOrder { duration: Duration::from_secs(3), ..order(&limited, &data, 4) };
    let load = fio.load(&order, IoEngine::IoUringTuned, 7, None, NEVER);
    let rate = load.unwrap().unwrap().figures.transactions_per_second;
    assert!(rate < 500.0, "{rate} of 400");
}

#[test]
fn a_file_that_is_not_there_is_not_made() {
    let (_directory, mut data) = files(1);
    data[0].path.set_extension("other");
    let storage = storage(0, 1);
    let fio = Fio::find(&host::this_machine()).unwrap();
    let failure =
        fio.load(&order(&storage, &data, 1), IoEngine::LibAio, 7, None, NEVER).unwrap_err();
    assert!(failure.message.contains("fio"), "{failure:?}");
    assert!(!data[0].path.exists());
}
