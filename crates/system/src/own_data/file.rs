//! Files that data is made from.

use model::{DataFile, Failure, FailureKind, Fingerprint};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Take};

/// Bytes read at a time.
const PIECE: usize = 256 << 10;

/// A file that is read from its beginning to its end, and is then known to be what the study names.
pub(super) struct DataReader {
    file: DataFile,
    input: BufReader<Take<Box<dyn Read + Send>>>,
    print: Fingerprint,
}

impl DataReader {
    pub(super) fn open(file: &DataFile) -> Result<Self, Failure> {
        let opened = bytes(file).map_err(|error| unreadable(file, &error))?;
        Ok(Self {
            file: file.clone(),
            // Another byte, if the file has grown.
            input: BufReader::with_capacity(PIECE, opened.take(file.bytes.saturating_add(1))),
            print: Fingerprint::default(),
        })
    }

    /// Appends the next line with its line feed, or of a longer one its first bytes; `false` at the end.
    pub(super) fn line(&mut self, longest: u64, line: &mut Vec<u8>) -> Result<bool, Failure> {
        let before = line.len();
        let read = (&mut self.input).take(longest).read_until(b'\n', line);
        let read = read.map_err(|error| unreadable(&self.file, &error))?;
        self.print.bytes(&line[before..]);
        Ok(read > 0)
    }

    /// Appends the next piece; `false` at the end.
    pub(super) fn piece(&mut self, out: &mut Vec<u8>) -> Result<bool, Failure> {
        let piece = self.input.fill_buf().map_err(|error| unreadable(&self.file, &error))?;
        let length = piece.len();
        self.print.bytes(piece);
        out.extend_from_slice(piece);
        self.input.consume(length);
        Ok(length > 0)
    }

    /// Whether all that was read is what the study was read with.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if self.print.finish() == self.file.fingerprint {
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

fn unreadable(file: &DataFile, error: &io::Error) -> Failure {
    Failure::new(
        FailureKind::Other,
        format!("{} cannot be read: {error}", file.name),
        "see whether it is still there; its path is relative to the study file",
    )
}
