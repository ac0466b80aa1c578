//! Whole trees of directories and files.

use crate::{Access, Directory, Kind, Refusal};
use rustix::fs::{
    AtFlags, FileType, Gid, Uid, chownat, ioctl_ficlone, readlinkat, statat, symlinkat,
};
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// How deep a tree may be: more than any data directory, and few enough descriptors.
const DEEPEST: usize = 32;
/// What an entry takes on a disk beside its contents, by [`Directory::copy_at_most`].
pub const ENTRY_BYTES: u64 = 4096;
/// The name of a clone that is tried.
const CLONE: &str = "weighin-tries-to-clone";

/// A copy under way.
struct Copying<'a> {
    /// How many bytes more it may have.
    left: u64,
    /// The path in links that are made anew, and the one that the copy has in its place.
    link: Option<(&'a Path, &'a Path)>,
}

impl Directory {
    /// Copies everything in this directory into another, which must hold none of these names.
    /// Permissions go along, owners don't. The kernel shares blocks where the file system can.
    ///
    /// # Errors
    /// [`Refusal::Kind`] when there is anything but directories and files, [`Refusal::HardLinks`]
    /// for a file with several names (which may be one that this account alone may read),
    /// [`Refusal::Depth`]; otherwise when something can't be read or written.
    pub fn copy_into(&self, to: &Self) -> io::Result<()> {
        self.copy_at_most(to, u64::MAX)
    }

    /// The same of so many bytes at most, each entry counted as [`ENTRY_BYTES`] beside its contents: others
    /// may still write to what is copied.
    ///
    /// # Errors
    /// As [`Self::copy_into`], and [`Refusal::Size`], with part of it copied.
    pub fn copy_at_most(&self, to: &Self, bytes: u64) -> io::Result<()> {
        self.copy_level(to, 0, &mut Copying { left: bytes, link: None })
    }

    /// The same as [`Self::copy_into`], but for links that hold exactly the first of these paths: the copy has
    /// links that hold the second. They are not followed.
    ///
    /// # Errors
    /// As [`Self::copy_into`].
    pub fn copy_with_link(&self, to: &Self, link: (&Path, &Path)) -> io::Result<()> {
        self.copy_level(to, 0, &mut Copying { left: u64::MAX, link: Some(link) })
    }

    fn copy_level(&self, to: &Self, depth: usize, copying: &mut Copying) -> io::Result<()> {
        self.check_depth(depth)?;
        for name in self.names()? {
            let too_large = || Refusal::Size { path: self.path.join(&name) };
            copying.left = copying.left.checked_sub(ENTRY_BYTES).ok_or_else(too_large)?;
            let kind = self.facts_of(&name)?.ok_or(io::ErrorKind::NotFound)?.kind;
            if let (Kind::Link, Some((theirs, ours))) = (kind, copying.link)
                && self.link_holds(&name, theirs)?
            {
                symlinkat(ours, &to.descriptor, &name)?;
                continue;
            }
            if kind == Kind::Directory {
                let from = self.directory(&name)?;
                let mode = from.facts()?.mode & 0o777;
                let made = to.create_directory(&name, 0o700)?;
                from.copy_level(&made, depth + 1, copying)?;
                made.set_mode(mode)?;
                continue;
            }
            let from = self.open_file(&name, Access::Read)?;
            let facts = crate::Facts::from(rustix::fs::fstat(&from)?);
            if facts.links > 1 {
                let path = self.path.join(&name);
                return Err(Refusal::HardLinks { path, links: facts.links }.into());
            }
            let mut made = to.create_file(&name, facts.mode & 0o777)?;
            let copied = io::copy(&mut from.take(copying.left.saturating_add(1)), &mut made)?;
            copying.left = copying.left.checked_sub(copied).ok_or_else(too_large)?;
        }
        Ok(())
    }

    /// Whether a link holds exactly this path.
    fn link_holds(&self, name: &OsStr, path: &Path) -> io::Result<bool> {
        let held = readlinkat(&self.descriptor, name, Vec::new())?;
        Ok(held.as_bytes() == path.as_os_str().as_bytes())
    }

    /// Makes everything in this directory another account's, of a link the link itself, and the
    /// directory too, last of all.
    ///
    /// Others must not be able to enter it meanwhile: to whom a file has been given already could
    /// put a hard link to a file of this account's in the place of the next.
    ///
    /// # Errors
    /// [`Refusal::Depth`]; otherwise when ownership can't be changed.
    pub fn give_all(&self, uid: u32, gid: u32) -> io::Result<()> {
        self.give_level(uid, gid, 0)
    }

    fn give_level(&self, uid: u32, gid: u32, depth: usize) -> io::Result<()> {
        self.check_depth(depth)?;
        for name in self.names()? {
            if self.facts_of(&name)?.is_some_and(|facts| facts.kind == Kind::Directory) {
                self.directory(&name)?.give_level(uid, gid, depth + 1)?;
                continue;
            }
            let (uid, gid) = (Uid::from_raw(uid), Gid::from_raw(gid));
            let own = AtFlags::SYMLINK_NOFOLLOW;
            chownat(&self.descriptor, &name, Some(uid), Some(gid), own)?;
        }
        self.give(uid, gid)
    }

    /// Removes everything in this directory, and follows no link: others may own what is in it.
    ///
    /// # Errors
    /// [`Refusal::Depth`]; otherwise when something can't be removed.
    pub fn remove_all(&self) -> io::Result<()> {
        self.remove_level(0)
    }

    fn remove_level(&self, depth: usize) -> io::Result<()> {
        self.check_depth(depth)?;
        for name in self.names()? {
            if self.facts_of(&name)?.is_some_and(|facts| facts.kind == Kind::Directory) {
                self.directory(&name)?.remove_level(depth + 1)?;
                self.remove_directory(&name)?;
            } else {
                self.remove_file(&name)?;
            }
        }
        Ok(())
    }

    /// Whether a copy of this directory in another takes no room of its own, since the file system clones files.
    /// Tried with the first file that holds something, whose clone is removed again.
    ///
    /// # Errors
    /// When the directory cannot be read, or nothing can be made in the other.
    pub fn shares_blocks_with(&self, to: &Self) -> io::Result<bool> {
        let holds_something = |name: &OsString| {
            let facts = statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW);
            facts.is_ok_and(|facts| {
                FileType::from_raw_mode(facts.st_mode) == FileType::RegularFile && facts.st_size > 0
            })
        };
        let Some(name) = self.names()?.into_iter().find(holds_something) else { return Ok(false) };
        let original = self.open_file(&name, Access::Read)?;
        let clone = to.create_file(CLONE, 0o600)?;
        let shares = ioctl_ficlone(&clone, &original).is_ok();
        to.remove_file(CLONE)?;
        Ok(shares)
    }

    /// Bytes on disk of all files in this directory and those below it. What goes meanwhile does not
    /// count.
    ///
    /// # Errors
    /// [`Refusal::Depth`], or when it cannot be read.
    pub fn bytes(&self) -> io::Result<u64> {
        self.bytes_of_level(0)
    }

    fn bytes_of_level(&self, depth: usize) -> io::Result<u64> {
        self.check_depth(depth)?;
        let mut bytes = 0;
        for name in self.names()? {
            let status = statat(&self.descriptor, &name, AtFlags::SYMLINK_NOFOLLOW);
            let Ok(status) = status else { continue };
            let below = match FileType::from_raw_mode(status.st_mode) {
                FileType::Directory => {
                    self.directory(&name).and_then(|d| d.bytes_of_level(depth + 1))
                }
                // The kernel counts in units of 512 bytes, whatever the file system's are.
                _ => Ok(status.st_blocks.unsigned_abs() * 512),
            };
            bytes += below.unwrap_or(0);
        }
        Ok(bytes)
    }

    fn check_depth(&self, depth: usize) -> Result<(), Refusal> {
        if depth > DEEPEST {
            return Err(Refusal::Depth { path: self.path.clone() });
        }
        Ok(())
    }
}
