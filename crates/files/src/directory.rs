//! A directory that is held open, and what can be done with its entries.

use crate::{Facts, Kind, Refusal};
use rustix::fs::{AtFlags, Dir, Gid, Mode, OFlags, RenameFlags, Uid};
use rustix::fs::{fchmod, fchown, fcntl_getfl, fcntl_setfl, fstat};
use rustix::fs::{mkdirat, openat, renameat_with, statat, unlinkat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Flags of every open: never a link, never into a child process, never a controlling terminal.
pub(crate) const NEVER: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC).union(OFlags::NOCTTY);

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading.
    Read,
    /// Reading and writing.
    ReadWrite,
    /// Writing, always at the end.
    Append,
}

/// A directory, by descriptor: it stays the same directory whatever happens to its path.
///
/// Methods that take a name act on the entry of that name. A name with a slash, an empty one, `.`
/// and `..` are `InvalidInput`.
#[derive(Debug)]
pub struct Directory {
    pub(crate) descriptor: OwnedFd,
    pub(crate) path: PathBuf,
}

impl Directory {
    /// Opens a directory that the user named: links in its path are followed, this once.
    ///
    /// # Errors
    /// When it is no directory, or can't be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        // Resolved here, so that messages and children get a path without links.
        let path = path.canonicalize()?;
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | NEVER;
        let descriptor = rustix::fs::open(&path, flags, Mode::empty())?;
        Ok(Self { descriptor, path })
    }

    /// Opens a directory that is there, or makes it and those above it that are missing, each for
    /// this account alone. What is there must be in nobody else's hand, and so is what is made.
    ///
    /// # Errors
    /// As [`Self::check_trusted_path`]; otherwise when one can't be opened or made.
    pub fn open_or_create_trusted(path: &Path) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        let there = path.ancestors().find(|path| path.exists()).unwrap_or(Path::new("/"));
        let mut at = Self::open(there)?;
        at.check_trusted_path()?;
        for name in path.strip_prefix(there).map_err(|_| io::ErrorKind::InvalidInput)? {
            at = match at.create_directory(name, 0o700) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    let there = at.directory(name)?;
                    there.facts()?.check_trusted(&there.path)?;
                    there
                }
                made => made?,
            };
        }
        Ok(at)
    }

    /// Opens the directory that a file of this path is in, or would be made in, as [`Self::open`]
    /// does, and gives the file's name in it.
    ///
    /// # Errors
    /// As [`Self::open`]; `InvalidInput` when the path ends in no name.
    pub fn of_file(path: &Path) -> io::Result<(Self, OsString)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        Ok((Self::open(parent)?, name.to_owned()))
    }

    /// The same directory by another descriptor.
    ///
    /// # Errors
    /// When there are no more descriptors.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { descriptor: self.descriptor.try_clone()?, path: self.path.clone() })
    }

    /// Opens a directory in this one.
    ///
    /// # Errors
    /// [`Refusal::Kind`] when it is a link or no directory.
    pub fn directory(&self, name: impl AsRef<OsStr>) -> io::Result<Self> {
        let name = checked(name.as_ref())?;
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | NEVER;
        match openat(&self.descriptor, name, flags, Mode::empty()) {
            Ok(descriptor) => Ok(Self { descriptor, path: self.path.join(name) }),
            Err(error) => Err(self.refusal(name, Kind::Directory).unwrap_or(error.into())),
        }
    }

    /// Makes a directory that was not there, with exactly these permissions, and opens it.
    ///
    /// # Errors
    /// `AlreadyExists` when anything has that name; otherwise when it can't be made.
    pub fn create_directory(&self, name: impl AsRef<OsStr>, mode: u32) -> io::Result<Self> {
        let name = checked(name.as_ref())?;
        // Nobody else may enter before it is known to be the one that was made.
        mkdirat(&self.descriptor, name, Mode::RWXU)?;
        let made = self.directory(name)?;
        let facts = made.facts()?;
        // Whoever owns this directory could have exchanged the new one for another.
        if facts.uid != own_uid() {
            return Err(Refusal::Owner { path: made.path, uid: facts.uid }.into());
        }
        made.set_mode(mode)?;
        Ok(made)
    }

    /// Makes a file that was not there, with exactly these permissions, for reading and writing.
    ///
    /// # Errors
    /// `AlreadyExists` when anything has that name, also a link that leads nowhere; otherwise when
    /// it can't be made.
    pub fn create_file(&self, name: impl AsRef<OsStr>, mode: u32) -> io::Result<File> {
        let name = checked(name.as_ref())?;
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | NEVER;
        let mode = Mode::from_raw_mode(mode);
        let made = openat(&self.descriptor, name, flags, mode & Mode::RWXU)?;
        // Past the umask.
        fchmod(&made, mode)?;
        Ok(made.into())
    }

    /// Opens a regular file that is there.
    ///
    /// # Errors
    /// `NotFound`; [`Refusal::Kind`] when it is a link, a FIFO, a device or a directory.
    pub fn open_file(&self, name: impl AsRef<OsStr>, access: Access) -> io::Result<File> {
        let name = checked(name.as_ref())?;
        let rights = match access {
            Access::Read => OFlags::RDONLY,
            Access::ReadWrite => OFlags::RDWR,
            Access::Append => OFlags::WRONLY | OFlags::APPEND,
        };
        // To open a device can already do something (rewind a tape): it is looked at before. What
        // is exchanged in between is looked at again, and NONBLOCK keeps a FIFO from blocking.
        if let Some(refusal) = self.refusal(name, Kind::File) {
            return Err(refusal);
        }
        let opened =
            openat(&self.descriptor, name, rights | NEVER | OFlags::NONBLOCK, Mode::empty());
        let file = match opened {
            Ok(file) => file,
            Err(error) => return Err(self.refusal(name, Kind::File).unwrap_or(error.into())),
        };
        let kind = Facts::from(fstat(&file)?).kind;
        if kind != Kind::File {
            let path = self.path.join(name);
            return Err(Refusal::Kind { path, kind, wanted: Kind::File }.into());
        }
        // io_uring fails requests on such a file rather than wait.
        fcntl_setfl(&file, fcntl_getfl(&file)?.difference(OFlags::NONBLOCK))?;
        Ok(file.into())
    }

    /// Opens a regular file that is there and that nobody but this account and root can have made
    /// or changed: it belongs to one of them, has one name, and others may not write to it.
    ///
    /// # Errors
    /// As [`Self::open_file`]; [`Refusal::Owner`], [`Refusal::HardLinks`], [`Refusal::Writable`].
    pub fn open_trusted_file(&self, name: impl AsRef<OsStr>, access: Access) -> io::Result<File> {
        let name = name.as_ref();
        let file = self.open_file(name, access)?;
        Facts::from(fstat(&file)?).check_trusted(&self.path.join(name))?;
        Ok(file)
    }

    /// Facts about an entry, of a link itself and not of what it leads to; `None` when there is
    /// none.
    ///
    /// # Errors
    /// When the directory can't be searched.
    pub fn facts_of(&self, name: impl AsRef<OsStr>) -> io::Result<Option<Facts>> {
        match statat(&self.descriptor, checked(name.as_ref())?, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat.into())),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Facts about this directory.
    ///
    /// # Errors
    /// When the operating system does not tell.
    pub fn facts(&self) -> io::Result<Facts> {
        Ok(fstat(&self.descriptor)?.into())
    }

    /// Bytes that are free on its file system, those that are reserved for root included.
    ///
    /// # Errors
    /// When the operating system does not tell.
    pub fn room(&self) -> io::Result<u64> {
        let facts = rustix::fs::fstatvfs(&self.descriptor)?;
        Ok(facts.f_bfree.saturating_mul(facts.f_frsize))
    }

    /// The names of all entries, in no order.
    ///
    /// # Errors
    /// When the directory can't be read.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.descriptor)? {
            let name = entry?.file_name().to_bytes().to_vec();
            if name != b"." && name != b".." {
                names.push(OsString::from_vec(name));
            }
        }
        Ok(names)
    }

    /// Removes an entry that is no directory; of a link the link itself.
    ///
    /// # Errors
    /// `NotFound`, `IsADirectory`, or when it can't be removed.
    pub fn remove_file(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        Ok(unlinkat(&self.descriptor, checked(name.as_ref())?, AtFlags::empty())?)
    }

    /// Removes a directory that is empty.
    ///
    /// # Errors
    /// `NotFound`, `NotADirectory` (also for a link), `DirectoryNotEmpty`, or when it can't be
    /// removed.
    pub fn remove_directory(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        Ok(unlinkat(&self.descriptor, checked(name.as_ref())?, AtFlags::REMOVEDIR)?)
    }

    /// Gives an entry another name in `to`, in place of whatever entry had that name.
    ///
    /// # Errors
    /// When it can't be renamed.
    pub fn rename(
        &self,
        name: impl AsRef<OsStr>,
        to: &Self,
        new: impl AsRef<OsStr>,
    ) -> io::Result<()> {
        self.rename_with(name.as_ref(), to, new.as_ref(), RenameFlags::empty())
    }

    /// Gives an entry another name in `to`, which nothing may have.
    ///
    /// # Errors
    /// `AlreadyExists` when something has it; otherwise when it can't be renamed.
    pub fn rename_new(
        &self,
        name: impl AsRef<OsStr>,
        to: &Self,
        new: impl AsRef<OsStr>,
    ) -> io::Result<()> {
        let (name, new) = (name.as_ref(), new.as_ref());
        match self.rename_with(name, to, new, RenameFlags::NOREPLACE) {
            // Some file systems (NFS, old FUSE) don't know the flag: then there is a moment in which
            // an entry that has just appeared is replaced; that it is there already is still seen.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => match to.facts_of(new)? {
                Some(_) => Err(io::ErrorKind::AlreadyExists.into()),
                None => self.rename(name, to, new),
            },
            done => done,
        }
    }

    fn rename_with(
        &self,
        name: &OsStr,
        to: &Self,
        new: &OsStr,
        how: RenameFlags,
    ) -> io::Result<()> {
        let (name, new) = (checked(name)?, checked(new)?);
        Ok(renameat_with(&self.descriptor, name, &to.descriptor, new, how)?)
    }

    /// Makes the directory another account's. Its entries stay whose they are.
    ///
    /// # Errors
    /// When ownership can't be changed.
    pub fn give(&self, uid: u32, gid: u32) -> io::Result<()> {
        Ok(fchown(&self.descriptor, Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)))?)
    }

    /// Sets the directory's permission bits.
    ///
    /// # Errors
    /// When it is not this account's.
    pub fn set_mode(&self, mode: u32) -> io::Result<()> {
        Ok(fchmod(&self.descriptor, Mode::from_raw_mode(mode))?)
    }

    /// Writes the directory's entries to the disk.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.descriptor)?)
    }

    /// The path by which it was opened, without links then. For messages, and for programs that
    /// take nothing else; by now it may lead elsewhere.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Why an entry is not of a kind: as error, if it is there and of another.
    fn refusal(&self, name: &OsStr, wanted: Kind) -> Option<io::Error> {
        let kind = self.facts_of(name).ok().flatten()?.kind;
        let refusal = || Refusal::Kind { path: self.path.join(name), kind, wanted }.into();
        (kind != wanted).then(refusal)
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

impl From<Directory> for File {
    /// Forgets the path.
    fn from(directory: Directory) -> Self {
        directory.descriptor.into()
    }
}

/// The account that this process acts as.
pub(crate) fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// A name of one component.
pub(crate) fn checked(name: &OsStr) -> io::Result<&OsStr> {
    let bytes = name.as_bytes();
    let is_name = !matches!(bytes, b"" | b"." | b"..") && !bytes.contains(&b'/');
    is_name.then_some(name).ok_or(io::ErrorKind::InvalidInput.into())
}
