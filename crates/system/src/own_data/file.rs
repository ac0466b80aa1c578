//! Files that data is made from, compressed or not.

use compression::{Contents, ContentsError};
use model::{DataFile, Failure, FailureKind, Fingerprint};
use std::fs::File;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A file that is read from its beginning to its end, and is then known to be what the study names. What it
/// gives is its contents, where it is compressed.
pub(super) struct DataReader {
    file: DataFile,
    contents: Contents,
    print: Arc<Mutex<Fingerprint>>,
    /// Bytes of it that [`Self::progress`] told.
    told: u64,
}

/// Reads the file as it lies there.
struct Raw {
    from: Box<dyn Read + Send>,
    print: Arc<Mutex<Fingerprint>>,
}

impl Read for Raw {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        lock(&self.print).bytes(&buffer[..read]);
        Ok(read)
    }
}

fn lock(print: &Mutex<Fingerprint>) -> MutexGuard<'_, Fingerprint> {
    print.lock().unwrap_or_else(PoisonError::into_inner)
}

impl DataReader {
    /// Opens a file; one that is compressed is read through first, for the checksum at its end: nothing of a
    /// damaged one is loaded.
    pub(super) fn open(
        file: &DataFile,
        check_stop: &dyn Fn() -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let mut reader = Self::begin(file)?;
        if !reader.contents.is_compressed() {
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
        let opened = bytes(file);
        let opened = opened.map_err(|error| unreadable(file, &ContentsError::Unreadable(error)))?;
        let print = Arc::default();
        // Another byte, if the file has grown.
        let from = Box::new(opened.take(file.bytes.saturating_add(1)));
        let raw = Raw { from, print: Arc::clone(&print) };
        let contents = Contents::open(&file.name, raw);
        let contents = contents.map_err(|error| unreadable(file, &error))?;
        Ok(Self { file: file.clone(), contents, print, told: 0 })
    }

    /// Appends the next line with its line feed, or of a longer one its first bytes; `false` at the end.
    pub(super) fn line(&mut self, longest: u64, line: &mut Vec<u8>) -> Result<bool, Failure> {
        self.contents.line(longest, line).map_err(|error| unreadable(&self.file, &error))
    }

    /// Appends the next piece; `false` at the end.
    pub(super) fn piece(&mut self, out: &mut Vec<u8>) -> Result<bool, Failure> {
        self.contents.piece(out).map_err(|error| unreadable(&self.file, &error))
    }

    /// How many bytes of the file have been read since this was last asked.
    pub(super) fn progress(&mut self) -> u64 {
        let bytes = self.contents.bytes_read();
        bytes - std::mem::replace(&mut self.told, bytes)
    }

    /// Whether all that was read is what the study was read with.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if lock(&self.print).finish() == self.file.fingerprint {
            return Ok(());
        }
        Err(Failure::new(
            FailureKind::Other,
            format!("{} has changed since the study was read", self.file.name),
            "let files be as they are while weighin runs; then run it again",
        ))
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

fn unreadable(file: &DataFile, error: &ContentsError) -> Failure {
    Failure::new(FailureKind::Other, format!("{} {error}", file.name), error.help())
}
