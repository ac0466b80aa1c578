//! ZIP archives, by their central directory.

use super::{Counted, Unpacking};
use compression::Compression;
use std::io::{self, Cursor, Read};
use std::rc::Rc;

/// The record at the end, without the comment after it.
const END: usize = 22;
const LONGEST_COMMENT: usize = 65_535;
const CENTRAL: usize = 46;
const LOCAL: usize = 30;

/// What the directory says of a member.
pub(super) struct Entry<'a> {
    pub(super) name: &'a [u8],
    flags: u16,
    method: u16,
    crc: u32,
    packed: u64,
    at: u64,
}

impl Unpacking<'_> {
    pub(super) fn open<'b>(
        &self,
        bytes: &'b [u8],
        entry: &Entry<'_>,
    ) -> io::Result<Box<dyn Read + 'b>> {
        let data = entry.data(bytes)?;
        let compression = match entry.method {
            0 => None,
            8 => Some(Compression::Deflate),
            12 => Some(Compression::Bzip2),
            93 => Some(Compression::Zstandard),
            95 => Some(Compression::Xz),
            other => {
                return Err(io::Error::other(format!("it is compressed by method {other}")));
            }
        };
        let from: Box<dyn Read + 'b> = match compression {
            Some(kind) => Box::new(kind.decoder(Cursor::new(data))?),
            None => Box::new(Cursor::new(data)),
        };
        let counted = Counted { from, left: Rc::clone(&self.left) };
        Ok(Box::new(Checked { from: counted, sum: flate2::Crc::new(), expected: entry.crc }))
    }
}

/// An archive whose members are asked for by name.
pub(super) struct Zip<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) entries: &'a [Entry<'a>],
}

impl Zip<'_> {
    /// The text of a member; `None` where there is none of this name.
    pub(super) fn text(&self, unpacking: &Unpacking<'_>, name: &str) -> io::Result<Option<String>> {
        let Some(entry) = self.entries.iter().find(|entry| entry.name == name.as_bytes()) else {
            return Ok(None);
        };
        let bytes = unpacking.whole(&mut unpacking.open(self.bytes, entry)?)?;
        String::from_utf8(bytes).map(Some).map_err(io::Error::other)
    }
}

impl Entry<'_> {
    fn data<'b>(&self, bytes: &'b [u8]) -> io::Result<&'b [u8]> {
        let damaged = || io::Error::other("the archive is damaged");
        if self.flags & 1 != 0 {
            return Err(io::Error::other("it is encrypted"));
        }
        let at = usize::try_from(self.at).map_err(|_| damaged())?;
        let header = bytes.get(at..).and_then(|rest| rest.get(..LOCAL)).ok_or_else(damaged)?;
        if !header.starts_with(b"PK\x03\x04") {
            return Err(damaged());
        }
        let lengths = usize::from(u16_at(header, 26)) + usize::from(u16_at(header, 28));
        let packed = usize::try_from(self.packed).map_err(|_| damaged())?;
        let from = at + LOCAL + lengths;
        from.checked_add(packed).and_then(|to| bytes.get(from..to)).ok_or_else(damaged)
    }
}

/// The members, one more than `most` at most; `None` where there is no directory.
pub(super) fn entries(bytes: &[u8], most: usize) -> Option<Vec<Entry<'_>>> {
    let first = bytes.len().saturating_sub(END + LONGEST_COMMENT);
    let mut ends = (first..=bytes.len().checked_sub(END)?).rev();
    let end = ends.find(|at| bytes[*at..].starts_with(b"PK\x05\x06"))?;
    let mut directory = u64::from(u32_at(bytes, end + 16));
    if directory == u64::from(u32::MAX) {
        let locator = end.checked_sub(20).filter(|at| bytes[*at..].starts_with(b"PK\x06\x07"))?;
        let large = usize::try_from(u64_at(bytes, locator + 8)).ok()?;
        directory = u64_at(bytes.get(large..)?.get(..56)?, 48);
    }
    let mut rest = bytes.get(usize::try_from(directory).ok()?..)?;
    let mut entries = Vec::new();
    while rest.starts_with(b"PK\x01\x02") && entries.len() <= most {
        let header = rest.get(..CENTRAL)?;
        let length = |at: usize| usize::from(u16_at(header, at));
        let (name, extra) = (CENTRAL + length(28), CENTRAL + length(28) + length(30));
        let end = extra + length(32);
        let mut entry = Entry {
            name: rest.get(CENTRAL..name)?,
            flags: u16_at(header, 8),
            method: u16_at(header, 10),
            crc: u32_at(header, 16),
            packed: u64::from(u32_at(header, 20)),
            at: u64::from(u32_at(header, 42)),
        };
        let unpacked = u32_at(header, 24);
        entry.large(rest.get(name..extra)?, unpacked == u32::MAX);
        entries.push(entry);
        rest = rest.get(end..)?;
    }
    Some(entries)
}

impl Entry<'_> {
    /// Takes what the fields of 32 bits have no place for, in its order.
    fn large(&mut self, mut extra: &[u8], unpacked: bool) {
        while extra.len() >= 4 {
            let (kind, length) = (u16_at(extra, 0), usize::from(u16_at(extra, 2)));
            let Some(field) = extra.get(4..4 + length) else { return };
            if kind == 1 {
                let mut numbers = field.chunks_exact(8).map(|number| u64_at(number, 0));
                if unpacked {
                    numbers.next();
                }
                for own in [&mut self.packed, &mut self.at] {
                    if *own == u64::from(u32::MAX) {
                        *own = numbers.next().unwrap_or(*own);
                    }
                }
            }
            extra = &extra[4 + length..];
        }
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

/// A member whose sum is checked at its end.
struct Checked<R> {
    from: R,
    sum: flate2::Crc,
    expected: u32,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        self.sum.update(&buffer[..read]);
        if read == 0 && !buffer.is_empty() && self.sum.sum() != self.expected {
            return Err(io::Error::other("its checksum is wrong"));
        }
        Ok(read)
    }
}
