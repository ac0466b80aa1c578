use super::arena::{Arena, Need};
use super::files::{Access, FileSpec, open_direct};
use super::ring::Ring;
use super::threads::Threads;
use super::transport::{Kind, Request, Transport};
use super::{Method, StorageError};
use crate::{Clock, Stop};
use std::collections::VecDeque;
use std::io;
use std::time::Duration;
use workload::storage::{UnitHeader, number, write_header};

/// Bytes that are written at once.
const CHUNK: u32 = 1 << 20;
/// Writes under way at once.
const DEPTH: u32 = 32;
/// How often it is looked whether to stop, at least.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// How files are filled.
pub struct Filling<'a> {
    /// Seeds the content, which no storage can compress.
    pub seed: u64,
    /// The unit in which everything is checksummed for verification ([`workload::storage::unit`]), in
    /// bytes; not checksummed when absent.
    pub unit: Option<usize>,
    /// How to write; the best that is permitted when absent.
    pub method: Option<Method>,
    /// Whether to end early.
    pub stop: &'a Stop,
    /// Told bytes written so far, and bytes to write in all.
    pub progress: &'a mut dyn FnMut(u64, u64),
}

/// Writes every byte of files or devices that are there, and syncs them: whatever is read from them
/// afterwards comes from the storage, and writing does not allocate. Overwrites what is in them.
///
/// # Errors
/// When one cannot be opened or written, or somebody asked to stop.
pub fn fill(files: &[FileSpec], filling: &mut Filling<'_>) -> Result<(), StorageError> {
    let Some(first) = files.first() else { return Ok(()) };
    let open = |spec: &FileSpec| open_direct(&spec.path, Access::ReadAndWrite);
    let opened = || files.iter().map(open).collect::<Result<Vec<_>, _>>();
    let need = Need { slots: DEPTH as usize, bytes: CHUNK as usize, reads: false, writes: true };
    let seed = filling.seed;
    let arena = || Arena::new(need, seed);
    let clock = Clock;
    let cannot = |source| StorageError::Fill { path: first.path.clone(), offset: None, source };
    if filling.method != Some(Method::Threads) {
        match Ring::new(DEPTH as usize, opened()?, arena()?, clock) {
            Ok(ring) => return Fill::new(files, ring, filling).run(),
            Err(source) if filling.method == Some(Method::Ring) => return Err(cannot(source)),
            // Threads serve as well.
            Err(_) => {}
        }
    }
    let threads = Threads::new(DEPTH as usize, opened()?, arena()?, clock).map_err(cannot)?;
    Fill::new(files, threads, filling).run()
}

/// Filling that is under way.
struct Fill<'a, 'b, T> {
    files: &'a [FileSpec],
    filling: &'a mut Filling<'b>,
    transport: T,
    /// By slot, what it writes.
    slots: Vec<Option<Request>>,
    /// What is to be done yet: the file, and how far it has been asked for.
    left: VecDeque<(u32, u64)>,
    written: u64,
    total: u64,
    numbers: u64,
}

impl<'a, 'b, T: Transport> Fill<'a, 'b, T> {
    fn new(files: &'a [FileSpec], transport: T, filling: &'a mut Filling<'b>) -> Self {
        Self {
            numbers: filling.seed,
            filling,
            transport,
            slots: vec![None; DEPTH as usize],
            left: (0..files.len() as u32).map(|file| (file, 0)).collect(),
            written: 0,
            total: files.iter().map(|spec| spec.length).sum(),
            files,
        }
    }

    fn run(mut self) -> Result<(), StorageError> {
        self.refill()?;
        while self.slots.iter().any(Option::is_some) {
            if self.filling.stop.is_requested() {
                return Err(StorageError::Stopped);
            }
            self.transport.wait(POLL_INTERVAL).map_err(|error| self.error(0, error))?;
            while let Some(done) = self.transport.take() {
                let Some(request) = self.slots[done.slot as usize].take() else { continue };
                if done.result < 0 {
                    let error = io::Error::from_raw_os_error(-done.result);
                    return Err(self.failed(&request, error));
                }
                if request.kind == Kind::Write && done.result != request.bytes as i32 {
                    return Err(self.short(&request, done.result));
                }
                if request.kind == Kind::Write {
                    self.written += u64::from(request.bytes);
                }
            }
            self.refill()?;
            (self.filling.progress)(self.written, self.total);
        }
        Ok(())
    }

    /// Gives every free slot something to do.
    fn refill(&mut self) -> Result<(), StorageError> {
        for slot in 0..DEPTH {
            if self.slots[slot as usize].is_none() {
                self.next(slot)?;
            }
        }
        Ok(())
    }

    /// Gives a slot the next chunk, or the sync of a file of which all chunks are written.
    fn next(&mut self, slot: u32) -> Result<(), StorageError> {
        let Some((file, from)) = self.left.pop_front() else { return Ok(()) };
        let spec = &self.files[file as usize];
        let bytes = spec.length.saturating_sub(from).min(CHUNK.into()) as u32;
        let offset = spec.offset + from;
        let kind = if bytes == 0 { Kind::Sync } else { Kind::Write };
        if bytes == 0 && self.is_written(file) {
            // Other slots' last chunks are on their way.
            self.left.push_front((file, from));
            return Ok(());
        }
        if bytes > 0 {
            self.left.push_front((file, from + u64::from(bytes)));
            let buffer = self.transport.buffer(slot, Kind::Write, bytes);
            match self.filling.unit {
                Some(unit) => write_headers(buffer, unit, spec.vm, from),
                None => self.numbers = number(buffer, spec.vm, self.numbers),
            }
        }
        let request = Request { slot, file, kind, offset, bytes };
        self.slots[slot as usize] = Some(request);
        self.transport.push(&request).map_err(|error| self.error(file, error))
    }

    /// Whether writes of a file are under way.
    fn is_written(&self, file: u32) -> bool {
        self.slots.iter().flatten().any(|request| request.file == file)
    }

    fn error(&self, file: u32, source: io::Error) -> StorageError {
        StorageError::Fill { path: self.files[file as usize].path.clone(), offset: None, source }
    }

    /// A write that ended before its end.
    fn short(&self, request: &Request, written: i32) -> StorageError {
        StorageError::Short {
            path: self.files[request.file as usize].path.clone(),
            offset: request.offset,
            written: written.unsigned_abs(),
            of: request.bytes,
        }
    }

    /// A write that failed, or a sync of all writes.
    fn failed(&self, request: &Request, source: io::Error) -> StorageError {
        let path = self.files[request.file as usize].path.clone();
        let offset = (request.kind == Kind::Write).then_some(request.offset);
        StorageError::Fill { path, offset, source }
    }
}

/// Seals what is written at `from` as it is before any load.
fn write_headers(buffer: &mut [u8], unit: usize, vm: u32, from: u64) {
    for (index, bytes) in buffer.chunks_exact_mut(unit.max(1)).enumerate() {
        let offset = from + (index * unit) as u64;
        write_header(bytes, UnitHeader { vm, offset, load: 0, generation: 0 });
    }
}
