//! Files that may be compressed.

use crate::Compression;
use std::fmt::{self, Display, Formatter};
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes read at a time.
const PIECE: usize = 256 << 10;
/// The same of a compressed file: where it is damaged is known to as many.
const COMPRESSED_PIECE: usize = 16 << 10;

/// A file that is read from its beginning to its end; what it gives is its contents, where it is compressed.
pub struct Contents {
    input: BufReader<Box<dyn Read + Send>>,
    compression: Option<Compression>,
    /// Bytes of the file as it lies there that were read.
    read: Arc<AtomicU64>,
    /// Line feeds that were given.
    lines: u64,
}

/// Why the contents of a file are not to be had, in words that follow its name.
#[derive(Debug)]
pub enum ContentsError {
    Unreadable(io::Error),
    /// It cannot be unpacked beyond that line of its contents, from 1, and about that byte of the file.
    Damaged {
        line: u64,
        byte: u64,
        error: io::Error,
    },
    /// It is not compressed as its name says.
    Misnamed(Compression),
}

impl ContentsError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => {
                "see whether it is there and may be read; its path is relative to the file that names it"
            }
            Self::Damaged { .. } => {
                "copy or make it anew; gzip, zstd, bzip2 and xz test a file with -t"
            }
            Self::Misnamed(_) => "copy or make it anew, or give it a name that says what it is",
        }
    }
}

impl Display for ContentsError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "cannot be read: {error}"),
            Self::Damaged { line, byte, error } => write!(
                f,
                "is damaged or cut off: it cannot be unpacked beyond line {line} of its contents, near byte \
                 {byte}: {error}"
            ),
            Self::Misnamed(said) => {
                write!(f, "is not compressed by {}, which its name says", said.name())
            }
        }
    }
}

impl std::error::Error for ContentsError {}

/// Reads a file as it lies there.
struct Counted<R> {
    from: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl Contents {
    /// Of a file of that name.
    ///
    /// # Errors
    /// When it cannot be read, or is not what its name says.
    pub fn open(name: &str, from: impl Read + Send + 'static) -> Result<Self, ContentsError> {
        let read = Arc::new(AtomicU64::new(0));
        let counted = Counted { from, read: Arc::clone(&read) };
        let mut raw = BufReader::with_capacity(COMPRESSED_PIECE, counted);
        let beginning = raw.fill_buf().map_err(ContentsError::Unreadable)?;
        let compression = Compression::recognised(beginning);
        let contents: Box<dyn Read + Send> = match compression {
            Some(kind) => {
                let damaged = |error| ContentsError::Damaged { line: 1, byte: 0, error };
                Box::new(kind.decoder(raw).map_err(damaged)?)
            }
            None => Box::new(raw),
        };
        if let (Some(said), None) = (Compression::from_name(name), compression) {
            return Err(ContentsError::Misnamed(said));
        }
        let input = BufReader::with_capacity(PIECE, contents);
        Ok(Self { input, compression, read, lines: 0 })
    }

    pub fn is_compressed(&self) -> bool {
        self.compression.is_some()
    }

    /// Bytes of the file as it lies there that were read.
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Appends the next line with its line feed, or of a longer one its first bytes; `false` at the end.
    ///
    /// # Errors
    /// When it cannot be read or unpacked.
    pub fn line(&mut self, longest: u64, line: &mut Vec<u8>) -> Result<bool, ContentsError> {
        let read = (&mut self.input).take(longest).read_until(b'\n', line);
        let read = read.map_err(|error| self.failed(error))?;
        self.lines += u64::from(line.ends_with(b"\n"));
        Ok(read > 0)
    }

    /// Appends the next piece; `false` at the end.
    ///
    /// # Errors
    /// When it cannot be read or unpacked.
    pub fn piece(&mut self, out: &mut Vec<u8>) -> Result<bool, ContentsError> {
        let before = out.len();
        let read = self.input.fill_buf().map(|piece| out.extend_from_slice(piece));
        read.map_err(|error| self.failed(error))?;
        let piece = &out[before..];
        self.input.consume(piece.len());
        self.lines += piece.iter().filter(|byte| **byte == b'\n').count() as u64;
        Ok(!piece.is_empty())
    }

    fn failed(&self, error: io::Error) -> ContentsError {
        match self.compression {
            Some(_) => {
                ContentsError::Damaged { line: self.lines + 1, byte: self.bytes_read(), error }
            }
            None => ContentsError::Unreadable(error),
        }
    }
}
