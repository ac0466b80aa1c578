//! Reads and writes of blocks: which comes next, and what is in them.

mod checksum;
mod content;
mod places;
mod share;

pub use checksum::{Flaw, HEADER, UnitHeader, read_header, unit, write_header};
pub use content::{NUMBERED, fill_noise, number};

use self::places::Places;
use self::share::Share;
use crate::Stream;
use model::{BlockShare, Storage};

/// One read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    /// Whether it writes; else it reads.
    pub write: bool,
    /// Where in the data of its virtual machine, in bytes: a multiple of its size.
    pub offset: u64,
    /// Its size.
    pub bytes: u32,
}

/// The reads and writes of one thread of one virtual machine, without end.
///
/// ```
/// use workload::storage::IoSource;
/// // Of every hundred exactly 70 read.
/// let storage = model::Storage { read_percent: 70, ..model::Storage::default() };
/// let mut source = IoSource::new(&storage, 7, 0, 0);
/// let next: Vec<_> = (0..100).map(|_| source.next_io()).collect();
/// assert_eq!(next.iter().filter(|io| !io.write).count(), 70);
/// assert!(next.iter().all(|io| io.bytes == 4096 && io.offset % 4096 == 0));
/// ```
#[derive(Clone, Debug)]
pub struct IoSource {
    reads: Share,
    kinds: Stream,
    blocks: Vec<BlockShare>,
    /// All weights together.
    weights: u32,
    sizes: Stream,
    places: Places,
}

impl IoSource {
    /// What thread number `thread` of virtual machine number `vm`, both from 0, asks for in a
    /// trial with that seed.
    pub fn new(storage: &Storage, seed: u64, vm: u32, thread: u32) -> Self {
        let number = u64::from(vm) << 32 | u64::from(thread);
        let blocks = match storage.blocks.as_slice() {
            // A workload without blocks is refused elsewhere; here it must only not divide by 0.
            [] => vec![BlockShare { bytes: 4096, weight: 1 }],
            blocks => blocks.to_vec(),
        };
        Self {
            reads: Share::new(storage.read_percent),
            kinds: Stream::new(seed, "io kinds", number),
            weights: blocks.iter().map(|share| share.weight).fold(0, u32::saturating_add).max(1),
            sizes: Stream::new(seed, "io sizes", number),
            places: Places::new(storage, &blocks, thread, Stream::new(seed, "io places", number)),
            blocks,
        }
    }

    /// The next read or write.
    #[inline]
    pub fn next_io(&mut self) -> Io {
        let write = !self.reads.next(&mut self.kinds);
        let size = if self.blocks.len() == 1 { 0 } else { self.draw_size() };
        let bytes = self.blocks[size].bytes;
        Io { write, offset: self.places.next(size, bytes), bytes }
    }

    fn draw_size(&mut self) -> usize {
        let mut left = self.sizes.between(1, self.weights);
        self.blocks
            .iter()
            .position(|share| {
                let here = left <= share.weight;
                left = left.saturating_sub(share.weight);
                here
            })
            .unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
