use super::StorageOrder;
use model::{BlockOrder, Storage};
use std::path::Path;
use std::time::Duration;

/// The options of fio that mean a load: those of all jobs, then a job for each thread of each
/// virtual machine. Sequential threads each have a part of the data of their own.
pub(super) fn jobs(order: &StorageOrder<'_>, seed: u64) -> Vec<String> {
    let storage = order.storage;
    let mut all = Options(Vec::new());
    all.set("direct", 1);
    all.set("time_based", 1);
    if !order.warmup.is_zero() {
        all.set("ramp_time", Milliseconds(order.warmup));
    }
    all.set("runtime", Milliseconds(order.duration));
    all.set("randseed", seed);
    // Files are there, and stay as they are.
    all.set("allow_file_create", 0);
    all.set("fallocate", "none");
    all.pattern(storage);
    all.set("iodepth", order.depth());
    all.limit(storage);
    for (number, data) in order.data.iter().enumerate() {
        let threads = storage.threads.max(1);
        for thread in 0..threads {
            all.set("name", format_args!("vm{number}-{thread}"));
            all.set("filename", escaped(&data.path));
            let (offset, size) = match storage.order {
                BlockOrder::Random => (data.offset, data.length),
                BlockOrder::Sequential => part(storage, data.offset, data.length, thread),
            };
            all.set("offset", offset);
            all.set("size", size);
        }
    }
    all.0
}

/// Where a sequential thread's part begins and how long it is: whole blocks.
fn part(storage: &Storage, offset: u64, length: u64, thread: u32) -> (u64, u64) {
    let block = u64::from(storage.largest_block().max(1));
    let size = length / u64::from(storage.threads.max(1)) / block * block;
    (offset + size * u64::from(thread), size)
}

struct Options(Vec<String>);

impl Options {
    fn set(&mut self, name: &str, value: impl std::fmt::Display) {
        self.0.push(format!("--{name}={value}"));
    }

    fn pattern(&mut self, storage: &Storage) {
        let reads = storage.read_percent;
        let direction = match reads {
            0 => "write",
            100.. => "read",
            _ => "rw",
        };
        match storage.order {
            BlockOrder::Sequential => self.set("rw", direction),
            BlockOrder::Random => self.set("rw", format_args!("rand{direction}")),
        }
        if direction == "rw" {
            self.set("rwmixread", reads);
        }
        match storage.blocks.as_slice() {
            [only] => self.set("bs", only.bytes),
            _ => self.set("bssplit", split(storage)),
        }
        if let Some(hot) = storage.hot {
            let (io, space) = (hot.io_percent, hot.space_percent);
            let rest = (100 - io, 100 - space);
            self.set(
                "random_distribution",
                format_args!("zoned:{io}/{space}:{}/{}", rest.0, rest.1),
            );
        }
        if let Some(writes) = storage.sync_every {
            self.set("fdatasync", writes);
        }
    }

    /// A virtual machine's limit, shared by its threads; fio limits reads and writes apart.
    fn limit(&mut self, storage: &Storage) {
        let Some(limit) = storage.iops_limit else { return };
        let each = f64::from(limit) / f64::from(storage.threads.max(1));
        let share = |percent: u8| ((each * f64::from(percent) / 100.0).round() as u32).max(1);
        let (reads, writes) = (storage.read_percent.min(100), 100 - storage.read_percent.min(100));
        match (reads, writes) {
            (_, 0) | (0, _) => self.set("rate_iops", share(100)),
            _ => self.set("rate_iops", format_args!("{},{}", share(reads), share(writes))),
        }
    }
}

/// Block sizes with their shares in percent, such as `4096/75:16384/25`; fio takes whole ones. The
/// last size gets what is left over.
fn split(storage: &Storage) -> String {
    let all: u64 = storage.blocks.iter().map(|share| u64::from(share.weight)).sum();
    let mut left = 100;
    let last = storage.blocks.len().saturating_sub(1);
    let parts = storage.blocks.iter().enumerate().map(|(at, share)| {
        let percent = match at == last {
            true => left,
            false => (u64::from(share.weight) * 100 / all.max(1)).min(left),
        };
        left -= percent;
        format!("{}/{percent}", share.bytes)
    });
    parts.collect::<Vec<_>>().join(":")
}

/// Whether the shares of block sizes are whole percentages.
pub(super) fn splits_evenly(storage: &Storage) -> bool {
    let all: u64 = storage.blocks.iter().map(|share| u64::from(share.weight)).sum();
    storage.blocks.iter().all(|share| (u64::from(share.weight) * 100).is_multiple_of(all.max(1)))
}

/// A path as fio takes it: a colon parts several files.
fn escaped(path: &Path) -> String {
    path.display().to_string().replace(':', "\\:")
}

/// A length of time as fio takes it.
struct Milliseconds(Duration);

impl std::fmt::Display for Milliseconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}ms", self.0.as_millis())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Data;
    use model::{BlockShare, HotRegion};

    fn storage(blocks: &[(u32, u32)], read_percent: u8) -> Storage {
        let blocks = blocks.iter().map(|&(bytes, weight)| BlockShare { bytes, weight }).collect();
        Storage { blocks, read_percent, ..Storage::default() }
    }

    fn line(storage: &Storage, queue_depth: u32) -> String {
        let data: Vec<Data> = (0..storage.vms)
            .map(|number| Data {
                path: format!("/vol:1/vm{number}.dat").into(),
                offset: 4096,
                length: storage.bytes_per_vm,
            })
            .collect();
        let order = StorageOrder {
            storage,
            data: &data,
            queue_depth,
            warmup: Duration::from_millis(500),
            duration: Duration::from_secs(2),
        };
        jobs(&order, 7).join(" ")
    }

    #[test]
    fn a_plain_pattern_is_spelled_out() {
        let text = line(&storage(&[(4096, 1)], 100), 32);
        for part in [
            "--direct=1 --time_based=1 --ramp_time=500ms --runtime=2000ms --randseed=7",
            "--rw=randread --bs=4096 ",
            "--iodepth=32 --name=vm0-0 --filename=/vol\\:1/vm0.dat --offset=4096 --size=1073741824",
        ] {
            assert!(text.contains(part), "no {part} in {text}");
        }
        assert!(!text.contains("rwmixread") && !text.contains("rate_iops"), "{text}");
    }

    #[test]
    fn mixtures_hot_regions_syncs_and_limits_are_spelled_out() {
        let mixed = Storage {
            hot: Some(HotRegion { io_percent: 90, space_percent: 10 }),
            sync_every: Some(8),
            iops_limit: Some(1000),
            threads: 2,
            vms: 2,
            ..storage(&[(4096, 3), (16384, 1)], 70)
        };
        let text = line(&mixed, 64);
        for part in [
            "--rw=randrw --rwmixread=70 --bssplit=4096/75:16384/25",
            "--random_distribution=zoned:90/10:10/90 --fdatasync=8",
            "--iodepth=32 --rate_iops=350,150",
            "--name=vm1-1 --filename=/vol\\:1/vm1.dat",
        ] {
            assert!(text.contains(part), "no {part} in {text}");
        }
        assert_eq!(text.matches("--name=").count(), 4, "a job for each thread");
        let writing = Storage { iops_limit: Some(500), ..storage(&[(4096, 1)], 0) };
        assert!(line(&writing, 1).contains("--rw=randwrite"));
        assert!(line(&writing, 1).contains("--rate_iops=500 "));
    }

    #[test]
    fn sequential_threads_have_a_part_each() {
        let sequential = Storage {
            order: BlockOrder::Sequential,
            threads: 4,
            bytes_per_vm: 100 << 20,
            ..storage(&[(2 << 20, 1)], 100)
        };
        let text = line(&sequential, 8);
        let size = 24 << 20;
        assert!(text.contains("--rw=read --bs=2097152"), "{text}");
        assert!(text.contains("--iodepth=2 "), "{text}");
        let second = format!("--offset={} --size={size}", 4096 + size);
        assert!(text.contains(&second), "no {second} in {text}");
    }

    #[test]
    fn shares_that_are_no_whole_percentages_are_known() {
        assert!(splits_evenly(&storage(&[(4096, 3), (16384, 1)], 100)));
        let thirds = storage(&[(4096, 1), (8192, 1), (16384, 1)], 100);
        assert!(!splits_evenly(&thirds));
        assert_eq!(split(&thirds), "4096/33:8192/33:16384/34");
    }
}
