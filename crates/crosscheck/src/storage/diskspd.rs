use super::StorageOrder;
use model::{BlockOrder, Storage};
use std::path::Path;

/// A command line of DiskSpd for one virtual machine, and in what it does not mean the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskspdLine {
    /// The command.
    pub command: String,
    /// What it leaves out or does in another way, each a sentence without its full stop.
    pub differs: Vec<&'static str>,
}

/// The command line of DiskSpd 2.1 that comes nearest to a load, to be run in each of the virtual
/// machines on a file of that path, which it makes where it is not there.
///
/// Options as in <https://github.com/microsoft/diskspd/wiki/Command-line-and-parameters>.
pub fn diskspd(order: &StorageOrder<'_>, path: &Path) -> DiskspdLine {
    let storage = order.storage;
    let block = most_drawn(storage);
    let (threads, depth) = (storage.threads.max(1), order.depth());
    let mut words = vec![
        "diskspd.exe".to_owned(),
        format!("-c{}", storage.bytes_per_vm),
        format!("-b{block}"),
        format!("-t{threads}"),
        format!("-o{depth}"),
        format!("-w{}", 100 - storage.read_percent.min(100)),
        format!("-W{}", order.warmup.as_millis().div_ceil(1000)),
        format!("-d{}", order.duration.as_millis().div_ceil(1000)),
        // No cache of the system, as with O_DIRECT; latencies; values that do not compress.
        "-Su".to_owned(),
        "-L".to_owned(),
        "-Zr".to_owned(),
    ];
    let mut differs = Vec::new();
    match storage.order {
        BlockOrder::Random => words.push(format!("-r{block}")),
        BlockOrder::Sequential if threads > 1 => {
            let part =
                storage.bytes_per_vm / u64::from(threads) / u64::from(block) * u64::from(block);
            words.push(format!("-T{part}"));
            differs.push("its threads go on into the next one's part of the file");
        }
        BlockOrder::Sequential => words.push("-s".to_owned()),
    }
    if let Some(hot) = storage.hot {
        let (io, space) = (hot.io_percent, hot.space_percent);
        words.push(format!("-rdpct{io}/{space}:{}/{}", 100 - io, 100 - space));
    }
    if let Some(limit) = storage.iops_limit {
        words.push(format!("-g{}i", (limit / threads).max(1)));
    }
    if storage.blocks.len() > 1 {
        differs.push("it has one block size: the one that is drawn most often stands there");
    }
    if storage.sync_every.is_some() {
        differs.push("it cannot sync after so many writes");
    }
    if storage.verify {
        differs.push("it does not check what it reads");
    }
    words.push(format!("\"{}\"", path.display()));
    DiskspdLine { command: words.join(" "), differs }
}

/// The block size of the highest weight, the first of several.
fn most_drawn(storage: &Storage) -> u32 {
    let heaviest = storage.blocks.iter().map(|share| share.weight).max().unwrap_or(0);
    let found = storage.blocks.iter().find(|share| share.weight == heaviest);
    found.map_or(storage.largest_block(), |share| share.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{BlockShare, HotRegion};
    use std::time::Duration;

    fn line(storage: &Storage, queue_depth: u32) -> DiskspdLine {
        let order = StorageOrder {
            storage,
            data: &[],
            queue_depth,
            warmup: Duration::from_secs(5),
            duration: Duration::from_millis(30_500),
        };
        diskspd(&order, Path::new("C:\\ClusterStorage\\vol1\\vm0.dat"))
    }

    fn storage() -> Storage {
        Storage {
            blocks: vec![BlockShare { bytes: 16384, weight: 1 }],
            read_percent: 70,
            bytes_per_vm: 40 << 30,
            ..Storage::default()
        }
    }

    #[test]
    fn a_pattern_is_spelled_out() {
        let line = line(&storage(), 32);
        assert_eq!(
            line.command,
            "diskspd.exe -c42949672960 -b16384 -t1 -o32 -w30 -W5 -d31 -Su -L -Zr -r16384 \
             \"C:\\ClusterStorage\\vol1\\vm0.dat\""
        );
        assert!(line.differs.is_empty(), "{line:?}");
    }

    #[test]
    fn what_it_cannot_do_is_said() {
        let hard = Storage {
            blocks: vec![
                BlockShare { bytes: 4096, weight: 1 },
                BlockShare { bytes: 8192, weight: 3 },
            ],
            sync_every: Some(1),
            hot: Some(HotRegion { io_percent: 90, space_percent: 10 }),
            iops_limit: Some(500),
            threads: 4,
            verify: true,
            ..storage()
        };
        let line = line(&hard, 64);
        for word in ["-b8192", "-t4", "-o16", "-rdpct90/10:10/90", "-g125i"] {
            assert!(line.command.contains(word), "no {word} in {}", line.command);
        }
        assert_eq!(line.differs.len(), 3, "{line:?}");
    }
}
