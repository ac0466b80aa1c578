//! Study files about volumes: what their keys turn into, and what is said of those that make no
//! sense.

use model::{
    BlockOrder, BlockShare, HotRegion, Level, LevelUnit, Oversubscription, Place, SearchOver,
    Storage, System, Workload,
};
use study::{Template, parse, scaled, space, template};

const TARGET: &str = "kind = \"storage\"\nvolumes = [\"/mnt/a\", \"/dev/sdx\"]";

fn text(target: &str, test: &str) -> String {
    format!(
        "[study]\nname = \"s\"\n[[target]]\nname = \"t\"\n{target}\n[[test]]\n\
         workload = \"storage\"\n{test}\n"
    )
}

fn accepted(test: &str) -> (Storage, Vec<Level>) {
    let study = parse(&text(TARGET, &format!("vms = 2\n{test}")), "s").unwrap();
    let load = study.tests[0].load().unwrap().clone();
    match load.workload {
        Workload::Storage(storage) => (storage, load.levels),
        other => panic!("{other:?}"),
    }
}

fn refusal(target: &str, test: &str) -> String {
    parse(&text(target, test), "s").expect_err(test).to_string()
}

#[test]
fn no_steady_state_of_volumes_can_be_waited_for() {
    let message = refusal(TARGET, "vms = 2\npattern = \"o1 b4k\"\nwarmup = \"steady\"");
    for said in ["`warmup` cannot be `steady` on storage", "a time like 10m"] {
        assert!(message.contains(said), "{message}");
    }
}

#[test]
fn volumes_are_paths_and_what_may_be_erased_is_one_of_them() {
    let erase = format!("{TARGET}\nerase = [\"/dev/sdx\"]");
    let study = parse(&text(&erase, "vms = 2\npattern = \"o1 b4k\""), "s").unwrap();
    let target = &study.targets[0];
    let Place::Storage(place) = &target.place else { panic!("volumes") };
    let volumes: Vec<_> =
        place.volumes.iter().map(|v| (v.path.to_str().unwrap(), v.erase)).collect();
    assert_eq!(volumes, [("/mnt/a", false), ("/dev/sdx", true)]);
    assert_eq!(target.system, System::Storage);
}

#[test]
fn a_pattern_says_threads_in_flight_and_blocks() {
    let (storage, levels) = accepted("pattern = \"t4 o16 b4k\"\nreads = 70\ndata = \"2GiB\"");
    assert_eq!(storage.blocks, [BlockShare { bytes: 4096, weight: 1 }]);
    assert_eq!((storage.threads, storage.read_percent, storage.bytes_per_vm), (4, 70, 2 << 30));
    assert_eq!(storage.order, BlockOrder::Random);
    assert_eq!(levels, [Level::queue_depth(64)]);
}

#[test]
fn a_redo_log_is_written_in_order_with_a_sync_after_every_block() {
    let (storage, levels) = accepted("pattern = \"redo log\"");
    assert_eq!((storage.read_percent, storage.sync_every), (0, Some(1)));
    assert_eq!(storage.order, BlockOrder::Sequential);
    assert_eq!(levels, [Level::queue_depth(1)]);
}

#[test]
fn every_part_of_a_pattern_has_a_key_of_its_own() {
    let (storage, levels) = accepted(
        "block = { 4KiB = 3, 16KiB = 1 }\nthreads = 2\nqueue_depth = [8, 2]\nreads = 0\n\
         hot = { ios = 90, space = 10 }\nsync_every = 8\niops_limit = 500\nverify = true",
    );
    let share = |bytes, weight| BlockShare { bytes, weight };
    assert_eq!(storage.blocks, [share(4096, 3), share(16_384, 1)]);
    assert_eq!(storage.hot, Some(HotRegion { io_percent: 90, space_percent: 10 }));
    assert_eq!(
        (storage.sync_every, storage.iops_limit, storage.verify),
        (Some(8), Some(500), true)
    );
    assert_eq!(levels, [Level::queue_depth(2), Level::queue_depth(8)]);
}

#[test]
fn rates_and_bounds_are_of_all_virtual_machines_together() {
    let (_, levels) = accepted("pattern = \"t1 o32 b16k\"\nrate = [5000, 1000]");
    let rates = [1000, 5000].map(|rate| Level::rate(32, rate).counting(LevelUnit::QueueDepth));
    assert_eq!(levels, rates);
    let (_, levels) = accepted("block = \"4KiB\"\nqueue_depth = 8\nslo = \"mean < 1ms\"");
    let searched = Level::searched(SearchOver::Rate, 8).counting(LevelUnit::QueueDepth);
    assert_eq!(levels, [searched]);
}

#[test]
fn virtual_machines_share_processors_where_their_own_are_oversubscribed() {
    let (storage, _) = accepted("pattern = \"o1 b4k\"\ncpu_oversubscription = 4");
    assert_eq!(storage.oversubscription, Some(Oversubscription { vcpus: 1, ratio: 4.0 }));
    assert_eq!(storage.processors(), Some(0.5));
    let (storage, _) = accepted("pattern = \"o1 b4k\"\nvcpus = 3\ncpu_oversubscription = 4.5");
    assert_eq!(storage.processors(), Some(2.0 * 3.0 / 4.5));
    let (storage, _) = accepted("pattern = \"o1 b4k\"");
    assert_eq!(storage.processors(), None);
}

#[test]
fn what_makes_no_sense_is_refused_with_the_remedy() {
    for (test, parts) in [
        ("pattern = \"fast\"", ["`fast` is not a pattern", "t1 o32 b16k"]),
        ("vms = 2", ["neither a pattern nor a size of blocks", "pattern = \"t1 o32 b16k\""]),
        ("vms = 2\nblock = \"4k\"", ["no levels", "queue_depth = [1, 8, 32]"]),
        ("pattern = \"o1 b4k\"\nblock = \"4k\"", ["repeats what `pattern` says", "write either"]),
        ("vms = 2\nblock = \"1000B\"\nqueue_depth = 1", ["multiple of 512 bytes", "1000B"]),
        ("vms = 2\nblock = {}\nqueue_depth = 1", ["one size at least", "{ 4KiB = 3, 16KiB = 1 }"]),
        ("vms = 2\nblock = \"4k\"\nthreads = 3\nqueue_depth = 8", ["among 3 threads", "multiple"]),
        (
            "pattern = \"o1 b4k\"\nvms = 1",
            ["leaves some of 2 volumes idle", "write vms = 2 or more"],
        ),
        ("pattern = \"o1 b16k\"\nvms = 2\ndata = \"40GB\"", ["not a multiple of the block", "GiB"]),
        ("pattern = \"o1 b2m\"\nvms = 2\ndata = \"4KiB\"", ["too small", "at least 2097152"]),
        ("pattern = \"o1 b4k\"\nvms = 2\ndata = \"40\"", ["`data`: `40` has no unit", "GiB"]),
        ("pattern = \"o1 b4k\"\nhot = { ios = 90 }", ["`hot` needs `space`", "ios = 90"]),
        (
            "pattern = \"o1 b4k\"\ncpu_limit = 60\ncross_check = true",
            ["does not work with a `cpu_limit`", "levels of `queue_depth`"],
        ),
        (
            "pattern = \"o1 b4k\"\nvcpus = 2",
            ["`vcpus` applies only with", "cpu_oversubscription = 4"],
        ),
        ("pattern = \"o1 b4k\"\ncpu_oversubscription = 0", ["a number above 0", "4 stands for"]),
        ("pattern = \"o1 b4k\"\ncpu_oversubscription = nan", ["a number above 0", ""]),
        (
            "pattern = \"o1 b4k\"\nvcpus = 8\ncpu_oversubscription = 3",
            ["each virtual machine 2.67 processors", "take 8 or more"],
        ),
        (
            "pattern = \"o1 b4k\"\nvms = 2\ncpu_oversubscription = 64",
            ["0.0313 of a processor", "take a lower number"],
        ),
        ("pattern = \"o1 b4k\"\ncpu_oversubscribtion = 4", ["cpu_oversubscription", ""]),
        ("pattern = \"redo log\"\nreads = 70", ["repeats what the pattern", "leave `reads` out"]),
        ("pattern = \"o1 b4k\"\nsync_every = 1", ["only where something is written", "reads = 70"]),
        (
            "pattern = \"o1 b4k\"\norder = \"sequential\"\nhot = { ios = 9, space = 1 }",
            ["`hot` does not apply to sequential", "random"],
        ),
        (
            "pattern = \"o1 b4k\"\ntables = 4",
            ["`tables` does not apply to storage", "another workload"],
        ),
        ("pattern = \"o1 b4k\"\nclients = 4", ["`clients` does not apply to storage", ""]),
        ("pattern = \"o1 b4k\"\nkeys = 4", ["`keys` does not apply to storage", ""]),
    ] {
        let message = refusal(TARGET, test);
        for part in parts {
            assert!(message.contains(part), "no {part:?} for {test:?} in:\n{message}");
        }
    }
}

#[test]
fn targets_of_storage_have_volumes_and_no_server() {
    let test = "vms = 9\npattern = \"o1 b4k\"";
    for (target, part) in [
        ("kind = \"storage\"", "no volumes"),
        ("kind = \"storage\"\nvolumes = []", "`volumes` is empty"),
        ("kind = \"storage\"\nvolumes = [\"data\"]", "absolute paths"),
        ("kind = \"storage\"\nvolumes = [\"/a\", \"/a\"]", "twice"),
        (
            "kind = \"storage\"\nvolumes = [\"/a\"]\nerase = [\"/b\"]",
            "not one of the target's volumes",
        ),
        ("kind = \"storage\"\nvolumes = [\"/a\"]\nsandbox = {}", "`sandbox` applies to servers"),
        (
            "kind = \"redis\"\nvolumes = [\"/a\"]\nsandbox = {}",
            "belongs to targets of the kind storage",
        ),
        ("sandbox = {}", "cannot run on the target `t`"),
    ] {
        let message = refusal(target, test);
        assert!(message.contains(part), "no {part:?} for {target:?} in:\n{message}");
    }
    let oltp = "[study]\nname = \"s\"\n[[target]]\nname = \"t\"\nkind = \"storage\"\n\
                volumes = [\"/a\"]\n[[test]]\nworkload = \"oltp_read_only\"\nclients = 1\nvms = 2\n";
    let message = parse(oltp, "s").unwrap_err().to_string();
    assert!(message.contains("`vms` does not apply to oltp_read_only"), "{message}");
    assert!(message.contains("which is storage without a server"), "{message}");
}

#[test]
fn space_is_that_of_the_largest_test_on_each_volume() {
    let tests = "pattern = \"o1 b4k\"\nvms = 5\ndata = \"1GiB\"\n[[test]]\nname = \"b\"\n\
                 workload = \"storage\"\npattern = \"o1 b4k\"\nvms = 2\ndata = \"2GiB\"";
    let study = parse(&text(TARGET, tests), "s").unwrap();
    let needs: Vec<_> = space(&study).iter().map(|need| (need.vms, need.bytes >> 30)).collect();
    assert_eq!(needs, [(3, 6), (2, 4)]);
}

#[test]
fn a_smaller_scale_makes_the_data_smaller_in_whole_blocks_and_a_larger_leaves_it() {
    let study = parse(&text(TARGET, "vms = 2\npattern = \"t1 o1 b16k\"\ndata = \"1GiB\""), "s");
    let study = study.unwrap();
    let data = |factor: f64| match &scaled(&study, factor).tests[0].load().unwrap().workload {
        Workload::Storage(storage) => storage.bytes_per_vm,
        other => panic!("{other:?}"),
    };
    assert_eq!((data(0.5), data(2.0)), (1 << 29, 1 << 30));
    assert_eq!(data(1e-9), 16 * (16 << 10));
    assert_eq!(data(0.1), 102 << 20, "whole MiB");
    assert_eq!(data(0.000_5) % (16 << 10), 0);
}

#[test]
fn the_template_has_all_patterns_of_the_published_study() {
    let study = parse(template(Template::StorageCluster), "t").unwrap();
    let patterns: Vec<(String, u8, u32)> = study
        .tests
        .iter()
        .map(|test| match &test.load().unwrap().workload {
            Workload::Storage(s) => {
                (s.pattern(test.load().unwrap().levels[0].clients), s.read_percent, s.vms)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    for (pattern, reads, vms) in [
        ("t1 o32 b16k", 100, 150),
        ("t1 o32 b16k", 90, 150),
        ("t1 o32 b16k", 70, 150),
        ("t1 o32 b4k", 100, 150),
        ("t1 o32 b4k", 90, 150),
        ("t1 o32 b4k", 70, 150),
        ("t1 o32 b2m", 100, 150),
        ("t4 o16 b4k", 100, 75),
    ] {
        assert!(patterns.contains(&(pattern.to_owned(), reads, vms)), "{pattern} {reads} {vms}");
    }
}
