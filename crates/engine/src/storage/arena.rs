use super::StorageError;
use super::transport::Kind;
use std::ptr::NonNull;
use workload::Stream;
use workload::storage::fill_noise;

/// What the start of every buffer is a multiple of: enough for any device.
const ALIGNMENT: usize = 4096;

/// Which buffers a load needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    pub(super) slots: usize,
    /// Of each buffer, in bytes.
    pub(super) bytes: usize,
    pub(super) reads: bool,
    pub(super) writes: bool,
}

/// The buffers of all slots in one piece of memory. Each slot has one for reads and one for
/// writes, as far as they are needed: what is written stays incompressible whatever is read.
#[derive(Debug)]
pub(super) struct Arena {
    base: NonNull<u8>,
    length: usize,
    /// From one buffer to the next.
    stride: usize,
    /// From a slot's buffer for reads to that for writes.
    to_write: usize,
    /// From one slot to the next.
    per_slot: usize,
    /// Whether the kernel or another thread has the buffer.
    lent: Box<[bool]>,
}

// SAFETY: the memory belongs to this value alone, but for buffers that are lent, which it does not
// touch.
unsafe impl Send for Arena {}

impl Arena {
    /// Buffers, those for writes filled with noise.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub(super) fn new(need: Need, seed: u64) -> Result<Self, StorageError> {
        let stride = need.bytes.max(1).next_multiple_of(ALIGNMENT);
        let buffers = usize::from(need.reads) + usize::from(need.writes);
        let per_slot = stride * buffers.max(1);
        let length = per_slot.saturating_mul(need.slots.max(1));
        let memory = memory();
        if length as u64 > memory / 2 {
            return Err(StorageError::Memory { needed: length as u64, memory });
        }
        // SAFETY: a fresh anonymous mapping; the result is checked.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_ANONYMOUS | libc::MAP_PRIVATE,
                -1,
                0,
            )
        };
        let base = NonNull::new(address.cast::<u8>()).filter(|_| address != libc::MAP_FAILED);
        let Some(base) = base else {
            return Err(StorageError::Memory { needed: length as u64, memory });
        };
        // SAFETY: the mapping above. Large pages only save time; it does without.
        unsafe {
            libc::madvise(address, length, libc::MADV_HUGEPAGE);
        }
        let lent = vec![false; need.slots.max(1)].into_boxed_slice();
        let to_write = if need.reads { stride } else { 0 };
        let mut arena = Self { base, length, stride, to_write, per_slot, lent };
        if need.writes {
            let mut stream = Stream::new(seed, "content", 0);
            for slot in 0..need.slots as u32 {
                fill_noise(&mut stream, arena.buffer(slot, Kind::Write, need.bytes as u32));
            }
        }
        Ok(arena)
    }

    fn start(&self, slot: u32, kind: Kind) -> usize {
        let within = if kind == Kind::Write { self.to_write } else { 0 };
        slot as usize * self.per_slot + within
    }

    /// A slot's buffer, as far as it is wanted; empty while it is lent.
    pub(super) fn buffer(&mut self, slot: u32, kind: Kind, bytes: u32) -> &mut [u8] {
        let (start, bytes) = (self.start(slot, kind), (bytes as usize).min(self.stride));
        if self.lent.get(slot as usize) != Some(&false) || start + bytes > self.length {
            return &mut [];
        }
        // SAFETY: within the mapping, as checked, which is initialised to zero; not lent, so that
        // nobody else has it, and borrowed as long as `self` is.
        unsafe { std::slice::from_raw_parts_mut(self.base.as_ptr().add(start), bytes) }
    }

    /// Lends a slot's buffer out until [`Self::give_back`]: it may be written to by whoever has
    /// the address, for as long as the arena lives.
    pub(super) fn lend(&mut self, slot: u32, kind: Kind) -> *mut u8 {
        self.lent[slot as usize] = true;
        // SAFETY: slots are those that the arena was made for.
        unsafe { self.base.as_ptr().add(self.start(slot, kind)) }
    }

    /// A slot's buffer is back.
    pub(super) fn give_back(&mut self, slot: u32) {
        self.lent[slot as usize] = false;
    }

    /// Leaves the memory to whoever has buffers of it, until the process ends.
    pub(super) fn keep_for_ever(&mut self) {
        self.length = 0;
    }

    /// Parts of the memory of at most so many bytes, each with whole slots, in order; and how many
    /// slots a part has.
    pub(super) fn parts(&self, most: usize) -> (Vec<libc::iovec>, u32) {
        let slots = (most / self.per_slot).clamp(1, self.lent.len());
        let starts = (0..self.length).step_by(slots * self.per_slot);
        let part = |start: usize| libc::iovec {
            // SAFETY: `start` lies within the mapping.
            iov_base: unsafe { self.base.as_ptr().add(start) }.cast(),
            iov_len: (slots * self.per_slot).min(self.length - start),
        };
        (starts.map(part).collect(), slots as u32)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if self.length == 0 {
            return;
        }
        // SAFETY: mapped by `new` with this length. Whoever still does input or output with it has
        // pinned its pages.
        unsafe {
            libc::munmap(self.base.as_ptr().cast(), self.length);
        }
    }
}

/// Memory of this machine, in bytes.
fn memory() -> u64 {
    // SAFETY: sysconf takes no pointers.
    let (pages, page) =
        unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let bytes = u64::try_from(pages).ok().zip(u64::try_from(page).ok());
    bytes.map_or(u64::MAX, |(pages, page)| pages.saturating_mul(page))
}
