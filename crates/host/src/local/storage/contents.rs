//! What a device or a file holds already.
//!
//! All that weighin will write is read before, with the first [`HEAD`] and the last [`TAIL`] bytes,
//! where whatever can be on a device signs: a device is empty when all of it is zero. Of files the
//! operating system says which parts were never written.

use super::mark::{EDGE, MARK_BYTES, Mark, TITLE};
use super::signatures;
use crate::local::size;
use model::Stop;
use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// Bytes of the beginning that are read whatever will be written: the second header of LUKS2 can
/// stand as far as 4 MiB.
pub(super) const HEAD: u64 = 8 << 20;
/// The same of the end: RAID of Promise signs up to 3087 sectors before it.
pub(super) const TAIL: u64 = 2 << 20;
/// Bytes that are read at once.
const PIECE: u64 = 1 << 20;
/// Reads under way at once, each by a thread: solid-state disks need several to be quick.
const READERS: usize = 8;
/// What memory for direct reads is aligned to.
const ALIGNMENT: usize = 4096;

/// What was found on a device or in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Contents {
    /// Zeros wherever it was looked at.
    Empty,
    /// What weighin wrote, and zeros otherwise.
    Own(Mark),
    /// Something else, in words.
    Foreign(String),
}

/// How a device or file is looked at.
pub(super) struct Look<'a> {
    pub(super) file: &'a File,
    /// Its bytes.
    pub(super) length: u64,
    /// Where what weighin will write ends, besides the last [`EDGE`].
    pub(super) end: u64,
    pub(super) stop: &'a Stop,
    /// Told bytes read so far, and bytes to read.
    pub(super) progress: &'a mut dyn FnMut(u64, u64),
}

impl Look<'_> {
    /// Looks at all that will be written, and at both ends. `None` when asked to stop.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn look(self) -> io::Result<Option<Contents>> {
        let (file, length) = (self.file, self.length);
        let mark = mark_of(file, length)?;
        let own_end = mark.map_or(0, |mark| mark.end);
        let marked = if mark.is_some() { MARK_BYTES } else { 0 };
        let wanted = [
            marked..EDGE,
            EDGE.max(own_end)..HEAD.max(self.end),
            own_end.max(length.saturating_sub(TAIL))..length,
        ];
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for range in wanted {
            // What is read once needs no second look.
            let start = range.start.max(ranges.last().map_or(0, |before| before.end));
            ranges.push(start..range.end.min(length).max(start));
        }
        let mut scan = Scan::read(file, &ranges)?;
        Ok(match scan.run(self.stop, self.progress)? {
            Scanned::Stopped => None,
            Scanned::Zeros => Some(mark.map_or(Contents::Empty, Contents::Own)),
            Scanned::Data(at) => {
                let read = |offset, buffer: &mut [u8]| file.read_exact_at(buffer, offset).is_ok();
                let name = signatures::name(length, read).map(str::to_owned);
                Some(Contents::Foreign(name.unwrap_or_else(|| format!("data at {}", place(at)))))
            }
        })
    }
}

/// Weighin's own mark, where there is one.
///
/// # Errors
/// When it cannot be read.
pub(super) fn mark_of(file: &File, length: u64) -> io::Result<Option<Mark>> {
    let mut block = vec![0; MARK_BYTES.min(length) as usize];
    file.read_exact_at(&mut block, 0)?;
    let text = block.split(|&byte| byte == 0).next().unwrap_or_default();
    let rest_is_zero = block[text.len()..].iter().all(|&byte| byte == 0);
    let mark = String::from_utf8_lossy(text).starts_with(TITLE) && rest_is_zero;
    Ok(if mark { Mark::read(&String::from_utf8_lossy(text)) } else { None })
}

/// A place in words that a person can find it by.
fn place(at: u64) -> String {
    if at < 1024 { format!("byte {at}") } else { format!("{} (byte {at})", size::in_words(at)) }
}

/// What came of reading.
enum Scanned {
    Zeros,
    /// Where the first byte stands that is not zero, of those that were read.
    Data(u64),
    Stopped,
}

/// Pieces to be read, by several threads.
struct Scan {
    /// The file, past the operating system's cache where that is possible: a device that somebody
    /// else has open could have a cache that is not what is on it.
    file: File,
    pieces: Vec<Range<u64>>,
    total: u64,
}

impl Scan {
    fn read(file: &File, ranges: &[Range<u64>]) -> io::Result<Self> {
        let mut pieces = Vec::new();
        for range in ranges {
            for written in written(file, range)? {
                let mut at = written.start;
                while at < written.end {
                    let end = ((at / PIECE + 1) * PIECE).min(written.end);
                    pieces.push(at..end);
                    at = end;
                }
            }
        }
        let total = pieces.iter().map(|piece| piece.end - piece.start).sum();
        Ok(Self { file: direct(file)?, pieces, total })
    }

    fn run(&mut self, stop: &Stop, progress: &mut dyn FnMut(u64, u64)) -> io::Result<Scanned> {
        let (next, read) = (AtomicU64::new(0), AtomicU64::new(0));
        let first = AtomicU64::new(u64::MAX);
        let over = AtomicBool::new(false);
        let this = &*self;
        let work = |told: &mut dyn FnMut(u64, u64)| {
            let mut memory = Memory::new();
            while !over.load(Ordering::Relaxed) && !stop.is_requested() {
                let number = next.fetch_add(1, Ordering::Relaxed) as usize;
                let Some(piece) = this.pieces.get(number) else { break };
                match this.first_byte(piece, &mut memory) {
                    Ok(None) => {}
                    Ok(Some(at)) => {
                        first.fetch_min(at, Ordering::Relaxed);
                        over.store(true, Ordering::Relaxed);
                    }
                    Err(error) => {
                        over.store(true, Ordering::Relaxed);
                        return Err(error);
                    }
                }
                let bytes = piece.end - piece.start;
                told(read.fetch_add(bytes, Ordering::Relaxed) + bytes, this.total);
            }
            Ok(())
        };
        let more = READERS.min(this.pieces.len()).saturating_sub(1);
        thread::scope(|scope| {
            let others: Vec<_> = (0..more).map(|_| scope.spawn(|| work(&mut |_, _| {}))).collect();
            let own = work(progress);
            // A thread that panics has a bug, which shows here.
            let joined = others.into_iter().map(|thread| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            joined.fold(own, Result::and)
        })?;
        progress(read.into_inner(), self.total);
        Ok(match first.into_inner() {
            u64::MAX if stop.is_requested() => Scanned::Stopped,
            u64::MAX => Scanned::Zeros,
            at => Scanned::Data(at),
        })
    }

    /// Where the first byte of a piece stands that is not zero.
    fn first_byte(&self, piece: &Range<u64>, memory: &mut Memory) -> io::Result<Option<u64>> {
        // Direct reads begin and end at blocks; a piece lies between two multiples of PIECE.
        let start = piece.start / PIECE * PIECE;
        let buffer = memory.buffer();
        let filled = read_at(&self.file, buffer, start)?;
        let wanted = (piece.end - start) as usize;
        if filled < wanted {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let own = &buffer[(piece.start - start) as usize..wanted];
        if own == &ZEROS[..own.len()] {
            return Ok(None);
        }
        let at = own.iter().position(|&byte| byte != 0);
        Ok(at.map(|at| piece.start + at as u64))
    }
}

static ZEROS: [u8; PIECE as usize] = [0; PIECE as usize];

/// Memory for one piece, aligned.
struct Memory(Vec<u8>);

impl Memory {
    fn new() -> Self {
        Self(vec![0; PIECE as usize + ALIGNMENT])
    }

    fn buffer(&mut self) -> &mut [u8] {
        let start = self.0.as_ptr().align_offset(ALIGNMENT);
        &mut self.0[start..start + PIECE as usize]
    }
}

/// The same file for reading past the cache; as it is where that is not possible.
fn direct(file: &File) -> io::Result<File> {
    let same = format!("/proc/self/fd/{}", file.as_raw_fd());
    let direct = File::options().read(true).custom_flags(libc::O_DIRECT).open(same);
    direct.or_else(|_| file.try_clone())
}

/// The parts of a range that the operating system does not know to be without data.
fn written(file: &File, range: &Range<u64>) -> io::Result<Vec<Range<u64>>> {
    let mut parts = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let data = match seek(file, SeekFrom::Data(at)) {
            Ok(data) => data,
            // Nothing but a hole up to the end.
            Err(Errno::NXIO) => break,
            // A device, or a file system that does not know.
            Err(Errno::INVAL | Errno::OPNOTSUPP) => at,
            Err(error) => return Err(error.into()),
        };
        let hole = seek(file, SeekFrom::Hole(data)).unwrap_or(range.end).max(data + 1);
        if data < range.end {
            parts.push(data.max(at)..hole.min(range.end));
        }
        at = hole;
    }
    Ok(parts)
}

/// Fills a buffer as far as there is something to read; returns how far.
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    let mut read = 0;
    while read < buffer.len() {
        match file.read_at(&mut buffer[read..], at + read as u64) {
            Ok(0) => break,
            Ok(bytes) => read += bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // A direct read that begins at the end of a file, after its last whole block.
            Err(error) if read > 0 && error.kind() == ErrorKind::InvalidInput => break,
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

#[cfg(test)]
mod tests;
