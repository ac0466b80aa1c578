use crate::Oversubscription;
use serde::{Deserialize, Serialize};

/// Reads and writes of blocks in files or devices: what a database asks of its volumes.
///
/// A fleet of virtual machines is stood for by as many files (or parts of devices), each with its
/// own I/O in flight. How much each has in flight is the level of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Storage {
    /// Sizes of blocks and how often each is drawn; at least one, no size twice.
    pub blocks: Vec<BlockShare>,
    /// Share of reads, in percent: 0 to 100.
    pub read_percent: u8,
    /// Where the next block is.
    pub order: BlockOrder,
    /// A part of the space that gets more than its share; only with [`BlockOrder::Random`].
    pub hot: Option<HotRegion>,
    /// An `fdatasync` follows every so many writes of a virtual machine, and it waits for that;
    /// never when absent.
    pub sync_every: Option<u32>,
    /// Virtual machines, spread evenly over the volumes of the target; at least 1.
    pub vms: u32,
    /// Data of each virtual machine, in bytes: a multiple of the largest block.
    pub bytes_per_vm: u64,
    /// Threads that the pattern gives each virtual machine (the `t` of `t1 o32 b16k`): they divide
    /// what it has in flight. Sequential threads each walk a part of the data of their own.
    pub threads: u32,
    /// Reads and writes per second to which each virtual machine is limited; unlimited when absent.
    pub iops_limit: Option<u32>,
    /// Whether every block is written with a checksum, its place and its generation, and checked
    /// when it is read.
    pub verify: bool,
    /// How the virtual machines share processors; when absent, only the host limits them.
    pub oversubscription: Option<Oversubscription>,
}

/// Blocks of one size in a mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockShare {
    /// Bytes; a multiple of 512.
    pub bytes: u32,
    /// How often relative to the other sizes; at least 1.
    pub weight: u32,
}

/// Where the next block of a virtual machine's thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockOrder {
    /// Anywhere, aligned to its size, every place equally likely (but for a hot region).
    Random,
    /// After the last one, and round again.
    Sequential,
}

/// A part of the space, at its beginning, that gets more than its share of reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HotRegion {
    /// Reads and writes that go to it, in percent: 1 to 99.
    pub io_percent: u8,
    /// How large it is, in percent of the space: 1 to 99.
    pub space_percent: u8,
}

impl Default for Storage {
    /// Reads of 4 KiB at random by one thread of one virtual machine with 1 GiB of data.
    fn default() -> Self {
        Self {
            blocks: vec![BlockShare { bytes: 4096, weight: 1 }],
            read_percent: 100,
            order: BlockOrder::Random,
            hot: None,
            sync_every: None,
            vms: 1,
            bytes_per_vm: 1 << 30,
            threads: 1,
            iops_limit: None,
            verify: false,
            oversubscription: None,
        }
    }
}

impl Storage {
    /// The name of the workload in study files and reports.
    pub const NAME: &'static str = "storage";

    /// The largest block, in bytes.
    pub fn largest_block(&self) -> u32 {
        self.blocks.iter().map(|share| share.bytes).max().unwrap_or(0)
    }

    /// The smallest block, in bytes.
    pub fn smallest_block(&self) -> u32 {
        self.blocks.iter().map(|share| share.bytes).min().unwrap_or(0)
    }

    /// Whether anything is written.
    pub fn writes(&self) -> bool {
        self.read_percent < 100
    }

    /// Processors that the virtual machines share, where they are limited to some.
    pub fn processors(&self) -> Option<f64> {
        self.oversubscription.map(|shared| shared.processors(self.vms))
    }

    /// The pattern as storage engineers write it, such as `t1 o32 b16k`, for a virtual machine with
    /// so much in flight.
    pub fn pattern(&self, queue_depth: u32) -> String {
        let threads = self.threads.max(1);
        let blocks: Vec<String> =
            self.blocks.iter().map(|share| short_size(share.bytes.into())).collect();
        format!("t{threads} o{} b{}", queue_depth / threads, blocks.join("+"))
    }
}

/// A size as in `16k` or `2m`: the largest binary unit that divides it.
fn short_size(bytes: u64) -> String {
    [(30, "g"), (20, "m"), (10, "k")]
        .into_iter()
        .find(|(shift, _)| bytes > 0 && bytes.is_multiple_of(1 << shift))
        .map_or_else(|| bytes.to_string(), |(shift, unit)| format!("{}{unit}", bytes >> shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn storage(blocks: &[(u32, u32)], threads: u32) -> Storage {
        let blocks = blocks.iter().map(|&(bytes, weight)| BlockShare { bytes, weight }).collect();
        Storage { blocks, read_percent: 70, threads, ..Storage::default() }
    }

    #[test]
    fn a_pattern_reads_as_storage_engineers_write_it() {
        assert_eq!(storage(&[(16 << 10, 1)], 1).pattern(32), "t1 o32 b16k");
        assert_eq!(storage(&[(4096, 1)], 4).pattern(64), "t4 o16 b4k");
        assert_eq!(storage(&[(2 << 20, 1)], 1).pattern(32), "t1 o32 b2m");
        assert_eq!(storage(&[(512, 3), (8192, 1)], 1).pattern(1), "t1 o1 b512+8k");
    }
}
