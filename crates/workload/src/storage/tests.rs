use super::*;
use model::{BlockOrder, HotRegion};
use proptest::prelude::*;

fn storage(blocks: &[(u32, u32)], order: BlockOrder) -> Storage {
    let blocks = blocks.iter().map(|&(bytes, weight)| BlockShare { bytes, weight }).collect();
    Storage { blocks, read_percent: 70, order, bytes_per_vm: 1 << 26, ..Storage::default() }
}

fn ios(storage: &Storage, thread: u32, count: usize) -> Vec<Io> {
    let mut source = IoSource::new(storage, 7, 0, thread);
    (0..count).map(|_| source.next_io()).collect()
}

#[test]
fn of_every_hundred_exactly_the_share_asked_for_reads() {
    for percent in [0, 1, 70, 99, 100] {
        let workload =
            Storage { read_percent: percent, ..storage(&[(4096, 1)], BlockOrder::Random) };
        for hundred in ios(&workload, 0, 5_000).chunks(100) {
            let reads = hundred.iter().filter(|io| !io.write).count();
            assert_eq!(reads, usize::from(percent));
        }
    }
}

#[test]
fn reads_and_writes_are_mixed_and_not_in_a_pattern() {
    let all = ios(&storage(&[(4096, 1)], BlockOrder::Random), 0, 10_000);
    let hundreds: Vec<Vec<bool>> =
        all.chunks(100).map(|hundred| hundred.iter().map(|io| io.write).collect()).collect();
    assert!(hundreds.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn a_hot_region_gets_its_share_and_the_rest_is_even() {
    let hot = Some(HotRegion { io_percent: 90, space_percent: 10 });
    let workload = Storage { hot, ..storage(&[(4096, 1)], BlockOrder::Random) };
    let all = ios(&workload, 0, 100_000);
    let tenth = workload.bytes_per_vm / 10;
    let in_hot = all.iter().filter(|io| io.offset < tenth).count();
    assert!((89_500..90_500).contains(&in_hot), "{in_hot}");
    let mut cold = [0; 9];
    for io in all.iter().filter(|io| io.offset >= tenth) {
        cold[(io.offset / tenth - 1).min(8) as usize] += 1;
    }
    assert!(cold.iter().all(|&n| (950..1_280).contains(&n)), "{cold:?}");
}

#[test]
fn without_a_hot_region_every_place_is_as_likely() {
    let workload = Storage { bytes_per_vm: 16 * 4096, ..storage(&[(4096, 1)], BlockOrder::Random) };
    let mut seen = [0; 16];
    ios(&workload, 0, 160_000).iter().for_each(|io| seen[(io.offset / 4096) as usize] += 1);
    assert!(seen.iter().all(|&n| (9_500..10_500).contains(&n)), "{seen:?}");
}

#[test]
fn sizes_come_by_their_weights() {
    let all = ios(&storage(&[(4096, 3), (16_384, 1)], BlockOrder::Random), 0, 100_000);
    let small = all.iter().filter(|io| io.bytes == 4096).count();
    assert!((74_500..75_500).contains(&small), "{small}");
}

#[test]
fn sequential_threads_walk_parts_of_their_own_and_begin_anew() {
    let workload = Storage {
        threads: 2,
        bytes_per_vm: 8 * 4096,
        ..storage(&[(4096, 1)], BlockOrder::Sequential)
    };
    let blocks = |thread| -> Vec<u64> {
        ios(&workload, thread, 5).iter().map(|io| io.offset / 4096).collect()
    };
    assert_eq!(blocks(0), [0, 1, 2, 3, 0]);
    assert_eq!(blocks(1), [4, 5, 6, 7, 4]);
}

#[test]
fn threads_and_virtual_machines_differ_and_repeat_exactly() {
    let workload = storage(&[(4096, 1)], BlockOrder::Random);
    assert_eq!(ios(&workload, 1, 100), ios(&workload, 1, 100));
    assert_ne!(ios(&workload, 1, 100), ios(&workload, 2, 100));
    let mut other = IoSource::new(&workload, 7, 1, 1);
    let other: Vec<Io> = (0..100).map(|_| other.next_io()).collect();
    assert_ne!(ios(&workload, 1, 100), other);
}

#[test]
fn the_unit_of_verification_divides_every_block() {
    for (blocks, expected) in [
        (vec![(4096, 1)], 4096),
        (vec![(2 << 20, 1), (16_384, 1)], 4096),
        (vec![(8192, 1), (1536, 1)], 512),
        (vec![(2048, 1)], 2048),
    ] {
        assert_eq!(unit(&storage(&blocks, BlockOrder::Random)), expected);
    }
}

proptest! {
    #[test]
    fn blocks_are_aligned_to_their_size_and_within_the_space(
        sizes in prop::collection::btree_set(prop::sample::select(vec![512u32, 1536, 4096, 16_384]), 1..4),
        sequential: bool,
        threads in 1u32..5,
        spaces in 2u64..50,
        hot in prop::option::of((1u8..100, 1u8..100)),
        seed: u64,
    ) {
        let blocks: Vec<(u32, u32)> = sizes.iter().map(|&bytes| (bytes, 1)).collect();
        let order = if sequential { BlockOrder::Sequential } else { BlockOrder::Random };
        let mut workload = storage(&blocks, order);
        workload.bytes_per_vm = spaces * u64::from(workload.largest_block());
        workload.threads = threads;
        workload.hot = hot
            .filter(|_| !sequential)
            .map(|(io_percent, space_percent)| HotRegion { io_percent, space_percent });
        for thread in 0..threads {
            let mut source = IoSource::new(&workload, seed, 3, thread);
            for _ in 0..200 {
                let io = source.next_io();
                prop_assert!(io.offset.is_multiple_of(u64::from(io.bytes)));
                prop_assert!(io.offset + u64::from(io.bytes) <= workload.bytes_per_vm);
            }
        }
    }
}
