//! Files of data that a study names, relative to its own: which they are, and what is in them as a
//! number. They are read when the data is made.

use crate::problem::{Place, Problems};
use crate::text::url::may_hold_password;
use model::{DataFile, Fingerprint, SetValue};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::{Path, PathBuf};
use workload::script;

/// What names of scripts and files of weighin's own begin with.
pub(crate) const BUILT_IN: &str = "builtin:";
/// Bytes read at a time.
const PIECE: usize = 1 << 20;

/// The paths of the files in a directory whose names end so, sorted.
pub(crate) fn list(directory: &Path, ending: &str) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == ending) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// A file of at most so many bytes, where it is one of weighin's own for data of these sizes; notes one that
/// cannot be read.
pub(crate) fn read(
    written: &str,
    set: &BTreeMap<String, SetValue>,
    at: Place,
    most: u64,
    problems: &mut Problems,
) -> Option<DataFile> {
    if let Some(name) = written.strip_prefix(BUILT_IN) {
        return built_in(written, script::builtin_file(name, set), at, problems);
    }
    let path = problems.directory.as_deref().map(|directory| directory.join(written));
    let found = match path {
        Some(_) if may_hold_password(written) => {
            Err(Error::new(ErrorKind::InvalidInput, "this is a URL with a password"))
        }
        Some(path) => {
            problems.note_file(written, &path);
            file(written, path, most)
        }
        None => Err(Error::new(ErrorKind::Unsupported, "the study is in no directory")),
    };
    match found {
        Ok(file) => Some(file),
        Err(reason) => {
            problems
                .add(at, format!("the file {written} cannot be read: {reason}"))
                .help("its path is relative to the study file");
            None
        }
    }
}

/// A file that is a part of weighin.
fn built_in(
    written: &str,
    text: Option<String>,
    at: Place,
    problems: &mut Problems,
) -> Option<DataFile> {
    let Some(text) = text else {
        problems
            .add(at, format!("weighin has no file {written} of its own"))
            .help("name a file beside the study");
        return None;
    };
    let mut print = Fingerprint::default();
    print.bytes(text.as_bytes());
    Some(DataFile {
        name: written.to_owned(),
        path: PathBuf::new(),
        bytes: text.len() as u64,
        fingerprint: print.finish(),
        built_in: Some(text),
    })
}

/// Of a regular file alone: another may never end.
fn file(written: &str, path: PathBuf, most: u64) -> Result<DataFile, Error> {
    let path = std::path::absolute(path)?;
    let facts = std::fs::metadata(&path)?;
    if !facts.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is no regular file"));
    }
    let (bytes, fingerprint) = fingerprint(&path, most)?;
    Ok(DataFile { name: written.to_owned(), path, bytes, fingerprint, built_in: None })
}

fn fingerprint(path: &Path, most: u64) -> Result<(u64, u64), Error> {
    let mut file = File::open(path)?.take(most.saturating_add(1));
    let mut piece = vec![0; PIECE];
    let (mut bytes, mut print) = (0, Fingerprint::default());
    loop {
        let length = file.read(&mut piece)?;
        if length == 0 {
            break;
        }
        bytes += length as u64;
        print.bytes(&piece[..length]);
    }
    if bytes > most {
        let message = format!("it is larger than {most} bytes");
        return Err(Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok((bytes, print.finish()))
}
