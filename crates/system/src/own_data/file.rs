//! Files that data is made from, compressed or not.

use decompress::Compression;
use model::{DataFile, Failure, FailureKind, Fingerprint};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Take};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes read at a time.
const PIECE: usize = 256 << 10;
/// The same of a compressed file: where it is damaged is known to as many.
const COMPRESSED_PIECE: usize = 16 << 10;

/// A file that is read from its beginning to its end, and is then known to be what the study names. What it
/// gives is its contents, where it is compressed.
pub(super) struct DataReader {
    file: DataFile,
    input: BufReader<Box<dyn Read + Send>>,
    compression: Option<Compression>,
    seen: Arc<Mutex<Seen>>,
    /// Bytes of it that [`Self::progress`] told.
    told: u64,
    /// Line feeds that were given.
    lines: u64,
}

/// What was read of the file as it lies there.
#[derive(Default)]
struct Seen {
    bytes: u64,
    print: Fingerprint,
}

/// Reads the file as it lies there.
struct Raw {
    from: Take<Box<dyn Read + Send>>,
    seen: Arc<Mutex<Seen>>,
}

impl Read for Raw {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        let mut seen = lock(&self.seen);
        seen.bytes += read as u64;
        seen.print.bytes(&buffer[..read]);
        Ok(read)
    }
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

impl DataReader {
    /// Opens a file; one that is compressed is read through first, for the checksum at its end: nothing of a
    /// damaged one is loaded.
    pub(super) fn open(
        file: &DataFile,
        check_stop: &dyn Fn() -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let mut reader = Self::begin(file)?;
        if reader.compression.is_none() {
            return Ok(reader);
        }
        let mut piece = Vec::new();
        while reader.piece(&mut piece)? {
            check_stop()?;
            piece.clear();
        }
        reader.check()?;
        Self::begin(file)
    }

    fn begin(file: &DataFile) -> Result<Self, Failure> {
        let opened = bytes(file).map_err(|error| unreadable(file, &error))?;
        let seen = Arc::new(Mutex::new(Seen::default()));
        // Another byte, if the file has grown.
        let from = opened.take(file.bytes.saturating_add(1));
        let mut raw =
            BufReader::with_capacity(COMPRESSED_PIECE, Raw { from, seen: Arc::clone(&seen) });
        let beginning = raw.fill_buf().map_err(|error| unreadable(file, &error))?;
        let compression = Compression::recognised(beginning);
        let contents: Box<dyn Read + Send> = match compression {
            Some(kind) => Box::new(kind.decoder(raw).map_err(|error| damaged(file, 0, 1, &error))?),
            None => Box::new(raw),
        };
        if let (Some(said), None) = (Compression::from_name(&file.name), compression) {
            return Err(misnamed(file, said));
        }
        let input = BufReader::with_capacity(PIECE, contents);
        Ok(Self { file: file.clone(), input, compression, seen, told: 0, lines: 0 })
    }

    /// Appends the next line with its line feed, or of a longer one its first bytes; `false` at the end.
    pub(super) fn line(&mut self, longest: u64, line: &mut Vec<u8>) -> Result<bool, Failure> {
        let read = (&mut self.input).take(longest).read_until(b'\n', line);
        let read = read.map_err(|error| self.failed(&error))?;
        self.lines += u64::from(line.ends_with(b"\n"));
        Ok(read > 0)
    }

    /// Appends the next piece; `false` at the end.
    pub(super) fn piece(&mut self, out: &mut Vec<u8>) -> Result<bool, Failure> {
        let before = out.len();
        let read = self.input.fill_buf().map(|piece| out.extend_from_slice(piece));
        read.map_err(|error| self.failed(&error))?;
        let piece = &out[before..];
        self.input.consume(piece.len());
        self.lines += piece.iter().filter(|byte| **byte == b'\n').count() as u64;
        Ok(!piece.is_empty())
    }

    /// How many bytes of the file have been read since this was last asked.
    pub(super) fn progress(&mut self) -> u64 {
        let bytes = lock(&self.seen).bytes;
        bytes - std::mem::replace(&mut self.told, bytes)
    }

    /// Whether all that was read is what the study was read with.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if lock(&self.seen).print.finish() == self.file.fingerprint {
            return Ok(());
        }
        Err(Failure::new(
            FailureKind::Other,
            format!("{} has changed since the study was read", self.file.name),
            "let files be as they are while weighin runs; then run it again",
        ))
    }

    fn failed(&self, error: &io::Error) -> Failure {
        match self.compression {
            Some(_) => damaged(&self.file, lock(&self.seen).bytes, self.lines + 1, error),
            None => unreadable(&self.file, error),
        }
    }
}

fn bytes(file: &DataFile) -> io::Result<Box<dyn Read + Send>> {
    if let Some(text) = &file.built_in {
        return Ok(Box::new(io::Cursor::new(text.clone())));
    }
    let opened = File::open(&file.path)?;
    // Of another kind, it might never end.
    match opened.metadata()?.is_file() {
        true => Ok(Box::new(opened)),
        false => Err(io::Error::other("it is no regular file")),
    }
}

fn unreadable(file: &DataFile, error: &io::Error) -> Failure {
    Failure::new(
        FailureKind::Other,
        format!("{} cannot be read: {error}", file.name),
        "see whether it is still there; its path is relative to the study file",
    )
}

/// A compressed file that cannot be unpacked: `line` of its contents, from 1, is where it ends.
fn damaged(file: &DataFile, byte: u64, line: u64, error: &io::Error) -> Failure {
    let DataFile { name, bytes, .. } = file;
    Failure::new(
        FailureKind::Other,
        format!(
            "{name} is damaged or cut off: it cannot be unpacked beyond line {line} of its contents, near \
             byte {byte} of its {bytes}: {error}"
        ),
        "copy or make it anew; gzip, zstd, bzip2 and xz test a file with -t",
    )
}

fn misnamed(file: &DataFile, said: Compression) -> Failure {
    let kind = said.name();
    Failure::new(
        FailureKind::Other,
        format!("{} is not compressed by {kind}, which its name says", file.name),
        "copy or make it anew, or give it a name that says what it is",
    )
}
