//! Reads and writes through io_uring, with files and buffers that the kernel knows beforehand.

use super::arena::Arena;
use super::transport::{Done, Kind, Request, Transport};
use crate::{Clock, Nanos};
use io_uring::types::{Fixed, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{IoUring, opcode, squeue};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// Requests that may be pushed before they are handed over.
const ENTRIES: u32 = 256;
/// Largest piece of memory that the kernel takes as one registered buffer.
const LARGEST_PART: usize = 1 << 30;
/// Most completions that a ring can hold.
const MAX_COMPLETIONS: u32 = 1 << 16;

/// A ring with its files and buffers.
pub(super) struct Ring {
    // Dropped in this order: the kernel must let go of the memory before it goes.
    ring: IoUring,
    arena: Arena,
    _files: Vec<File>,
    /// Slots in each registered buffer; absent where buffers could not be registered.
    slots_in_part: Option<u32>,
    done: Vec<(u64, i32)>,
    taken: usize,
    woke: Nanos,
    clock: Clock,
}

impl Ring {
    /// A ring for the calling thread, with so many slots.
    ///
    /// # Errors
    /// When the kernel has no io_uring, lacks something of it, or does not permit it.
    pub(super) fn new(
        slots: usize,
        files: Vec<File>,
        arena: Arena,
        clock: Clock,
    ) -> io::Result<Self> {
        let ring = ready(slots, &files)?;
        let (parts, slots_in_part) = arena.parts(LARGEST_PART);
        // SAFETY: the memory outlives the ring, which is dropped first.
        let registered = unsafe { ring.submitter().register_buffers(&parts) };
        // Where too little memory may be locked the kernel looks up the pages each time.
        let slots_in_part = registered.is_ok().then_some(slots_in_part);
        let done = Vec::with_capacity(slots);
        let woke = clock.now();
        Ok(Self { ring, arena, _files: files, slots_in_part, done, taken: 0, woke, clock })
    }

    fn entry(&mut self, request: &Request) -> squeue::Entry {
        let &Request { slot, file, kind, offset, bytes } = request;
        let file = Fixed(file);
        let entry = match (kind, self.slots_in_part) {
            (Kind::Sync, _) => opcode::Fsync::new(file).flags(FsyncFlags::DATASYNC).build(),
            (Kind::Read, Some(slots)) => {
                let part = (slot / slots) as u16;
                let address = self.arena.lend(slot, kind);
                opcode::ReadFixed::new(file, address, bytes, part).offset(offset).build()
            }
            (Kind::Write, Some(slots)) => {
                let part = (slot / slots) as u16;
                let address = self.arena.lend(slot, kind);
                opcode::WriteFixed::new(file, address, bytes, part).offset(offset).build()
            }
            (Kind::Read, None) => {
                let address = self.arena.lend(slot, kind);
                opcode::Read::new(file, address, bytes).offset(offset).build()
            }
            (Kind::Write, None) => {
                let address = self.arena.lend(slot, kind);
                opcode::Write::new(file, address, bytes).offset(offset).build()
            }
        };
        entry.user_data(slot.into())
    }
}

/// Whether this kernel has io_uring, as much of it as is needed, and permits it.
pub(super) fn is_permitted() -> bool {
    ready(1, &[]).is_ok()
}

/// A ring that knows its files. Completions are left to this thread until it waits for them, where
/// the kernel can do that; else they at least don't interrupt it.
fn ready(slots: usize, files: &[File]) -> io::Result<IoUring> {
    let completions = u32::try_from(slots).unwrap_or(u32::MAX).next_power_of_two();
    let completions = completions.clamp(2 * ENTRIES, MAX_COMPLETIONS);
    let ring = IoUring::builder()
        .setup_cqsize(completions)
        .setup_single_issuer()
        .setup_defer_taskrun()
        .build(ENTRIES)
        .or_else(|_| {
            IoUring::builder().setup_cqsize(completions).setup_coop_taskrun().build(ENTRIES)
        })
        .or_else(|_| IoUring::builder().setup_cqsize(completions).build(ENTRIES))?;
    let raw: Vec<i32> = files.iter().map(AsRawFd::as_raw_fd).collect();
    if !raw.is_empty() {
        ring.submitter().register_files(&raw)?;
    }
    if !ring.params().is_feature_ext_arg() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    Ok(ring)
}

impl Transport for Ring {
    #[inline]
    fn push(&mut self, request: &Request) -> io::Result<()> {
        let entry = self.entry(request);
        // SAFETY: the buffer is lent out until the completion is taken, and the arena outlives the
        // ring.
        while unsafe { self.ring.submission().push(&entry) }.is_err() {
            self.submit()?;
        }
        Ok(())
    }

    fn submit(&mut self) -> io::Result<()> {
        match self.ring.submit() {
            // Completions are to be taken in first: the next wait does that and submits too.
            Err(e) if e.raw_os_error() == Some(libc::EBUSY) => Ok(()),
            other => other.map(drop),
        }
    }

    fn wait(&mut self, timeout: Duration) -> io::Result<Nanos> {
        let limit = Timespec::from(timeout);
        let arguments = SubmitArgs::new().timespec(&limit);
        match self.ring.submitter().submit_with_args(1, &arguments) {
            Err(e)
                if !matches!(e.raw_os_error(), Some(libc::ETIME | libc::EINTR | libc::EBUSY)) =>
            {
                return Err(e);
            }
            _ => {}
        }
        self.woke = self.clock.now();
        self.done.clear();
        self.taken = 0;
        self.done.extend(self.ring.completion().map(|c| (c.user_data(), c.result())));
        Ok(self.woke)
    }

    #[inline]
    fn take(&mut self) -> Option<Done> {
        let &(slot, result) = self.done.get(self.taken)?;
        self.taken += 1;
        let slot = slot as u32;
        self.arena.give_back(slot);
        Some(Done { slot, result, began: None, ended: self.woke })
    }

    fn buffer(&mut self, slot: u32, kind: Kind, bytes: u32) -> &mut [u8] {
        self.arena.buffer(slot, kind, bytes)
    }
}
