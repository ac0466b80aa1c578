use crate::support::{BYTES, METHODS, files, load, run, storage};
use engine::storage::Method;
use engine::{AccountOutline, Limit, LoadError, OpenLoop, Progress, Stop};
use model::{ArrivalProcess, BlockOrder, BlockShare, IoMethod, Storage};
use serde_json::json;
use std::time::Duration;

#[test]
fn reads_and_writes_are_accounted_for_by_kind_virtual_machine_and_volume() {
    let directory = tempfile::tempdir().unwrap();
    let mut files = files(directory.path(), 3, None);
    files[2].volume = 1;
    for (method, io) in [(Method::Ring, IoMethod::IoUring), (Method::Threads, IoMethod::Threads)] {
        let result = run(&load(storage(3), files.clone(), method, 3_000)).unwrap();
        assert_eq!((result.ledger.ok, result.ledger.scheduled), (3_000, 3_000));
        assert_eq!((result.clients, result.client.io, result.client.workers), (24, io, 2));
        let fleet = result.fleet.as_ref().unwrap();
        let of_vms: u64 = fleet.vms.iter().map(|vm| vm.reads.count + vm.writes.count).sum();
        assert_eq!(of_vms, 3_000);
        assert_eq!(fleet.moved(), result.measure.moved);
        assert_eq!(result.measure.moved.total(), 3_000 * 4096);
        assert_eq!(result.requests.moved, result.measure.moved);
        assert_eq!(fleet.volumes.iter().map(|volume| volume.vms).collect::<Vec<_>>(), [2, 1]);
        let names: Vec<&str> = result.by_statement.iter().map(|kind| kind.name.as_str()).collect();
        assert_eq!(names, ["read", "write"]);
        let reads = result.by_statement[0].latencies.count();
        assert_eq!(reads, result.requests.count_of("read"));
        assert!((2_050..2_150).contains(&reads), "{reads}");
        assert_eq!(fleet.volumes.iter().map(|v| v.reads.latencies.count()).sum::<u64>(), reads);
    }
}

#[test]
fn an_account_has_no_virtual_machines_or_volumes_that_its_load_has_not() {
    let directory = tempfile::tempdir().unwrap();
    let mut files = files(directory.path(), 2, None);
    files[1].volume = 1;
    let load = load(storage(2), files, Method::Threads, 1);
    let fits = |volumes: &[u32]| {
        let vms: Vec<_> = volumes.iter().map(|volume| json!({ "volume": volume })).collect();
        let account =
            json!({ "recorded": { "by_request": [], "errors": [] }, "fleet": { "vms": vms } });
        serde_json::from_value::<AccountOutline>(account).unwrap().fits(&load)
    };
    assert!(fits(&[]) && fits(&[0, 1]) && fits(&[1]));
    assert!(!fits(&[2]) && !fits(&[u32::MAX]) && !fits(&[0, 0, 0]));
}

#[test]
fn large_blocks_in_sequence_and_mixtures_are_read_whole() {
    let directory = tempfile::tempdir().unwrap();
    let files = files(directory.path(), 1, None);
    for method in METHODS {
        let blocks = vec![BlockShare { bytes: 2 << 20, weight: 1 }];
        let large =
            Storage { blocks, order: BlockOrder::Sequential, read_percent: 100, ..storage(1) };
        let result = run(&load(large, files.clone(), method, 20)).unwrap();
        assert_eq!(result.measure.moved.read, 20 * (2 << 20));
        let blocks = [4096, 16_384].map(|bytes| BlockShare { bytes, weight: 1 }).to_vec();
        let result = run(&load(Storage { blocks, ..storage(1) }, files.clone(), method, 500));
        let moved = result.unwrap().measure.moved.total();
        assert!((500 * 4096 + 1..500 * 16_384).contains(&moved), "{moved}");
    }
}

#[test]
fn a_redo_log_syncs_every_write() {
    let directory = tempfile::tempdir().unwrap();
    let files = files(directory.path(), 1, None);
    for method in METHODS {
        let log = Storage {
            order: BlockOrder::Sequential,
            read_percent: 0,
            sync_every: Some(1),
            ..storage(1)
        };
        let mut load = load(log, files.clone(), method, 50);
        load.queue_depth = 1;
        let result = run(&load).unwrap();
        assert_eq!((result.requests.count_of("write"), result.requests.count_of("sync")), (50, 50));
        let names: Vec<&str> = result.by_statement.iter().map(|kind| kind.name.as_str()).collect();
        assert_eq!(names, ["write", "sync"]);
        let [whole, write] =
            [&result.latencies, &result.by_statement[0].latencies].map(|l| l.mean_ms().unwrap());
        assert!(whole > write, "a commit takes longer than its write: {whole}, {write}");
    }
}

#[test]
fn a_rate_is_offered_and_response_times_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let files = files(directory.path(), 3, None);
    for method in METHODS {
        let mut load = load(storage(3), files.clone(), method, 300);
        let process = ArrivalProcess::Poisson;
        load.open = Some(OpenLoop {
            rate: 2_000.0,
            process,
            course: Vec::new(),
            max_waiting: 10_000,
            drops_late: false,
            seed: 3,
        });
        let result = run(&load).unwrap();
        let open = result.open.as_ref().unwrap();
        assert_eq!((open.scheduled, open.answered), (300, 300));
        assert_eq!(result.latencies.count(), 300);
        // 300 at 2000 a second are due within 0.15 s on average, and not at once.
        assert!(result.measure.elapsed.as_secs_f64() > 0.08, "{:?}", result.measure.elapsed);
    }
}

#[test]
fn threads_that_are_too_few_for_what_is_asked_are_said() {
    let directory = tempfile::tempdir().unwrap();
    let files = files(directory.path(), 3, None);
    let mut load = load(storage(3), files, Method::Threads, 600);
    load.queue_depth = 200;
    let result = run(&load).unwrap();
    // 256 threads at most, as many for each.
    assert_eq!(result.fleet.as_ref().unwrap().queue_depth, 85);
    assert_eq!((result.clients, result.ledger.ok), (255, 600));
}

#[test]
fn a_load_that_is_stopped_ends_and_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let files = files(directory.path(), 2, None);
    for method in METHODS {
        let mut load = load(storage(2), files.clone(), method, 0);
        load.schedule.limit = Limit::Window(Duration::from_secs(3_600));
        let stop = Stop::default();
        let result = engine::run(&load, &stop, &mut |progress| {
            if let Progress::Interval(..) = progress {
                stop.request();
            }
        });
        assert!(matches!(result, Err(LoadError::Stopped)), "{result:?}");
    }
}

#[test]
fn what_is_written_stays_within_the_data_of_its_virtual_machine() {
    let directory = tempfile::tempdir().unwrap();
    let whole = directory.path().join("device");
    std::fs::write(&whole, vec![0x77; 3 * BYTES as usize]).unwrap();
    let spec = engine::storage::FileSpec {
        path: whole.clone(),
        offset: BYTES,
        length: BYTES,
        volume: 0,
        vm: 0,
    };
    for method in METHODS {
        run(&load(Storage { read_percent: 0, ..storage(1) }, vec![spec.clone()], method, 2_000))
            .unwrap();
        let after = std::fs::read(&whole).unwrap();
        let outside = after[..BYTES as usize].iter().chain(&after[2 * BYTES as usize..]);
        assert!(outside.copied().all(|byte| byte == 0x77));
        let inside = &after[BYTES as usize..2 * BYTES as usize];
        assert!(inside.iter().filter(|byte| **byte != 0x77).count() > 1 << 20);
    }
}
