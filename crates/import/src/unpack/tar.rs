//! Tar archives: POSIX (pax) and GNU.

use super::Unpacking;
use std::io::{self, Read};

const BLOCK: usize = 512;
/// Longest name that is read: paths of Linux have 4,096 bytes at most.
const LONGEST_NAME: u64 = 64 << 10;

impl Unpacking<'_> {
    /// Goes through an archive from its beginning to its end.
    pub(super) fn tar(
        &mut self,
        archive: &str,
        from: &mut dyn Read,
        depth: usize,
    ) -> io::Result<()> {
        let (mut next, mut links) = (Extended::default(), 0_usize);
        while let Some(header) = Header::read(from)? {
            let size = next.size.take().unwrap_or(header.size);
            let padded = size.checked_next_multiple_of(BLOCK as u64);
            let padded = padded.ok_or_else(|| io::Error::other("a member has no possible size"))?;
            let mut data = from.take(padded);
            match header.kind {
                b'L' | b'x' if size <= LONGEST_NAME => {
                    let mut bytes = Vec::new();
                    data.by_ref().take(size).read_to_end(&mut bytes)?;
                    match header.kind {
                        b'L' => {
                            next.name = Some(
                                bytes.split(|byte| *byte == 0).next().unwrap_or_default().to_vec(),
                            )
                        }
                        _ => next.pax(&bytes),
                    }
                }
                b'0' | b'7' | 0 => {
                    let name = next.name.take().unwrap_or(header.name);
                    // Before POSIX a directory is a file whose name ends so.
                    if !name.ends_with(b"/")
                        && let Some(name) = self.name_of(archive, &name)
                    {
                        self.any(&name, Box::new(data.by_ref().take(size)), depth + 1);
                    }
                    next = Extended::default();
                }
                // For all members that follow, of which none has a name or a size from here.
                b'g' => {}
                kind => {
                    links += usize::from(matches!(kind, b'1' | b'2' | b'S'));
                    next = Extended::default();
                }
            }
            io::copy(&mut data, &mut io::sink())?;
            // Some leave out what fills the last block.
            if data.limit() > padded - size {
                return Err(io::Error::other("the archive breaks off"));
            }
            if self.is_full(archive) {
                break;
            }
        }
        if links > 0 {
            self.problem(archive, format!("has {links} links or sparse files, which are left out"));
        }
        Ok(())
    }
}

/// What entries before a member say of it.
#[derive(Default)]
struct Extended {
    name: Option<Vec<u8>>,
    size: Option<u64>,
}

impl Extended {
    /// Records such as `24 path=some/long/name\n`.
    fn pax(&mut self, mut bytes: &[u8]) {
        while let Some(space) = bytes.iter().position(|byte| *byte == b' ') {
            let length = std::str::from_utf8(&bytes[..space]).ok().and_then(|n| n.parse().ok());
            let Some(length) = length.filter(|length| (space + 1..=bytes.len()).contains(length))
            else {
                return;
            };
            let record = bytes[space + 1..length].strip_suffix(b"\n").unwrap_or_default();
            if let Some(path) = record.strip_prefix(b"path=") {
                self.name = Some(path.to_vec());
            } else if let Some(size) = record.strip_prefix(b"size=") {
                self.size = std::str::from_utf8(size).ok().and_then(|size| size.parse().ok());
            }
            bytes = &bytes[length..];
        }
    }
}

struct Header {
    name: Vec<u8>,
    size: u64,
    kind: u8,
}

impl Header {
    /// `None` at the end of the archive.
    fn read(from: &mut dyn Read) -> io::Result<Option<Self>> {
        let mut block = Vec::with_capacity(BLOCK);
        from.take(BLOCK as u64).read_to_end(&mut block)?;
        if block.is_empty() || block.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        if block.len() < BLOCK {
            return Err(io::Error::other("the archive breaks off"));
        }
        let sum = |from: usize, to: usize| {
            block[from..to].iter().map(|byte| u64::from(*byte)).sum::<u64>()
        };
        // The sum counts its own place as spaces.
        if octal(&block[148..156]) != Some(sum(0, 148) + 8 * u64::from(b' ') + sum(156, BLOCK)) {
            return Err(io::Error::other("the archive is damaged"));
        }
        let size = number(&block[124..136]);
        let size = size.ok_or_else(|| io::Error::other("the archive is damaged"))?;
        let text =
            |field: &[u8]| field.split(|byte| *byte == 0).next().unwrap_or_default().to_vec();
        let mut name = text(&block[..100]);
        // GNU has dates in the place of the prefix.
        if &block[257..263] == b"ustar\0" && block[345] != 0 {
            let mut whole = text(&block[345..500]);
            whole.push(b'/');
            whole.append(&mut name);
            name = whole;
        }
        Ok(Some(Self { name, size, kind: block[156] }))
    }
}

/// Octal digits, or a binary number with the first bit set.
fn number(field: &[u8]) -> Option<u64> {
    if field[0] & 0x80 == 0 {
        return octal(field);
    }
    let (high, low) = field.split_at(field.len() - 8);
    let beyond = high[0] & 0x7f != 0 || high[1..].iter().any(|byte| *byte != 0);
    (!beyond).then(|| low.iter().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}

fn octal(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(field).ok()?.trim_matches([' ', '\0']);
    if text.is_empty() { Some(0) } else { u64::from_str_radix(text, 8).ok() }
}
