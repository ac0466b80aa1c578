//! Weighin's own directory within one that the user names, which others may write to as well.

use super::StorageError;
use files::{Access, Directory, Kind};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// The directory, within one that the user names, in which the files are.
pub const DIRECTORY: &str = "weighin-storage";
/// The file that says that the directory is weighin's own.
const MARKER: &str = "made-by-weighin.txt";
const MARKER_TEXT: &str =
    "The files in this directory were made by weighin, which overwrites and removes them.\n";
/// What the names of all files begin with.
const PREFIX: &str = "weighin-vm-";
/// How they end when they are filled, and until then.
const FILLED: &str = "dat";
const BEGUN: &str = "part";

/// Weighin's own directory, open. This account or root made it, and nobody else may change it.
#[derive(Debug)]
pub(super) struct Own {
    within: Directory,
    directory: Directory,
}

impl Own {
    /// Opens it; `None` where there is none.
    ///
    /// # Errors
    /// `Foreign` when what has its name may be somebody else's: a link, another account's, one that
    /// others may write to, or without weighin's marker.
    pub(super) fn find(within: &Path) -> Result<Option<Self>, StorageError> {
        let within = Directory::open(within).map_err(cannot_use(within))?;
        Self::find_in(within)
    }

    fn find_in(within: Directory) -> Result<Option<Self>, StorageError> {
        let path = within.path().join(DIRECTORY);
        let foreign =
            |error: io::Error| StorageError::Foreign { path: path.clone(), why: error.to_string() };
        if within.facts_of(DIRECTORY).map_err(cannot_use(within.path()))?.is_none() {
            return Ok(None);
        }
        let checked = || {
            let directory = within.directory(DIRECTORY)?;
            directory.facts()?.check_trusted(directory.path())?;
            let mut text = String::new();
            let marker = directory.open_trusted_file(MARKER, Access::Read)?;
            marker.take(2 * MARKER_TEXT.len() as u64).read_to_string(&mut text)?;
            match text == MARKER_TEXT {
                true => Ok(directory),
                false => Err(io::Error::other(format!("{MARKER} in it says something else"))),
            }
        };
        let directory = checked().map_err(|error| match error.kind() {
            ErrorKind::NotFound => foreign(io::Error::other(format!("there is no {MARKER} in it"))),
            ErrorKind::PermissionDenied => cannot_use(&path)(error),
            _ => foreign(error),
        })?;
        Ok(Some(Self { within, directory }))
    }

    /// Opens it, or makes it where there is none.
    ///
    /// # Errors
    /// As [`Self::find`], and when it can't be made.
    pub(super) fn find_or_make(within: &Path) -> Result<Self, StorageError> {
        let within = Directory::open(within).map_err(cannot_use(within))?;
        let path = within.path().to_owned();
        if let Some(found) = Self::find_in(within.try_clone().map_err(cannot_use(&path))?)? {
            return Ok(found);
        }
        let directory =
            within.create_directory(DIRECTORY, 0o700).map_err(cannot_use(within.path()))?;
        let own = Self { within, directory };
        let marked = own
            .directory
            .create_file(MARKER, 0o600)
            .and_then(|mut marker| marker.write_all(MARKER_TEXT.as_bytes()));
        if let Err(error) = marked {
            // Without its marker it would be somebody else's ever after.
            let _ = own.remove_if_empty();
            return Err(cannot_use(&path)(error));
        }
        Ok(own)
    }

    /// The directory.
    pub(super) fn directory(&self) -> &Directory {
        &self.directory
    }

    /// The names of weighin's files in it.
    pub(super) fn file_names(&self) -> io::Result<Vec<String>> {
        let names = self.directory.names()?;
        let names = names.into_iter().filter_map(|name| name.into_string().ok());
        Ok(names.filter(|name| is_file_name(name)).collect())
    }

    /// Removes it where nothing but the marker is in it.
    pub(super) fn remove_if_empty(&self) -> io::Result<()> {
        if self.directory.names()?.iter().any(|name| name != MARKER) {
            return Ok(());
        }
        match self.directory.remove_file(MARKER) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        self.within.remove_directory(DIRECTORY)
    }
}

/// What weighin has made in a directory already.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// Bytes that its files take on the disk.
    pub allocated: u64,
    /// Path and length of each that is filled.
    pub filled: Vec<(PathBuf, u64)>,
}

/// What [`super::make_files`] made within a directory before.
///
/// # Errors
/// `Foreign` when what has the name of weighin's own directory may be somebody else's.
pub fn made_files(within: &Path) -> Result<Made, StorageError> {
    let Some(own) = Own::find(within)? else { return Ok(Made::default()) };
    let path = within.join(DIRECTORY);
    let mut made = Made::default();
    for name in own.file_names().map_err(cannot_use(&path))? {
        let Some(facts) = own.directory.facts_of(&name).map_err(cannot_use(&path))? else {
            continue;
        };
        made.allocated += facts.allocated;
        if facts.kind == Kind::File && name.ends_with(FILLED) {
            made.filled.push((path.join(name), facts.length));
        }
    }
    Ok(made)
}

/// The name of a virtual machine's file.
pub(super) fn file_name(vm: u32) -> String {
    format!("{PREFIX}{vm:03}.{FILLED}")
}

/// The name that a file has until it is filled.
pub(super) fn begun_name(vm: u32) -> String {
    format!("{PREFIX}{vm:03}.{BEGUN}")
}

fn is_file_name(name: &str) -> bool {
    let ending = name.strip_prefix(PREFIX).and_then(|rest| rest.rsplit_once('.'));
    ending.is_some_and(|(_, ending)| ending == FILLED || ending == BEGUN)
}

/// Whether a path is that of a file of weighin's own, which no link may stand for.
pub(super) fn is_own_file(path: &Path) -> bool {
    let directory = path.parent().and_then(Path::file_name);
    let name = path.file_name().and_then(|name| name.to_str());
    directory.is_some_and(|name| name == DIRECTORY) && name.is_some_and(is_file_name)
}

fn cannot_use(path: &Path) -> impl Fn(io::Error) -> StorageError {
    move |source| StorageError::Directory { path: path.to_owned(), source }
}
