use crate::Stream;
use model::{BlockOrder, BlockShare, Storage};

/// Where the blocks of one thread are.
#[derive(Clone, Debug)]
pub(super) enum Places {
    /// Anywhere.
    Random { slots: Vec<Slots>, hot_percent: u32, stream: Stream },
    /// One after another, from `from` to `until` and round again.
    Sequential { from: u64, until: u64, next: u64 },
}

/// The places that blocks of one size can have, counted in blocks.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    /// In the hot region, which begins at place 0.
    hot: u64,
    /// The first one wholly behind it.
    cold_from: u64,
    /// From there to the end.
    cold: u64,
}

impl Places {
    pub(super) fn new(
        storage: &Storage,
        blocks: &[BlockShare],
        thread: u32,
        stream: Stream,
    ) -> Self {
        let space = storage.bytes_per_vm;
        let largest = blocks.iter().map(|share| u64::from(share.bytes)).max().unwrap_or(1).max(1);
        match storage.order {
            BlockOrder::Random => {
                let hot = storage.hot.map_or(0, |hot| {
                    let bytes = u128::from(space) * u128::from(hot.space_percent) / 100;
                    // A part of each kind has room for one block of any size at least.
                    let bytes = u64::try_from(bytes).unwrap_or(space) / largest * largest;
                    bytes.max(largest).min(space.saturating_sub(largest))
                });
                let slots = |share: &BlockShare| {
                    let bytes = u64::from(share.bytes).max(1);
                    let cold_from = hot.div_ceil(bytes);
                    let cold = (space / bytes).saturating_sub(cold_from);
                    Slots { hot: hot / bytes, cold_from, cold }
                };
                Self::Random {
                    slots: blocks.iter().map(slots).collect(),
                    hot_percent: storage.hot.map_or(0, |hot| u32::from(hot.io_percent)),
                    stream,
                }
            }
            BlockOrder::Sequential => {
                let threads = u64::from(storage.threads.max(1));
                let edge = |number: u64| {
                    let bytes = u128::from(space) * u128::from(number) / u128::from(threads);
                    u64::try_from(bytes).unwrap_or(space) / largest * largest
                };
                let thread = u64::from(thread) % threads;
                let (from, until) = (edge(thread), edge(thread + 1));
                // Threads without room of their own share the whole.
                let (from, until) = if until > from { (from, until) } else { (0, space) };
                Self::Sequential { from, until, next: from }
            }
        }
    }

    /// The place of the next block, which has that size: number `size` in the list.
    #[inline]
    pub(super) fn next(&mut self, size: usize, bytes: u32) -> u64 {
        let bytes = u64::from(bytes);
        match self {
            Self::Random { slots, hot_percent, stream } => {
                let slots = &slots[size];
                let hot = slots.hot > 0 && stream.between(1, 100) <= *hot_percent;
                let place = if hot || slots.cold == 0 {
                    stream.below(slots.hot.max(1))
                } else {
                    slots.cold_from + stream.below(slots.cold)
                };
                place * bytes
            }
            Self::Sequential { from, until, next } => {
                let mut place = next.next_multiple_of(bytes);
                if place + bytes > *until {
                    place = from.next_multiple_of(bytes);
                }
                *next = place + bytes;
                place
            }
        }
    }
}
