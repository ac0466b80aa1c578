//! A file that appears complete or not at all.

use crate::directory::{NEVER, checked};
use crate::{Directory, Kind};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, fchmod, linkat, openat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What ends the hidden name that a file has while it is not finished.
const UNFINISHED: &str = ".unfinished";

/// A file that is being written beside the place where it will stand.
///
/// It has no name, so that nothing is left of it if this process is killed; where the file system
/// knows no such files it has a hidden one, which the next unfinished file of that name removes.
/// Dropped before it got its name, it is gone.
#[derive(Debug)]
pub struct Unfinished {
    directory: Directory,
    name: OsString,
    file: File,
    /// Its hidden name, while it has one.
    hidden: Option<OsString>,
}

impl Unfinished {
    /// Begins the file that will have this name. Its permissions are `mode` without the umask, or
    /// exactly those of the file that it will replace.
    ///
    /// # Errors
    /// When it can't be made.
    pub fn begin(
        directory: Directory,
        name: impl AsRef<OsStr>,
        mode: u32,
        replaced: Option<u32>,
    ) -> io::Result<Self> {
        let name = checked(name.as_ref())?.to_owned();
        remove_left_over(&directory, &name)?;
        let mode = Mode::from_raw_mode(mode);
        let nameless = openat(&directory, ".", OFlags::TMPFILE | OFlags::RDWR | NEVER, mode);
        let (descriptor, hidden) = match nameless {
            Ok(descriptor) => (descriptor, None),
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => {
                let hidden = hidden_name(&name);
                let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | NEVER;
                (openat(&directory, &hidden, flags, mode)?, Some(hidden))
            }
            Err(error) => return Err(error.into()),
        };
        let unfinished = Self { directory, name, file: descriptor.into(), hidden };
        if let Some(replaced) = replaced {
            fchmod(&unfinished.file, Mode::from_raw_mode(replaced & 0o777))?;
        }
        Ok(unfinished)
    }

    /// Gives the file its name, which nothing may have, once the disk has it.
    ///
    /// # Errors
    /// `AlreadyExists` when something has that name; otherwise when it can't be written.
    pub fn publish_new(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        match self.hidden.clone() {
            None => self.link(&self.name)?,
            Some(hidden) => {
                self.directory.rename_new(hidden, &self.directory, &self.name)?;
                self.hidden = None;
            }
        }
        self.directory.sync()
    }

    /// Gives the file its name, in place of whatever had it, once the disk has it.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn publish(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        let hidden = match self.hidden.clone() {
            Some(hidden) => hidden,
            None => {
                let hidden = hidden_name(&self.name);
                self.link(&hidden)?;
                self.hidden = Some(hidden.clone());
                hidden
            }
        };
        self.directory.rename(hidden, &self.directory, &self.name)?;
        self.hidden = None;
        self.directory.sync()
    }

    /// Gives the file without a name one, which nothing may have.
    fn link(&self, name: &OsStr) -> io::Result<()> {
        // By the descriptor itself only root may link it.
        let path = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        Ok(linkat(CWD, path, &self.directory, name, AtFlags::SYMLINK_FOLLOW)?)
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(hidden) = &self.hidden {
            let _ = self.directory.remove_file(hidden);
        }
    }
}

/// `.NAME.PROCESS.unfinished`.
fn hidden_name(name: &OsStr) -> OsString {
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}{UNFINISHED}", std::process::id()));
    hidden
}

/// Removes what processes that were killed have left of a file of this name.
fn remove_left_over(directory: &Directory, name: &OsStr) -> io::Result<()> {
    let prefix = [b".", name.as_bytes(), b"."].concat();
    for entry in directory.names()? {
        let process = entry
            .as_bytes()
            .strip_prefix(prefix.as_slice())
            .and_then(|rest| rest.strip_suffix(UNFINISHED.as_bytes()))
            .and_then(|process| str::from_utf8(process).ok()?.parse::<u32>().ok());
        let Some(process) = process else { continue };
        let is_gone =
            process == std::process::id() || !Path::new(&format!("/proc/{process}")).exists();
        let facts = directory.facts_of(&entry)?;
        if is_gone && facts.is_some_and(|facts| facts.kind == Kind::File && facts.is_own()) {
            let _ = directory.remove_file(&entry);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use tempfile::TempDir;

    fn begin(place: &TempDir, replaced: Option<u32>) -> Unfinished {
        let directory = Directory::open(place.path()).unwrap();
        let mut file = Unfinished::begin(directory, "report", 0o600, replaced).unwrap();
        file.write_all(b"text").unwrap();
        file
    }

    fn names(place: &TempDir) -> Vec<OsString> {
        Directory::open(place.path()).unwrap().names().unwrap()
    }

    #[test]
    fn a_file_appears_when_it_is_published_and_not_before() {
        let place = TempDir::new().unwrap();
        let file = begin(&place, None);
        assert!(!place.path().join("report").exists());
        drop(file);
        assert_eq!(names(&place).len(), 0);
        begin(&place, None).publish_new().unwrap();
        assert_eq!(fs::read_to_string(place.path().join("report")).unwrap(), "text");
        assert_eq!(names(&place), ["report"]);
    }

    #[test]
    fn what_has_the_name_is_replaced_only_when_that_is_asked_for() {
        let place = TempDir::new().unwrap();
        let path = place.path().join("report");
        let elsewhere = place.path().join("elsewhere");
        fs::write(&elsewhere, "precious").unwrap();
        symlink(&elsewhere, &path).unwrap();
        let error = begin(&place, None).publish_new().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        begin(&place, Some(0o640)).publish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "text");
        assert_eq!(path.symlink_metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "precious");
        assert_eq!(names(&place).len(), 2);
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_nothing_else() {
        let place = TempDir::new().unwrap();
        // Above the highest number that a process can have.
        let left_over = place.path().join(".report.4194305.unfinished");
        let others =
            [".report.1.unfinished", ".report.mine.unfinished", ".other.4194305.unfinished"];
        fs::write(&left_over, "half").unwrap();
        for name in others {
            fs::write(place.path().join(name), "").unwrap();
        }
        drop(begin(&place, None));
        assert!(!left_over.exists());
        assert!(others.iter().all(|name| place.path().join(name).exists()));
    }
}
