use io_uring::IoUring;
use io_uring::types::BufRingEntry;
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU16, Ordering};

/// How many buffers the kernel may fill before they are given back; a power of two.
const COUNT: u16 = 512;
/// Bytes in each.
const SIZE: usize = 8 * 1024;
/// The only group of buffers of a ring.
pub(super) const GROUP: u16 = 0;

/// Memory that the kernel puts received bytes into, one buffer for each completion.
///
/// Shared by all connections of a ring, so that a thousand idle ones cost nothing.
#[derive(Debug)]
pub(super) struct ProvidedBuffers {
    /// `COUNT` ring entries, page-aligned, in anonymous memory.
    entries: NonNull<BufRingEntry>,
    memory: Box<[u8]>,
    tail: u16,
}

// SAFETY: the memory behind `entries` belongs to this value alone (and the kernel).
unsafe impl Send for ProvidedBuffers {}

impl ProvidedBuffers {
    const ENTRIES_BYTES: usize = COUNT as usize * size_of::<BufRingEntry>();

    /// Registers the buffers with a ring and hands all of them to the kernel. They must outlive
    /// the ring.
    pub(super) fn register(ring: &IoUring) -> io::Result<Self> {
        // SAFETY: a fresh anonymous mapping; the result is checked.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                Self::ENTRIES_BYTES,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_ANONYMOUS | libc::MAP_PRIVATE,
                -1,
                0,
            )
        };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let entries = NonNull::new(address.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        let memory = vec![0; usize::from(COUNT) * SIZE].into_boxed_slice();
        let mut buffers = Self { entries, memory, tail: 0 };
        // SAFETY: the entries live until this value is dropped, which the owner does after the
        // ring.
        unsafe {
            ring.submitter().register_buf_ring_with_flags(address as u64, COUNT, GROUP, 0)?;
        }
        for id in 0..COUNT {
            buffers.give_back(id);
        }
        buffers.publish();
        Ok(buffers)
    }

    /// The first bytes of a buffer that the kernel has filled.
    pub(super) fn filled(&self, id: u16, length: usize) -> &[u8] {
        let start = usize::from(id) * SIZE;
        &self.memory[start..start + length.min(SIZE)]
    }

    /// Lets the kernel have a buffer again, from the next [`Self::publish`] on.
    pub(super) fn give_back(&mut self, id: u16) {
        let place = usize::from(self.tail & (COUNT - 1));
        let address = self.memory[usize::from(id) * SIZE..].as_ptr() as u64;
        // SAFETY: `place` is below COUNT; the kernel reads no entry beyond the published tail.
        let entry = unsafe { self.entries.add(place).as_mut() };
        entry.set_addr(address);
        entry.set_len(SIZE as u32);
        entry.set_bid(id);
        self.tail = self.tail.wrapping_add(1);
    }

    /// Shows the kernel what was given back.
    pub(super) fn publish(&self) {
        // SAFETY: the tail stands in the reserved field of the first entry, aligned for u16, and
        // the kernel reads it atomically.
        unsafe {
            let tail = BufRingEntry::tail(self.entries.as_ptr()).cast::<AtomicU16>();
            (*tail).store(self.tail, Ordering::Release);
        }
    }
}

impl Drop for ProvidedBuffers {
    fn drop(&mut self) {
        // SAFETY: mapped by `register` with this length and used by nobody any more.
        unsafe {
            libc::munmap(self.entries.as_ptr().cast(), Self::ENTRIES_BYTES);
        }
    }
}
